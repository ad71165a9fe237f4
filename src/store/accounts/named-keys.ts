// An account's named keys, and the owner of each key text. A revoked key stays as a row, so that its id in the log still has a name, until
// another key takes that name.

import { maxNamedKeys } from "#contract/limits.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { roomFor } from "#store/key-room.ts";
import type { Overtaken } from "#store/revision.ts";
import type { NamedKeysTable } from "#store/schema/keys.ts";
import { type AccountRow, lockAccount, withGateways } from "./accounts.ts";

/** The key that a text belongs to. Times are epoch ms. */
export interface KeyHolder {
  account: AccountRow;
  /** Null for the personal key. */
  named: Pick<NamedKeysTable, "id" | "name" | "rules"> | null;
  /** When the text stops working; null if it does not. */
  endsAt: number | null;
  lastUsedAt: number | null;
}

const earlier = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The account and the key of the text with this SHA-256 (hex); null if there is none, or it is revoked. */
export const findKeyHolder = readOperation("findKeyHolder", async (tx, hash: string) => {
  const personal = await tx.db
    .selectFrom("api_keys")
    .select(["account_id", "works_until", "last_used_at"])
    .where("hash", "=", hash)
    .executeTakeFirst();
  const named = personal
    ? undefined
    : await tx.db
        .selectFrom("named_keys")
        .selectAll()
        .where((eb) => eb.or([eb("hash", "=", hash), eb("previous_hash", "=", hash)]))
        .executeTakeFirst();
  const accountId = (personal ?? named)?.account_id;
  if (accountId === undefined || (named && named.revoked_at !== null)) return null;
  const row = await tx.db.selectFrom("accounts").selectAll().where("id", "=", accountId).executeTakeFirst();
  const account = await withGateways(tx, row);
  if (account === null) return null;
  if (!named) return holder(account, null, personal?.works_until ?? null, personal?.last_used_at ?? null);
  const { id, name, rules, expires_at } = named;
  const textEndsAt = named.hash === hash ? null : (named.previous_works_until ?? 0);
  return holder(account, { id, name, rules }, earlier(expires_at, textEndsAt), named.last_used_at);
});

const holder = (
  account: AccountRow,
  named: KeyHolder["named"],
  endsAt: number | null,
  lastUsedAt: number | null,
): KeyHolder => ({ account, named, endsAt, lastUsedAt });

/** Records when a key was last used. `keyId` null: the personal key with this hash. */
export const noteKeyUse = writeOperation(
  "noteKeyUse",
  async (tx, { keyId, hash, at }: { keyId: string | null; hash: string; at: number }) => {
    const use = { last_used_at: at };
    if (keyId === null) await tx.db.updateTable("api_keys").set(use).where("hash", "=", hash).execute();
    else await tx.db.updateTable("named_keys").set(use).where("id", "=", keyId).execute();
  },
);

/** One key of the account, including revoked ones. */
export const findNamedKey = readOperation(
  "findNamedKey",
  async (tx, input: { accountId: string; id: string }) => {
    const key = await tx.db
      .selectFrom("named_keys")
      .selectAll()
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    return key ?? null;
  },
);

/** The account's keys, newest first, before an id (null: the newest of all), including revoked ones. */
export const listNamedKeys = readOperation(
  "listNamedKeys",
  async (tx, input: { accountId: string; before: string | null; limit: number }) => {
    let query = tx.db.selectFrom("named_keys").selectAll().where("account_id", "=", input.accountId);
    if (input.before !== null) query = query.where("id", "<", input.before);
    return await query.orderBy("id", "desc").limit(input.limit).execute();
  },
);

/**
 * Stores a new key, or changes one. The row's `revision` is the one from which the change was computed, 0 for a new key. Revoking and
 * rotating a key change its revision, so a change never restores what has ended meanwhile. `too_many`: the account has the maximum number
 * of keys. As many revoked ones are kept, for their names.
 */
export const saveNamedKey = writeOperation(
  "saveNamedKey",
  async (tx, key: NamedKeysTable): Promise<"saved" | "name_taken" | "too_many" | Overtaken> => {
    await lockAccount(tx, key.account_id);
    announce(tx, key.account_id);
    const named = await tx.db
      .selectFrom("named_keys")
      .select(["id", "revoked_at"])
      .where("account_id", "=", key.account_id)
      .where("name", "=", key.name)
      .where("id", "!=", key.id)
      .executeTakeFirst();
    if (named && named.revoked_at === null) return "name_taken";
    const remove = (id: string) => tx.db.deleteFrom("named_keys").where("id", "=", id).execute();
    const row = { ...key, revision: key.revision + 1 };
    if (key.revision === 0) {
      const rows = await tx.db
        .selectFrom("named_keys")
        .select(["id", "revoked_at"])
        .where("account_id", "=", key.account_id)
        .orderBy("revoked_at")
        .execute();
      const { isFull, goes } = roomFor(rows, maxNamedKeys);
      if (isFull) return "too_many";
      const removed = named?.id ?? goes;
      if (removed !== null) await remove(removed);
      await tx.db.insertInto("named_keys").values(row).execute();
      return "saved";
    }
    if (named) await remove(named.id);
    const { name, rules, expires_at, revision, updated_at } = row;
    const changed = await tx.db
      .updateTable("named_keys")
      .set({ name, rules, expires_at, revision, updated_at })
      .where("id", "=", key.id)
      .where("account_id", "=", key.account_id)
      .where("revision", "=", key.revision)
      .returning("id")
      .executeTakeFirst();
    return changed ? "saved" : "overtaken";
  },
);

function announce(tx: Tx, accountId: string): void {
  tx.changes.add("accounts");
  tx.changes.topic(accountId, "account");
}

/** A change of one key of an account at `at` (epoch ms). */
interface KeyChange {
  accountId: string;
  id: string;
  at: number;
}

/** Gives a key another text. `previousWorksUntil` is null if the previous text ends now. `revoked`: the key no longer has a text. */
export const rotateNamedKey = writeOperation(
  "rotateNamedKey",
  async (
    tx,
    input: KeyChange & { hash: string; hint: string; previousWorksUntil: number | null },
  ): Promise<"rotated" | "revoked" | "not_found"> => {
    const { accountId, id, at, hash, hint, previousWorksUntil } = input;
    const key = await tx.db
      .selectFrom("named_keys")
      .selectAll()
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (!key) return "not_found";
    if (key.revoked_at !== null) return "revoked";
    announce(tx, accountId);
    const previous_hash = previousWorksUntil === null ? null : key.hash;
    const text = { hash, hint, previous_hash, previous_works_until: previousWorksUntil };
    await tx.db
      .updateTable("named_keys")
      .set({ ...text, revision: key.revision + 1, updated_at: at })
      .where("id", "=", id)
      .execute();
    return "rotated";
  },
);

/** Revokes a key; revoking it again has no effect. False if the account has no such key. */
export const revokeNamedKey = writeOperation(
  "revokeNamedKey",
  async (tx, { accountId, id, at }: KeyChange): Promise<boolean> => {
    const key = await tx.db
      .selectFrom("named_keys")
      .select(["revision", "revoked_at"])
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (!key) return false;
    announce(tx, accountId);
    if (key.revoked_at !== null) return true;
    const change = { revoked_at: at, previous_hash: null, previous_works_until: null };
    await tx.db
      .updateTable("named_keys")
      .set({ ...change, revision: key.revision + 1, updated_at: at })
      .where("id", "=", id)
      .execute();
    return true;
  },
);
