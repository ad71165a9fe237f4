// The calls of pool keys, one row each, written after the answers, many at once, together with their sums (`usage-sums.ts`). A call that is
// written twice counts once.

import { batchedOperation, readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { CompletionsTable } from "#store/schema/pools.ts";
import { addSums, failedIn } from "./usage-sums.ts";

/** A call that has ended. */
export interface UsedCall extends CompletionsTable {
  /** The account's local day of `at`, such as `2026-11-21`. */
  day: string;
}

const columns = {
  id: "text",
  account_id: "text",
  pool_id: "text",
  key_id: "text",
  at: "bigint",
  kind: "text",
  stream: "bigint",
  status: "bigint",
  member: "text",
  model: "text",
  attempts: "text",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  estimated: "bigint",
  cost: "bigint",
  cost_rest: "bigint",
  cached_tokens: "bigint",
  cache_write_tokens: "bigint",
  price_source: "text",
  first_byte_ms: "bigint",
  ms: "bigint",
  failed_over: "bigint",
  end_user: "text",
  tags: "text",
  client_request_id: "text",
  api: "text",
  person: "text",
  reused: "text",
} as const satisfies Record<keyof CompletionsTable, "text" | "bigint">;

/** A batch is one input: a promise and an answer for each call cost the event loop more than the call's row. */
export const recordUsage = batchedOperation("recordUsage", async (tx, batches: readonly UsedCall[][]) => {
  const calls = [...new Map(batches.flat().map((call) => [call.id, call])).values()];
  const fresh = await insertCalls(tx, calls);
  for (const { account_id } of calls) tx.changes.topic(account_id, "calls");
  await addSums(
    tx,
    calls.filter(({ id }) => fresh.has(id)),
  );
  return batches.map(() => null);
});

/** The ids of those that are new. */
const insertCalls = (tx: Tx, calls: readonly UsedCall[]): Promise<ReadonlySet<string>> =>
  tx.insertMissing(
    "completions",
    columns,
    calls.map(({ day: _, ...call }) => ({
      ...call,
      ms: Math.round(call.ms),
      first_byte_ms: call.first_byte_ms === null ? null : Math.round(call.first_byte_ms),
    })),
  );

/** Filters for calls; null matches any. */
export interface CallFilter {
  keyId: string | null;
  /** From the first status to before the second. */
  status: readonly [number, number] | null;
  member: string | null;
  model: string | null;
  failedOver: boolean | null;
  user: string | null;
  tag: string | null;
  /** The name of a member that was called and did not answer. */
  failedBy: string | null;
  /** The API of the request. */
  api: string | null;
  /** From the first instant (epoch ms) to before the second. */
  at: readonly [number, number] | null;
}

export interface ListCallsInput extends CallFilter {
  accountId: string;
  poolId: string;
  /** Calls from this id on; null for the oldest. */
  from: string | null;
  /** Calls before this id; null for the newest. */
  before: string | null;
  limit: number;
  /** Most rows to read if not every one matches: a rare match among millions takes several searches. */
  maxScanned: number;
}

/** `key_name`: of its key, as long as the key exists. */
export type NamedCall = CompletionsTable & { key_name: string | null };

async function named(tx: Tx, rows: readonly CompletionsTable[]): Promise<NamedCall[]> {
  const ids = tx.list([...new Set(rows.map(({ key_id }) => key_id))]);
  const keys =
    rows.length === 0
      ? []
      : await tx.db.selectFrom("pool_keys").select(["id", "name"]).where("id", "in", ids).execute();
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, key_name: names.get(row.key_id) ?? null }));
}

/** One call of the account's pool. */
export const findCall = readOperation(
  "findCall",
  async (tx, input: { accountId: string; poolId: string; id: string }): Promise<NamedCall | null> => {
    const row = await tx.db
      .selectFrom(tx.indexed("completions"))
      .selectAll()
      .where("id", "=", input.id)
      .where("pool_id", "=", input.poolId)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    return row === undefined ? null : ((await named(tx, [row]))[0] ?? null);
  },
);

/** Calls of a pool, newest first. `lookedTo`: the search stopped there without finding enough; null if there is nothing more. */
export const listCalls = readOperation(
  "listCalls",
  async (tx, input: ListCallsInput): Promise<{ rows: NamedCall[]; lookedTo: string | null }> => {
    const { accountId, poolId, keyId, from, before, limit, maxScanned } = input;
    const matches = matcher(input);
    const index = keyId === null ? "completions_recent" : "completions_keyed";
    let query = tx.db.selectFrom(tx.indexed("completions", index)).selectAll();
    query = keyId === null ? query.where("pool_id", "=", poolId) : query.where("key_id", "=", keyId);
    if (from !== null) query = query.where("id", ">=", from);
    if (before !== null) query = query.where("id", "<", before);
    const look = matches === null ? limit : maxScanned;
    const walked = await query.orderBy("id", "desc").limit(look).execute();
    const found = walked.filter(
      (row) => row.account_id === accountId && row.pool_id === poolId && (matches === null || matches(row)),
    );
    const rows = await named(tx, found.slice(0, limit));
    const more = walked.length === look && found.length < limit;
    return { rows, lookedTo: more ? (walked.at(-1)?.id ?? null) : null };
  },
);

/** Null if every call matches. */
function matcher({ status, member, model, failedOver, user, tag, failedBy, api, at }: CallFilter) {
  const parts = [status, member, model, failedOver, user, tag, failedBy, api, at];
  if (parts.every((part) => part === null)) return null;
  return (row: CompletionsTable) =>
    (status === null || (row.status >= status[0] && row.status < status[1])) &&
    (member === null || row.member === member) &&
    (model === null || row.model === model) &&
    (failedOver === null || (row.failed_over === 1) === failedOver) &&
    (user === null || row.end_user === user) &&
    (api === null || row.api === api) &&
    (failedBy === null || failedIn(row).includes(failedBy)) &&
    (at === null || (row.at >= at[0] && row.at < at[1])) &&
    (tag === null || (JSON.parse(row.tags) as string[]).includes(tag));
}

/** Removes calls before an id, oldest first, at most `limit`; returns how many. The sums of their days are kept. */
export const deleteCalls = writeOperation(
  "deleteCalls",
  async (tx, input: { before: string; limit: number }) => {
    const old = await tx.db
      .selectFrom("completions")
      .select("id")
      .where("id", "<", input.before)
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const ids = tx.list(old.map(({ id }) => id));
    await tx.db.deleteFrom(tx.indexed("completions")).where("id", "in", ids).execute();
    return old.length;
  },
);
