// The keys of a pool: GET and POST …/pools/{pool}/keys; GET, PATCH and DELETE (which revokes) …/keys/{key}

import { keyChanges, keyInput } from "#configure/pool-input.ts";
import { createKey, keyLimits, revokeKey, updateKey } from "#configure/pool-key.ts";
import { idParam } from "#contract/envelope.ts";
import {
  keysQuery,
  newPoolKeyReply,
  type PoolKeyReplyData,
  poolKeyReply,
  poolKeysReply,
} from "#contract/manage/pools.ts";
import { isProblem, problem } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { created } from "#http/reply/created.ts";
import { pageOf } from "#http/reply/pagination.ts";
import { refused } from "#http/reply/refused.ts";
import { queryOf } from "#http/request.ts";
import { validate, validateQuery } from "#http/validate.ts";
import { findPoolKey, listPoolKeys } from "#store/pools/keys.ts";
import type { PoolKeysTable } from "#store/schema/pools.ts";
import { findPool, type PoolCall, poolParams, poolPath } from "./pools.ts";

const keyParams = { ...poolParams, key: idParam("The key's id.") };
const about = { tag: "Pools", family: "manage", scope: "account" } as const;

function dataOf(row: PoolKeysTable): PoolKeyReplyData {
  return {
    id: row.id,
    name: row.name,
    hint: row.hint,
    ...keyLimits(row),
    revoked_at: row.revoked_at === null ? null : isoTime(row.revoked_at),
    revision: row.revision,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

async function findKey({ core, account, params: { pool, key } }: PoolCall): Promise<PoolKeysTable | null> {
  if (!isId(pool) || !isId(key)) return null;
  return await core.database.run(findPoolKey, { accountId: account.id, poolId: pool, id: key });
}

export const listPoolKeysRoute = endpoint({
  ...about,
  method: "GET",
  path: `${poolPath}/keys`,
  name: "listPoolKeys",
  summary: "List a pool's keys",
  description: "The list includes revoked keys, without their texts. The newest key comes first.",
  params: poolParams,
  query: keysQuery,
  replies: { 200: poolKeysReply },
  problems: ["not_found"],
})(async (call) => {
  const query = validateQuery(keysQuery, queryOf(call.request));
  if (isProblem(query)) return query;
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const { limit, cursor = null } = query.value;
  const filter = { accountId: call.account.id, poolId: found.pool.id, before: cursor, limit: limit + 1 };
  const page = pageOf(await call.core.database.run(listPoolKeys, filter), limit);
  return {
    status: 200,
    body: {
      success: true,
      message: "Keys found.",
      data: page.rows.map(dataOf),
      next_cursor: page.nextCursor,
    },
  };
});

export const createPoolKeyRoute = endpoint({
  ...about,
  method: "POST",
  path: `${poolPath}/keys`,
  name: "createPoolKey",
  summary: "Create a key of a pool",
  description: "Only this reply shows the key's text.",
  params: poolParams,
  body: keyInput.meta({ id: "CreatePoolKeyRequest", description: "An API key for the pool." }),
  replies: { 201: newPoolKeyReply },
  problems: ["not_found"],
})(async (call) => {
  const input = validate(keyInput, call.body.value);
  if (isProblem(input)) return input;
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const { core } = call;
  const { database } = core;
  const of = { accountId: call.account.id, poolId: found.pool.id };
  const saved = await createKey(core, of, input.value);
  if (saved.kind !== "saved") return refused(saved);
  const row = await database.run(findPoolKey, { ...of, id: saved.id });
  if (row === null) return problem("not_found");
  const data = { ...dataOf(row), key: saved.issuedKey };
  const path = `/api/manage/v1/accounts/${of.accountId}/pools/${of.poolId}/keys/${saved.id}`;
  return created(path, { success: true, message: "The key has been created.", data });
});

export const getPoolKeyRoute = endpoint({
  ...about,
  method: "GET",
  path: `${poolPath}/keys/{key}`,
  name: "getPoolKey",
  summary: "Get a key of a pool",
  params: keyParams,
  replies: { 200: poolKeyReply },
  problems: ["not_found"],
})(async (call) => {
  const row = await findKey(call);
  if (row === null) return problem("not_found");
  return { status: 200, body: { success: true, message: "Key found.", data: dataOf(row) } };
});

export const updatePoolKeyRoute = endpoint({
  ...about,
  method: "PATCH",
  path: `${poolPath}/keys/{key}`,
  name: "updatePoolKey",
  summary: "Update a key of a pool",
  description:
    "Only the fields of the request change, also inside `limits` and `budget`. The remaining amount of a limit changes by the same difference.",
  params: keyParams,
  body: keyChanges.meta({ id: "UpdatePoolKeyRequest" }),
  replies: { 200: poolKeyReply },
  problems: ["not_found", "conflict"],
})(async (call) => {
  const input = validate(keyChanges, call.body.value);
  if (isProblem(input)) return input;
  const { pool, key } = call.params;
  if (!isId(pool) || !isId(key)) return problem("not_found");
  const poolRef = { accountId: call.account.id, poolId: pool };
  const changed = await updateKey(call.core, poolRef, key, input.value);
  if (changed.kind === "revoked")
    return problem("conflict", { message: "The key was revoked. Create another one." });
  if (changed.kind !== "saved") return refused(changed);
  const row = await findKey(call);
  if (row === null) return problem("not_found");
  return { status: 200, body: { success: true, message: "The key has been updated.", data: dataOf(row) } };
});

export const revokePoolKeyRoute = endpoint({
  ...about,
  method: "DELETE",
  path: `${poolPath}/keys/{key}`,
  name: "revokePoolKey",
  summary: "Revoke a key of a pool",
  description:
    "The key stops working within 5 s in every process, and its deferred completions are cancelled. It stays in the list, so that its usage keeps a name, until another key takes the name.",
  params: keyParams,
  replies: { 204: noContent },
  problems: ["not_found"],
})(async ({ core, account, params: { pool, key } }) => {
  if (!isId(pool) || !isId(key)) return problem("not_found");
  const row = await revokeKey(core, { accountId: account.id, poolId: pool }, key);
  if (row === null) return problem("not_found");
  return deleted;
});
