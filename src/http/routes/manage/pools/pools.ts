// The pools of an account. Their members and keys have separate files.

import { deletePool, pools } from "#configure/pool.ts";
import { idParam } from "#contract/envelope.ts";
import { poolChanges, poolFields, poolReply, poolsReply } from "#contract/manage/pools/pools.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { manageRoutes } from "#http/routes/manage/manage-routes.ts";
import { type PoolWithMembers, readPools } from "#store/pools/pools.ts";
import { memberData, unpricedRemark } from "./unpriced.ts";

const poolParam = idParam("The pool's id.");
export const poolParams = { pool: poolParam };
export const poolPath = "/api/manage/v1/accounts/{account}/pools/{pool}";

export type PoolCall = Pick<ManageAccountCall, "core" | "account" | "params">;

function dataOf(call: Pick<PoolCall, "core">, { pool, members: rows }: PoolWithMembers) {
  return { ...pools.shown(call.core.sealer, pool), members: rows.map((row) => memberData(call, row)) };
}

/** The account's pool in the path. Throws the problem `not_found`. */
export async function findPool({ core, account, params: { pool = "" } }: PoolCall): Promise<PoolWithMembers> {
  const [found] = await core.database.run(readPools, { accountId: account.id, id: pool });
  return orNotFound(found);
}

export const poolRoutes = manageRoutes({
  tag: "Pools",
  operations: ["Pool", "Pools"],
  nouns: ["pool", "pools"],
  path: "/api/manage/v1/accounts/{account}/pools",
  param: ["pool", poolParam],
  replies: { one: poolReply, many: poolsReply },
  remark: async (call, { id, budget }, body) => {
    if (!("budget" in body)) return null;
    const [found] = await call.core.database.run(readPools, { accountId: call.account.id, id });
    return unpricedRemark(call, budget, found?.members ?? []);
  },
  list: {
    summary: "List the account's pools of AI providers",
    run: async (call) => {
      const found = await call.core.database.run(readPools, { accountId: call.account.id, id: null });
      return { data: found.map((row) => dataOf(call, row)), next_cursor: null };
    },
  },
  create: {
    summary: "Create a pool",
    description: "A new pool is empty. Its members serve requests, and its keys authorise callers.",
    body: poolFields.meta({ id: "CreatePoolRequest" }),
    run: ({ core, account }, fields) => pools.create(core, { accountId: account.id }, fields),
  },
  get: {
    summary: "Get a pool",
    run: async (call, pool) => dataOf(call, await findPool({ ...call, params: { pool } })),
  },
  update: {
    summary: "Update a pool",
    description:
      "Only the fields of the request change. The name of a pool in the provisioning file cannot be changed.",
    body: poolChanges.meta({ id: "UpdatePoolRequest" }),
    run: ({ core, account }, id, changes) => pools.update(core, { accountId: account.id }, id, changes),
  },
  delete: {
    summary: "Delete a pool",
    description: "The members and keys of the pool are deleted too and stop working within 5 s.",
    run: ({ core, account }, id) => deletePool(core, account.id, id),
  },
});
