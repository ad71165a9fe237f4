// The keys of a pool.

import { keys, keyTextOf, revokeKey, rotatePoolKey } from "#configure/pool-key.ts";
import { idParam } from "#contract/envelope.ts";
import {
  keyChanges,
  keyFields,
  keysQuery,
  newPoolKeyReply,
  poolKeyReply,
  poolKeysReply,
  rotatePoolKeyRequest,
} from "#contract/manage/pools/keys.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { refused } from "#http/reply/refused.ts";
import { type ManagedCall, manageRoutes } from "#http/routes/manage/manage-routes.ts";
import { dayOf } from "#runtime/time-zones.ts";
import { findPoolKey, listPoolKeys } from "#store/pools/keys.ts";
import { type LastRefusal, readLastRefusals } from "#store/pools/pool-statistics.ts";
import { readKeyUse } from "#store/pools/spend.ts";
import type { PoolKeysTable } from "#store/schema/pools.ts";
import { poolRefOf } from "./members.ts";
import { findPool, poolParams, poolPath } from "./pools.ts";
import { unpricedRemark } from "./unpriced.ts";

const millionth = 1_000_000;
const levelOf = (state: { remaining: number; resetMs: number } | null, now: number) =>
  state === null
    ? null
    : { remaining: state.remaining, full_at: state.resetMs === 0 ? null : isoTime(now + state.resetMs) };

const refusalOf = (refusal: LastRefusal | undefined) =>
  refusal === undefined ? null : { at: isoTime(refusal.at), by: refusal.by, until: isoTime(refusal.retryAt) };

/** The keys as replies show them, with their usage. */
async function dataOf({ core, account }: ManagedCall, rows: readonly PoolKeysTable[]) {
  const day = dayOf(core.clock.now(), account.time_zone);
  const keyIds = rows.map(({ id }) => id);
  const shown = rows.map((row) => keys.shown(core.sealer, row));
  const limited = rows.map(({ id }, at) => ({ id, limits: shown[at]!.limits }));
  const [used, refusals, levels] = await Promise.all([
    core.database.run(readKeyUse, { keyIds, day, month: day.slice(0, 7) }),
    core.database.run(readLastRefusals, keyIds),
    core.ai.keyLevels(limited),
  ]);
  const now = core.clock.now();
  const byId = new Map(used.map((use) => [use.id, use]));
  const refusalById = new Map(refusals.map((refusal) => [refusal.keyId, refusal]));
  return rows.map((row, position) => {
    const { requests, tokens, underWay } = levels[position]!;
    const use = byId.get(row.id);
    return {
      ...shown[position]!,
      hint: row.hint,
      revoked_at: isoTime(row.revoked_at),
      previous_works_until: isoTime(
        row.previous_works_until !== null && row.previous_works_until > now ? row.previous_works_until : null,
      ),
      last_used_at: isoTime(use?.at ?? null),
      spent: {
        tokens_today: use?.tokensToday ?? 0,
        tokens_this_month: use?.tokensThisMonth ?? 0,
        cost_this_month: (use?.costThisMonth ?? 0) / millionth,
        unpriced_this_month: use?.unpricedThisMonth ?? 0,
      },
      left: {
        requests: levelOf(requests, now),
        tokens: levelOf(tokens, now),
        under_way: shown[position]!.limits.concurrency === null ? null : underWay,
      },
      last_refusal: refusalOf(refusalById.get(row.id)),
    };
  });
}

async function find(call: ManagedCall, id: string) {
  const row = await call.core.database.run(findPoolKey, { ...poolRefOf(call), id });
  return row === null ? null : ((await dataOf(call, [row]))[0] ?? null);
}

const keyParam = idParam("The key's id.");

export const poolKeyRoutes = manageRoutes({
  tag: "Pools",
  operations: ["PoolKey", "PoolKeys"],
  nouns: ["key", "keys"],
  path: `${poolPath}/keys`,
  params: poolParams,
  param: ["key", keyParam],
  replies: { one: poolKeyReply, many: poolKeysReply, created: newPoolKeyReply },
  remark: async (call, { budget }, body) =>
    "budget" in body ? unpricedRemark(call, budget, (await findPool(call)).members) : null,
  list: {
    summary: "List a pool's keys",
    description: "The list includes revoked keys, without their texts. The newest key comes first.",
    query: keysQuery,
    run: async (call, { limit, cursor = null }) => {
      await findPool(call);
      const filter = { ...poolRefOf(call), before: cursor, limit: limit + 1 };
      const page = pageOf(await call.core.database.run(listPoolKeys, filter), limit, (key) => key);
      return { ...page, data: await dataOf(call, page.data) };
    },
  },
  create: {
    summary: "Create a key of a pool",
    description: "Only this reply shows the key's text.",
    body: keyFields.meta({ id: "CreatePoolKeyRequest", description: "An API key for the pool." }),
    run: async (call, fields) => {
      const { key, issued } = keyTextOf(call.core, fields, null);
      const saved = await keys.create(call.core, poolRefOf(call), { ...fields, key });
      return saved.kind === "saved" ? { ...saved, issued: { key: issued } } : saved;
    },
  },
  get: { summary: "Get a key of a pool", run: find },
  update: {
    summary: "Update a key of a pool",
    description:
      "Only the fields of the request change, also inside `limits` and `budget`. The remaining amount of a limit changes by the same difference.",
    body: keyChanges.meta({ id: "UpdatePoolKeyRequest" }),
    run: (call, id, changes) => keys.update(call.core, poolRefOf(call), id, changes),
  },
  delete: {
    name: "revokePoolKey",
    summary: "Revoke a key of a pool",
    description:
      "The key stops working within 5 s in every process, and its deferred completions are cancelled. It stays in the list, so that its usage keeps a name, until another key takes the name.",
    run: async (call, id) => (await revokeKey(call.core, poolRefOf(call), id)) !== null,
  },
});

export const rotatePoolKeyRoute = endpoint({
  method: "POST",
  path: `${poolPath}/keys/{key}/rotate`,
  name: "rotatePoolKey",
  tag: "Pools",
  summary: "Rotate a key of a pool",
  description:
    "The key gets a new text, which only this reply shows, and keeps its limits, budget and usage. The text until now works as long as the request says, 24 hours by default; one that a rotation before has left ends at once.",
  scope: "account",
  params: { ...poolParams, key: keyParam },
  body: rotatePoolKeyRequest,
  replies: { 200: newPoolKeyReply },
  problems: ["conflict"],
})(async (call) => {
  const { core, input, params } = call;
  const { key: id = "" } = params;
  await findPool(call);
  const oldWorksHours = input.old_works_hours;
  const rotated = await rotatePoolKey(core, { poolRef: poolRefOf(call), id, oldWorksHours });
  if (rotated.kind !== "rotated") return refused(rotated);
  const data = orNotFound(await find(call, id));
  return { message: "The key has a new text.", data: { ...data, key: rotated.key } };
});
