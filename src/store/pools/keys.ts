// The keys of pools. A revoked one stays as a row, so that its usage still has a name, until another key takes that name.

import type { ExpressionBuilder } from "kysely";
import { maxPoolKeys } from "#contract/limits.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { roomFor } from "#store/key-room.ts";
import type { Overtaken } from "#store/revision.ts";
import type { PoolKeysTable } from "#store/schema/pools.ts";
import type { Schema } from "#store/schema/schema.ts";
import { lockPool } from "./pools.ts";

/** The key with this SHA-256 (hex), now or before its last rotation, in any pool of any account, including revoked keys. */
export const findKeyHash = readOperation("findKeyHash", async (tx, hash: string) => {
  const key = await tx.db
    .selectFrom("pool_keys")
    .select(["id", "pool_id", "account_id", "name"])
    .where(withText(hash))
    .executeTakeFirst();
  return key ?? null;
});

const withText = (hash: string) => (key: ExpressionBuilder<Schema, "pool_keys">) =>
  key.or([key("hash", "=", hash), key("previous_hash", "=", hash)]);

/** One key of the account's pool, including revoked ones. */
export const findPoolKey = readOperation(
  "findPoolKey",
  async (tx, input: { accountId: string; poolId: string; id: string }) => {
    const key = await tx.db
      .selectFrom("pool_keys")
      .selectAll()
      .where("id", "=", input.id)
      .where("pool_id", "=", input.poolId)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    return key ?? null;
  },
);

/** The pool's keys, newest first, before an id (null: the newest of all), including revoked ones. */
export const listPoolKeys = readOperation(
  "listPoolKeys",
  async (tx, input: { accountId: string; poolId: string; before: string | null; limit: number }) => {
    let query = tx.db
      .selectFrom("pool_keys")
      .selectAll()
      .where("pool_id", "=", input.poolId)
      .where("account_id", "=", input.accountId);
    if (input.before !== null) query = query.where("id", "<", input.before);
    return await query.orderBy("id", "desc").limit(input.limit).execute();
  },
);

export type SaveKeyResult = "saved" | "not_found" | "name_taken" | "key_taken" | "too_many" | Overtaken;

/**
 * Stores a new key, or changes one. The row's `revision` is the one from which the change was computed, 0 for a new key. Revoking a key
 * increases its revision, so a change never restores a key that was revoked meanwhile. `key_taken`: another key has the same text.
 * `not_found`: the account has no such pool. `too_many`: the pool has the maximum number of keys; as many revoked ones are kept.
 */
export const savePoolKey = writeOperation(
  "savePoolKey",
  async (tx, key: PoolKeysTable): Promise<SaveKeyResult> => {
    if (!(await lockPool(tx, { accountId: key.account_id, poolId: key.pool_id }))) return "not_found";
    const named = await tx.db
      .selectFrom("pool_keys")
      .select(["id", "revoked_at"])
      .where("pool_id", "=", key.pool_id)
      .where("name", "=", key.name)
      .where("id", "!=", key.id)
      .executeTakeFirst();
    if (named && named.revoked_at === null) return "name_taken";
    const holder = await tx.db
      .selectFrom("pool_keys")
      .select("id")
      .where(withText(key.hash))
      .executeTakeFirst();
    if (holder && holder.id !== key.id && holder.id !== named?.id) return "key_taken";
    announce(tx, key.account_id);
    const row = { ...key, revision: key.revision + 1 };
    if (key.revision === 0) {
      const rows = await tx.db
        .selectFrom("pool_keys")
        .select(["id", "revoked_at"])
        .where("pool_id", "=", key.pool_id)
        .orderBy("revoked_at")
        .execute();
      const { isFull, goes } = roomFor(rows, maxPoolKeys);
      if (isFull) return "too_many";
      const removed = named?.id ?? goes;
      if (removed !== null) await removeKey(tx, { id: removed, poolId: key.pool_id });
      // Another pool may be getting the same text concurrently.
      const inserted = await tx.db
        .insertInto("pool_keys")
        .values(row)
        .onConflict((conflict) => conflict.column("hash").doNothing())
        .returning("id")
        .executeTakeFirst();
      return inserted ? "saved" : "key_taken";
    }
    const { id, pool_id, account_id: _account, created_at: _created, ...columns } = row;
    const changed = await tx.db
      .updateTable("pool_keys")
      .set(columns)
      .where("id", "=", id)
      .where("pool_id", "=", pool_id)
      .where("revision", "=", key.revision)
      .returning("id")
      .executeTakeFirst();
    return changed ? "saved" : "overtaken";
  },
);

function announce(tx: Tx, accountId: string): void {
  tx.changes.add("pools");
  tx.changes.topic(accountId, "pools", "keys");
}

async function removeKey(tx: Tx, { id, poolId }: { id: string; poolId: string }): Promise<void> {
  await tx.db.deleteFrom("key_buckets").where("key_id", "=", id).execute();
  await tx.db.deleteFrom("key_slots").where("key_id", "=", id).execute();
  await tx.db
    .deleteFrom(tx.indexed("pool_answers", "pool_answers_size"))
    .where("pool_id", "=", poolId)
    .where("key_id", "=", id)
    .execute();
  await tx.db.deleteFrom("pool_keys").where("id", "=", id).execute();
}

/** The key's row after revoking it, now or before; null if the account's pool has none. */
export const revokePoolKey = writeOperation(
  "revokePoolKey",
  async (tx, input: { accountId: string; poolId: string; id: string; at: number }) => {
    const { accountId, poolId, id, at } = input;
    const whose = (key: PoolKeysTable | undefined) =>
      key && key.pool_id === poolId && key.account_id === accountId ? key : null;
    const row = whose(
      await tx.db
        .selectFrom("pool_keys")
        .selectAll()
        .where("id", "=", id)
        .modifyEnd(tx.lock("update"))
        .executeTakeFirst(),
    );
    if (row === null || row.revoked_at !== null) return row;
    announce(tx, accountId);
    const ended = { revoked_at: at, previous_hash: null, previous_works_until: null };
    const change = { ...ended, revision: row.revision + 1, updated_at: at };
    await tx.db.updateTable("pool_keys").set(change).where("id", "=", id).execute();
    return { ...row, ...change };
  },
);

interface Rotation {
  accountId: string;
  poolId: string;
  id: string;
  at: number;
  hash: string;
  hint: string;
  /** Null if the text until now ends at once. */
  previousWorksUntil: number | null;
}

/** Gives a key another text. `revoked`: the key no longer has a text. */
export const rotatePoolKey = writeOperation(
  "rotatePoolKey",
  async (tx, input: Rotation): Promise<"rotated" | "revoked" | "not_found"> => {
    const { accountId, poolId, id, at, hash, hint, previousWorksUntil } = input;
    const key = await tx.db
      .selectFrom("pool_keys")
      .selectAll()
      .where("id", "=", id)
      .where("pool_id", "=", poolId)
      .where("account_id", "=", accountId)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (!key) return "not_found";
    if (key.revoked_at !== null) return "revoked";
    announce(tx, accountId);
    const previous_hash = previousWorksUntil === null ? null : key.hash;
    const text = { hash, hint, previous_hash, previous_works_until: previousWorksUntil };
    await tx.db
      .updateTable("pool_keys")
      .set({ ...text, revision: key.revision + 1, updated_at: at })
      .where("id", "=", id)
      .execute();
    return "rotated";
  },
);
