// Accounts with their keys, plans and credit.

import type { Channel } from "#contract/messages/channel.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { AccountsTable, GatewaysTable } from "#store/schema/schema.ts";
import { insertEntries, lockCredits } from "./ledger.ts";

export type GatewayHead = Pick<
  GatewaysTable,
  | "id"
  | "identifier"
  | "channel"
  | "kind"
  | "active"
  | "is_default"
  | "test"
  | "counting"
  | "mail_sender"
  | "draining_at"
>;

export interface AccountRow extends AccountsTable {
  gateways: GatewayHead[];
}

/** The account with its gateways, oldest first. */
export async function withGateways(tx: Tx, account: AccountsTable | undefined): Promise<AccountRow | null> {
  if (!account) return null;
  const gateways = await tx.db
    .selectFrom("gateways")
    .select([
      "id",
      "identifier",
      "channel",
      "kind",
      "active",
      "is_default",
      "test",
      "counting",
      "mail_sender",
      "draining_at",
    ])
    .where("account_id", "=", account.id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return { ...account, gateways };
}

/** The account that holds the API key with this SHA-256 (hex), with its gateways, oldest first. */
export const findAccountByKey = readOperation("findAccountByKey", async (tx, hash: string) => {
  const account = await tx.db
    .selectFrom("accounts")
    .innerJoin("api_keys", "api_keys.account_id", "accounts.id")
    .selectAll("accounts")
    .where("api_keys.hash", "=", hash)
    .executeTakeFirst();
  return withGateways(tx, account);
});

export const findAccountByName = readOperation("findAccountByName", async (tx, name: string) => {
  const account = await tx.db.selectFrom("accounts").selectAll().where("name", "=", name).executeTakeFirst();
  return withGateways(tx, account);
});

export const findAccount = readOperation("findAccount", async (tx, id: string) => {
  const account = await tx.db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
  return withGateways(tx, account);
});

export const countAccounts = readOperation("countAccounts", async (tx, _: null) => {
  const { count } = await tx.db
    .selectFrom("accounts")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
});

/** Locks an account's row, to serialise changes of what belongs to it. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.db
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", accountId)
    .modifyEnd(tx.lock("update"))
    .execute();
}

interface NewApiKey {
  accountId: string;
  hash: string;
  hint: string;
  sealed: string | null;
  at: number;
  /** Until when the previous key works too; null if it stops working now. */
  previousWorksUntil: number | null;
}

/** Makes this the account's key. Keys older than the one that it replaces stop working. */
export const replaceApiKey = writeOperation("replaceApiKey", async (tx, key: NewApiKey) => {
  const { accountId, hash, hint, sealed, at, previousWorksUntil } = key;
  // Two concurrent changes would not see each other's new key, and both keys would stay valid.
  await lockAccount(tx, accountId);
  let replaced = tx.db.deleteFrom("api_keys").where("account_id", "=", accountId);
  if (previousWorksUntil !== null)
    replaced = replaced.where((eb) => eb.or([eb("works_until", "is not", null), eb("hash", "=", hash)]));
  await replaced.execute();
  if (previousWorksUntil !== null)
    await tx.db
      .updateTable("api_keys")
      // The earlier key can no longer be shown.
      .set({ works_until: previousWorksUntil, sealed: null })
      .where("account_id", "=", accountId)
      .execute();
  await tx.db
    .insertInto("api_keys")
    .values({
      hash,
      account_id: accountId,
      sealed,
      created_at: at,
      hint,
      works_until: null,
      last_used_at: null,
    })
    .execute();
  tx.changes.add("accounts");
  tx.changes.topic(accountId, "account");
});

/**
 * The row of the account's key, and until when the previous one works; `sealed` is null if no copy was kept. Null if the account has no
 * key.
 */
export const findApiKey = readOperation("findApiKey", async (tx, accountId: string) => {
  const rows = await tx.db.selectFrom("api_keys").selectAll().where("account_id", "=", accountId).execute();
  const key = rows.find(({ works_until }) => works_until === null);
  const before = rows.find(({ works_until }) => works_until !== null);
  return key ? { ...key, previous_works_until: before?.works_until ?? null } : null;
});

export interface AllowanceChange {
  accountId: string;
  channel: Channel;
  /** Null for unlimited, which removes the balance. */
  allowance: number | null;
  renews: "monthly" | null;
  at: number;
  /** The id of the ledger's entry. */
  id: string;
}

/**
 * Sets a channel's allowance; null removes it (unlimited). A changed allowance keeps what was used: the balance moves by the difference and
 * stops at zero. Every change is an entry of the ledger, including the end of a balance, so that the entries of the next one start from
 * zero. The transaction holds the account's lock (`lockAccount`): two first balances would not see each other.
 */
export async function applyAllowance(tx: Tx, input: AllowanceChange): Promise<void> {
  const { accountId, channel, allowance, renews, at, id } = input;
  const current = (await lockCredits(tx, [{ accountId, channel }])).get(`${accountId} ${channel}`);
  const note = (kind: "opening" | "allowance", amount: number, remaining: number, why: string) =>
    insertEntries(tx, [
      { account_id: accountId, channel, kind, reference: id, at, amount, remaining, note: why },
    ]);
  if (allowance === null) {
    if (!current) return;
    await tx.db
      .deleteFrom("credits")
      .where("account_id", "=", accountId)
      .where("channel", "=", channel)
      .execute();
    if (current.remaining > 0) await note("allowance", -current.remaining, 0, "Unlimited from here on.");
    return;
  }
  if (!current) {
    const fresh = { account_id: accountId, channel, allowance, remaining: allowance, bonus: 0 };
    await tx.db
      .insertInto("credits")
      .values({ ...fresh, renews, renewed_at: at })
      .execute();
    await note("opening", allowance, allowance, `Allowance ${allowance}.`);
    return;
  }
  const remaining = Math.max(0, current.remaining + allowance - current.allowance);
  await tx.db
    .updateTable("credits")
    .set({ allowance, renews, remaining })
    .where("account_id", "=", accountId)
    .where("channel", "=", channel)
    .execute();
  const amount = remaining - current.remaining;
  if (amount !== 0) await note("allowance", amount, remaining, `Allowance ${allowance}.`);
}

export const readCredits = readOperation("readCredits", async (tx, accountId: string) =>
  tx.db.selectFrom("credits").selectAll().where("account_id", "=", accountId).execute(),
);
