// The hooks of accounts. All operations for the management API take the account, and find nothing of other accounts.

import { maxHooks } from "#contract/limits.ts";
import { type AccountRow, lockAccount, withGateways } from "#store/accounts/accounts.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { Overtaken } from "#store/revision.ts";
import type { HooksTable } from "#store/schema/hooks.ts";

/** The context in which the last body of a hook is sealed. */
export const lastBodyContext = (hookId: string) => `hooks ${hookId} last_body`;

/** A hook without its last body, which only its preview reads. */
export type HookRow = Omit<HooksTable, "alerts_failed_at" | "last_body">;

export const hookColumns = [
  "id",
  "account_id",
  "name",
  "hash",
  "hint",
  "rules",
  "last_received_at",
  "last_outcome",
  "alerts",
  "revision",
  "created_at",
  "updated_at",
] as const satisfies (keyof HookRow)[];

export interface FoundHook {
  hook: HookRow;
  account: AccountRow;
}

async function findWithAccount(tx: Tx, column: "hash" | "id", value: string): Promise<FoundHook | null> {
  const hook = await tx.db
    .selectFrom("hooks")
    .select(hookColumns)
    .where(column, "=", value)
    .executeTakeFirst();
  if (!hook) return null;
  const row = await tx.db
    .selectFrom("accounts")
    .selectAll()
    .where("id", "=", hook.account_id)
    .executeTakeFirst();
  const account = await withGateways(tx, row);
  return account && { hook, account };
}

/** The hook of the key with this SHA-256 (hex), with its account; null if there is none. */
export const findHookByKey = readOperation("findHookByKey", (tx, hash: string) =>
  findWithAccount(tx, "hash", hash),
);

/** The hook with this id, of any account, with its account; null if there is none. */
export const findHook = readOperation("findHook", (tx, id: string) => findWithAccount(tx, "id", id));

/** The id of the hook of the key with this SHA-256 (hex), and its account; null if no account has one. */
export const findHookHolder = readOperation("findHookHolder", async (tx, hash: string) => {
  const row = await tx.db
    .selectFrom("hooks")
    .select(["id", "account_id", "name"])
    .where("hash", "=", hash)
    .executeTakeFirst();
  return row ?? null;
});

/** The account's hooks, oldest first, or the one with `id`. */
export const readHooks = readOperation(
  "readHooks",
  async (tx, input: { accountId: string; id: string | null }): Promise<HookRow[]> => {
    let query = tx.db.selectFrom("hooks").select(hookColumns).where("account_id", "=", input.accountId);
    if (input.id !== null) query = query.where("id", "=", input.id);
    return await query.orderBy("created_at").orderBy("id").execute();
  },
);

export const findHookByName = readOperation(
  "findHookByName",
  async (tx, input: { accountId: string; name: string }): Promise<HookRow | null> => {
    const row = await tx.db
      .selectFrom("hooks")
      .select(hookColumns)
      .where("account_id", "=", input.accountId)
      .where("name", "=", input.name)
      .executeTakeFirst();
    return row ?? null;
  },
);

/** The last body of the account's hook, sealed; null if there is none. */
export const readLastBody = readOperation(
  "readLastBody",
  async (tx, input: { accountId: string; id: string }): Promise<string | null> => {
    const row = await tx.db
      .selectFrom("hooks")
      .select("last_body")
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    return row?.last_body ?? null;
  },
);

/**
 * Stores a new hook, or changes one; what it received last stays. The row's `revision` is the one from which the change was computed, 0 for
 * a new hook.
 */
export const saveHook = writeOperation(
  "saveHook",
  async (tx, hook: HookRow): Promise<"saved" | "name_taken" | "key_taken" | "too_many" | Overtaken> => {
    // Two concurrent changes to one name would not see each other.
    await lockAccount(tx, hook.account_id);
    const all = await tx.db
      .selectFrom("hooks")
      .select(["id", "name"])
      .where("account_id", "=", hook.account_id)
      .execute();
    if (all.some(({ id, name }) => name === hook.name && id !== hook.id)) return "name_taken";
    const holder = await tx.db
      .selectFrom("hooks")
      .select("id")
      .where("hash", "=", hook.hash)
      .executeTakeFirst();
    if (holder && holder.id !== hook.id) return "key_taken";
    const isNew = hook.revision === 0;
    if (isNew && all.length >= maxHooks) return "too_many";
    tx.changes.topic(hook.account_id, "hooks");
    const revision = hook.revision + 1;
    if (isNew) {
      await tx.db
        .insertInto("hooks")
        .values({ ...hook, last_body: null, alerts_failed_at: null, revision })
        .execute();
      return "saved";
    }
    const { name, hash, hint, rules, alerts, updated_at } = hook;
    // Switched on again, it begins anew.
    const alertsOff = alerts === 0 ? { alerts_failed_at: null } : {};
    const changed = await tx.db
      .updateTable("hooks")
      .set({ name, hash, hint, rules, alerts, ...alertsOff, updated_at, revision })
      .where("id", "=", hook.id)
      .where("account_id", "=", hook.account_id)
      .where("revision", "=", hook.revision)
      .returning("id")
      .executeTakeFirst();
    if (changed && alerts === 0) await removeCauses(tx, hook.id);
    return changed ? "saved" : "overtaken";
  },
);

/** Gives the account's hook another key. False if the account has no such hook. */
export const rotateHookKey = writeOperation(
  "rotateHookKey",
  async (tx, input: { accountId: string; id: string; hash: string; hint: string; at: number }) => {
    const changed = await tx.db
      .updateTable("hooks")
      .set((eb) => ({
        hash: input.hash,
        hint: input.hint,
        updated_at: input.at,
        revision: eb("revision", "+", 1),
      }))
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .returning("id")
      .executeTakeFirst();
    if (!changed) return false;
    tx.changes.topic(input.accountId, "hooks");
    return true;
  },
);

/** Records what a hook received. It is no change of the hook, so its revision stays. */
export const noteHookBody = writeOperation(
  "noteHookBody",
  async (
    tx,
    input: { accountId: string; id: string; body: string | null; outcome: string; at: number },
  ): Promise<void> => {
    await tx.db
      .updateTable("hooks")
      .set({ last_body: input.body, last_outcome: input.outcome, last_received_at: input.at })
      .where("id", "=", input.id)
      .execute();
    tx.changes.topic(input.accountId, "hooks");
  },
);

const removeCauses = (tx: Tx, hookId: string) =>
  tx.db.deleteFrom(tx.indexed("alert_causes", "alert_causes_once")).where("hook_id", "=", hookId).execute();

/** False if the account has no such hook. Its messages stay. */
export const removeHook = writeOperation(
  "removeHook",
  async (tx, input: { accountId: string; id: string }): Promise<boolean> => {
    const own = await tx.db
      .selectFrom("hooks")
      .select("id")
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    if (!own) return false;
    await removeCauses(tx, own.id);
    const gone = await tx.db
      .deleteFrom("hooks")
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .returning("id")
      .execute();
    if (gone.length > 0) tx.changes.topic(input.accountId, "hooks");
    return gone.length > 0;
  },
);
