// Pools with their members and keys. All operations for the management API take the account, and find nothing of other accounts. Every
// change of a pool or of one of its members increases the pool's revision.

import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { maxMembers, maxPools } from "#contract/limits.ts";
import { lockAccount } from "#store/accounts/accounts.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { Overtaken } from "#store/revision.ts";
import type { PoolKeysTable, PoolMembersTable, PoolsTable } from "#store/schema/pools.ts";
import type { Schema } from "#store/schema/schema.ts";

/** The context in which a member's settings are sealed. */
export const memberSettingsContext = (memberId: string) => `pool_members ${memberId} settings`;

export interface PoolWithMembers {
  pool: PoolsTable;
  /** Oldest first. */
  members: PoolMembersTable[];
}

/** The pool and account of a pool key. */
export interface PoolByKey extends PoolWithMembers {
  key: PoolKeysTable;
  /** For local days and months. */
  timeZone: string;
  /** JSON of `SharedBudgetRules`; null if there are none. */
  accountBudget: string | null;
}

/**
 * The key with this SHA-256 (hex) that is not revoked, with its pool; the caller, which has the clock, checks whether it has expired. With
 * the text before the last rotation the key expires when that does.
 */
export const findPoolByKey = readOperation(
  "findPoolByKey",
  async (tx, hash: string): Promise<PoolByKey | null> => {
    const found = await poolByKey(tx, (key) =>
      key.or([key("hash", "=", hash), key("previous_hash", "=", hash)]),
    );
    if (found === null || found.key.hash === hash) return found;
    const { expires_at, previous_works_until } = found.key;
    const ends = Math.min(expires_at ?? Number.POSITIVE_INFINITY, previous_works_until ?? 0);
    return { ...found, key: { ...found.key, expires_at: ends } };
  },
);

/** The same for the key with this id. */
export const findPoolByKeyId = readOperation(
  "findPoolByKeyId",
  async (tx, id: string): Promise<PoolByKey | null> => await poolByKey(tx, (key) => key("id", "=", id)),
);

async function poolByKey(
  tx: Tx,
  isIt: (key: ExpressionBuilder<Schema, "pool_keys">) => Expression<SqlBool>,
): Promise<PoolByKey | null> {
  const key = await tx.db
    .selectFrom("pool_keys")
    .selectAll()
    .where(isIt)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (!key) return null;
  const row = await tx.db
    .selectFrom("pools")
    .innerJoin("accounts", "accounts.id", "pools.account_id")
    .selectAll("pools")
    .select(["accounts.time_zone", "accounts.ai_budget"])
    .where("pools.id", "=", key.pool_id)
    .executeTakeFirst();
  if (!row) return null;
  const { time_zone, ai_budget, ...pool } = row;
  // After the pool: members that are newer than its revision are read again, whereas older ones would stay.
  const members = await membersOf(tx, [pool.id]);
  return { key, timeZone: time_zone, accountBudget: ai_budget, pool, members };
}

async function membersOf(tx: Tx, poolIds: readonly string[]): Promise<PoolMembersTable[]> {
  if (poolIds.length === 0) return [];
  return await tx.db
    .selectFrom("pool_members")
    .selectAll()
    .where("pool_id", "in", poolIds)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** The account's pools, oldest first, or the one with `id`. */
export const readPools = readOperation(
  "readPools",
  async (tx, input: { accountId: string; id: string | null }): Promise<PoolWithMembers[]> => {
    let query = tx.db.selectFrom("pools").selectAll().where("account_id", "=", input.accountId);
    if (input.id !== null) query = query.where("id", "=", input.id);
    const pools = await query.orderBy("created_at").orderBy("id").execute();
    const members = await membersOf(
      tx,
      pools.map(({ id }) => id),
    );
    return pools.map((pool) => ({ pool, members: members.filter(({ pool_id }) => pool_id === pool.id) }));
  },
);

/** The account's pool of this name, with its members and all its keys, including revoked ones. */
export const findPoolByName = readOperation(
  "findPoolByName",
  async (
    tx,
    input: { accountId: string; name: string },
  ): Promise<(PoolWithMembers & { keys: PoolKeysTable[] }) | null> => {
    const pool = await tx.db
      .selectFrom("pools")
      .selectAll()
      .where("account_id", "=", input.accountId)
      .where("name", "=", input.name)
      .executeTakeFirst();
    if (!pool) return null;
    const keys = await tx.db.selectFrom("pool_keys").selectAll().where("pool_id", "=", pool.id).execute();
    return { pool, members: await membersOf(tx, [pool.id]), keys };
  },
);

export type SavePoolResult = "saved" | "name_taken" | "too_many" | "provisioned" | Overtaken;

/** The name under which the provisioning file's digest of a pool is stored. */
export const provisionKey = (accountName: string, poolName: string) => `${accountName} ${poolName}`;

/**
 * Stores a new pool, or changes one. The row's `revision` is the one from which the change was computed, 0 for a new pool. `provisioned`:
 * the provisioning file identifies the pool by its name, and would create it again under the old one.
 */
export const savePool = writeOperation("savePool", async (tx, pool: PoolsTable): Promise<SavePoolResult> => {
  const isNew = pool.revision === 0;
  // Two concurrent changes to one name would not see each other.
  await lockAccount(tx, pool.account_id);
  const all = await tx.db
    .selectFrom("pools")
    .select(["id", "name"])
    .where("account_id", "=", pool.account_id)
    .execute();
  const before = all.find(({ id }) => id === pool.id);
  if (!isNew && !before) return "overtaken";
  if (all.some(({ id, name }) => name === pool.name && id !== pool.id)) return "name_taken";
  if (before && before.name !== pool.name && (await isProvisioned(tx, pool.account_id, before.name)))
    return "provisioned";
  if (isNew && all.length >= maxPools) return "too_many";
  tx.changes.add("pools");
  tx.changes.topic(pool.account_id, "pools");
  const { id, account_id, created_at: _created, ...columns } = pool;
  const revision = pool.revision + 1;
  if (isNew) {
    await tx.db
      .insertInto("pools")
      .values({ ...pool, revision })
      .execute();
    return "saved";
  }
  const changed = await tx.db
    .updateTable("pools")
    .set({ ...columns, revision })
    .where("id", "=", id)
    .where("account_id", "=", account_id)
    .where("revision", "=", pool.revision)
    .returning("id")
    .executeTakeFirst();
  return changed ? "saved" : "overtaken";
});

async function isProvisioned(tx: Tx, accountId: string, poolName: string): Promise<boolean> {
  const account = await tx.db
    .selectFrom("accounts")
    .select("name")
    .where("id", "=", accountId)
    .executeTakeFirst();
  const mark = await tx.db
    .selectFrom("provisioned")
    .select("name")
    .where("kind", "=", "pool")
    .where("name", "=", provisionKey(account?.name ?? "", poolName))
    .executeTakeFirst();
  return mark !== undefined;
}

interface Whose {
  accountId: string;
  poolId: string;
}

/** Locks the account's pool, to serialise changes of what belongs to it. */
export async function lockPool(tx: Tx, { accountId, poolId }: Whose): Promise<boolean> {
  const row = await tx.db
    .selectFrom("pools")
    .select("id")
    .where("id", "=", poolId)
    .where("account_id", "=", accountId)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
  return row !== undefined;
}

async function moveRevision(tx: Tx, { accountId, poolId }: Whose, at: number): Promise<void> {
  tx.changes.add("pools");
  tx.changes.topic(accountId, "pools");
  await tx.db
    .updateTable("pools")
    .set((eb) => ({ revision: eb("revision", "+", 1), updated_at: at }))
    .where("id", "=", poolId)
    .execute();
}

/**
 * Removes a pool with its members, keys, stored answers and deferred completions; its usage is kept. The contents of its calls can no
 * longer be read, and the maintenance deletes them in batches. False if the account has no such pool.
 */
export const removePool = writeOperation("removePool", async (tx, whose: Whose): Promise<boolean> => {
  if (!(await lockPool(tx, whose))) return false;
  const { poolId } = whose;
  tx.changes.add("pools", "lanes");
  tx.changes.topic(whose.accountId, "calls", "keys", "pools");
  for (const table of ["key_buckets", "key_slots"] as const) {
    await tx.db
      .deleteFrom(table)
      .where("key_id", "in", (eb) => eb.selectFrom("pool_keys").select("id").where("pool_id", "=", poolId))
      .execute();
  }
  // Only its keys could read its answers.
  await tx.db.deleteFrom("deferred_completions").where("pool_id", "=", poolId).execute();
  await tx.db.deleteFrom("pool_answers").where("pool_id", "=", poolId).execute();
  await tx.db.deleteFrom("lanes").where("id", "=", poolId).execute();
  await tx.db.deleteFrom("pool_keys").where("pool_id", "=", poolId).execute();
  await tx.db.deleteFrom("pool_members").where("pool_id", "=", poolId).execute();
  await tx.db.deleteFrom("pools").where("id", "=", poolId).execute();
  return true;
});

export type SaveMemberResult = "saved" | "not_found" | "name_taken" | "too_many" | Overtaken;

/**
 * Stores a new member, or changes one. The row's `revision` is the one from which the change was computed, 0 for a new member. `not_found`:
 * the account has no such pool.
 */
export const saveMember = writeOperation(
  "saveMember",
  async (tx, member: PoolMembersTable): Promise<SaveMemberResult> => {
    const isNew = member.revision === 0;
    const { account_id: accountId, pool_id: poolId } = member;
    if (!(await lockPool(tx, { accountId, poolId }))) return "not_found";
    const all = await tx.db
      .selectFrom("pool_members")
      .select(["id", "name", "revision"])
      .where("pool_id", "=", poolId)
      .execute();
    if (!isNew && all.find(({ id }) => id === member.id)?.revision !== member.revision) return "overtaken";
    if (all.some(({ id, name }) => name === member.name && id !== member.id)) return "name_taken";
    if (isNew && all.length >= maxMembers) return "too_many";
    const row = { ...member, revision: member.revision + 1 };
    if (isNew) await tx.db.insertInto("pool_members").values(row).execute();
    else {
      const { id, pool_id: _pool, account_id: _account, created_at: _created, ...columns } = row;
      await tx.db.updateTable("pool_members").set(columns).where("id", "=", id).execute();
    }
    await moveRevision(tx, { accountId, poolId }, member.updated_at);
    return "saved";
  },
);

/** False if the account's pool has no such member. */
export const removeMember = writeOperation(
  "removeMember",
  async (tx, input: Whose & { id: string; at: number }): Promise<boolean> => {
    if (!(await lockPool(tx, input))) return false;
    const gone = await tx.db
      .deleteFrom("pool_members")
      .where("id", "=", input.id)
      .where("pool_id", "=", input.poolId)
      .returning("id")
      .execute();
    if (gone.length === 0) return false;
    await moveRevision(tx, input, input.at);
    return true;
  },
);
