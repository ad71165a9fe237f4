// The pools of an account: GET and POST /api/manage/v1/accounts/{account}/pools, and one of them by its id. Their
// members and keys have files of their own.

import { createPool, deletePool, poolFieldsOf, type SavePoolResult, updatePool } from "#configure/pool.ts";
import { poolChanges, poolFields } from "#configure/pool-input.ts";
import { memberInputOf } from "#configure/pool-member.ts";
import { idParam } from "#contract/envelope.ts";
import {
  type PoolMemberReplyData,
  type PoolReplyData,
  poolReply,
  poolsReply,
} from "#contract/manage/pools.ts";
import { isProblem, problem } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import { isoTime } from "#contract/time.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { createdAs } from "#http/reply/created.ts";
import { refused } from "#http/reply/refused.ts";
import { accountParam } from "#http/routes/manage/accounts/accounts.ts";
import { validate } from "#http/validate.ts";
import { findProvider } from "#providers/registry.ts";
import { masked } from "#settings/secrets.ts";
import { type PoolWithMembers, readPools } from "#store/pools/pools.ts";
import type { PoolMembersTable } from "#store/schema/pools.ts";

const params = { account: accountParam };
export const poolParams = { ...params, pool: idParam("The pool's id.") };
export const poolPath = "/api/manage/v1/accounts/{account}/pools/{pool}";

export type PoolCall = Pick<ManageAccountCall, "core" | "account" | "params">;

/** A member as it may be shown. */
export function memberData({ core }: Pick<PoolCall, "core">, row: PoolMembersTable): PoolMemberReplyData {
  const { sealer } = core;
  const { settings, context_tokens, price, ...input } = memberInputOf(sealer, row);
  const provider = findProvider(row.kind);
  return {
    id: row.id,
    ...input,
    context_tokens: context_tokens ?? null,
    // Of a kind that no longer exists, it is not known which settings are secret.
    settings: provider ? masked(provider.settings, settings) : {},
    price: price ?? null,
    revision: row.revision,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

function dataOf(call: Pick<PoolCall, "core">, { pool, members }: PoolWithMembers): PoolReplyData {
  return {
    id: pool.id,
    ...poolFieldsOf(pool),
    members: members.map((member) => memberData(call, member)),
    revision: pool.revision,
    created_at: isoTime(pool.created_at),
    updated_at: isoTime(pool.updated_at),
  };
}

/** The account's pool that the path names, or null. */
export async function findPool({
  core,
  account,
  params: { pool },
}: PoolCall): Promise<PoolWithMembers | null> {
  if (!isId(pool)) return null;
  const [found] = await core.database.run(readPools, { accountId: account.id, id: pool });
  return found ?? null;
}

async function poolAnswer(call: PoolCall, id: string, message: string) {
  const found = await findPool({ ...call, params: { ...call.params, pool: id } });
  if (found === null) return problem("not_found");
  return { status: 200 as const, body: { success: true as const, message, data: dataOf(call, found) } };
}

/** The reply to a change: the pool as it is now, or why it was not changed. */
async function savedAnswer(call: PoolCall, saved: SavePoolResult, message: string) {
  if (saved.kind !== "saved") return refused(saved);
  return await poolAnswer(call, saved.id, message);
}

const about = { tag: "Pools", family: "manage", scope: "account" } as const;

export const listPoolsRoute = endpoint({
  ...about,
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/pools",
  name: "listPools",
  summary: "List the account's pools of AI providers",
  params,
  replies: { 200: poolsReply },
  problems: ["not_found"],
})(async (call) => {
  const found = await call.core.database.run(readPools, { accountId: call.account.id, id: null });
  const data = found.map((row) => dataOf(call, row));
  return { status: 200, body: { success: true, message: "Pools found.", data, next_cursor: null } };
});

export const createPoolRoute = endpoint({
  ...about,
  method: "POST",
  path: "/api/manage/v1/accounts/{account}/pools",
  name: "createPool",
  summary: "Create a pool",
  description: "A new pool is empty. Its members serve requests, and its keys authorise callers.",
  params,
  body: poolFields.meta({ id: "CreatePoolRequest" }),
  replies: { 201: poolReply },
  problems: ["not_found"],
})(async (call) => {
  const given = validate(poolFields, call.body.value);
  if (isProblem(given)) return given;
  const made = await createPool(call.core, call.account.id, given.value);
  const shown = await savedAnswer(call, made, "The pool has been created.");
  const path = `/api/manage/v1/accounts/${call.account.id}/pools`;
  return createdAs(shown, ({ data }) => `${path}/${data.id}`);
});

export const getPoolRoute = endpoint({
  ...about,
  method: "GET",
  path: poolPath,
  name: "getPool",
  summary: "Get a pool",
  params: poolParams,
  replies: { 200: poolReply },
  problems: ["not_found"],
})(async (call) => await poolAnswer(call, call.params.pool ?? "", "Pool found."));

export const updatePoolRoute = endpoint({
  ...about,
  method: "PATCH",
  path: poolPath,
  name: "updatePool",
  summary: "Update a pool",
  description:
    "Only the fields of the request change. The name of a pool in the provisioning file cannot be changed.",
  params: poolParams,
  body: poolChanges.meta({ id: "UpdatePoolRequest" }),
  replies: { 200: poolReply },
  problems: ["not_found", "conflict"],
})(async (call) => {
  const given = validate(poolChanges, call.body.value);
  if (isProblem(given)) return given;
  const { pool } = call.params;
  if (!isId(pool)) return problem("not_found");
  const changed = await updatePool(call.core, call.account.id, pool, given.value);
  return await savedAnswer(call, changed, "The pool has been updated.");
});

export const deletePoolRoute = endpoint({
  ...about,
  method: "DELETE",
  path: poolPath,
  name: "deletePool",
  summary: "Delete a pool",
  description: "The members and keys of the pool are deleted too and stop working within 5 s.",
  params: poolParams,
  replies: { 204: noContent },
  problems: ["not_found"],
})(async ({ core, account, params: { pool } }) => {
  if (!isId(pool)) return problem("not_found");
  const removed = await deletePool(core, account.id, pool);
  if (!removed) return problem("not_found");
  return deleted;
});
