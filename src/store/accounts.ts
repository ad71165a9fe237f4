// Accounts with their keys, plans and credit.

import type { Channel } from "#contract/channel.ts";
import { readOperation, type Tx, writeOperation } from "./database.ts";
import type { AccountsTable, CreditsTable, GatewaysTable } from "./schema.ts";

export type GatewayHead = Pick<
  GatewaysTable,
  "id" | "identifier" | "channel" | "kind" | "active" | "is_default" | "test"
>;

export interface AccountRow extends AccountsTable {
  gateways: GatewayHead[];
}

async function withGateways(tx: Tx, account: AccountsTable | undefined): Promise<AccountRow | null> {
  if (!account) return null;
  const gateways = await tx.db
    .selectFrom("gateways")
    .select(["id", "identifier", "channel", "kind", "active", "is_default", "test"])
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

/** Creates the account, or changes everything but its id, name and creation. */
export const saveAccount = writeOperation("saveAccount", async (tx, account: AccountsTable) => {
  const { id: _id, name: _name, created_at: _created, ...changes } = account;
  await tx.db
    .insertInto("accounts")
    .values(account)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(changes))
    .execute();
});

/** Locks an account's row, for changes of what belongs to it that have to come one after the other. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.db
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", accountId)
    .modifyEnd(tx.lock("update"))
    .execute();
}

/** Makes this the account's only key: whatever worked before stops working. */
export const replaceApiKey = writeOperation(
  "replaceApiKey",
  async (tx, key: { accountId: string; hash: string; sealed: string | null; at: number }) => {
    // Two at once would not see each other's new key, and both would stay.
    await lockAccount(tx, key.accountId);
    await tx.db.deleteFrom("api_keys").where("account_id", "=", key.accountId).execute();
    await tx.db
      .insertInto("api_keys")
      .values({ hash: key.hash, account_id: key.accountId, sealed: key.sealed, created_at: key.at })
      .execute();
  },
);

/**
 * Sets a channel's allowance; null removes it (unlimited). A changed allowance keeps what was used:
 * the balance moves by the difference and stops at zero.
 */
export const setAllowance = writeOperation(
  "setAllowance",
  async (
    tx,
    input: {
      accountId: string;
      channel: Channel;
      allowance: number | null;
      renews: "monthly" | null;
      at: number;
    },
  ) => {
    const { accountId, channel, allowance, renews, at } = input;
    if (allowance === null) {
      await tx.db
        .deleteFrom("credits")
        .where("account_id", "=", accountId)
        .where("channel", "=", channel)
        .execute();
      return;
    }
    const current = (await lockCredits(tx, [{ accountId, channel }])).get(`${accountId} ${channel}`);
    if (!current) {
      await tx.db
        .insertInto("credits")
        .values({ account_id: accountId, channel, allowance, remaining: allowance, renews, renewed_at: at })
        .execute();
      return;
    }
    await tx.db
      .updateTable("credits")
      .set({ allowance, renews, remaining: Math.max(0, current.remaining + allowance - current.allowance) })
      .where("account_id", "=", accountId)
      .where("channel", "=", channel)
      .execute();
  },
);

export const readCredits = readOperation("readCredits", async (tx, accountId: string) =>
  tx.db.selectFrom("credits").selectAll().where("account_id", "=", accountId).execute(),
);

/** Locks balances in one fixed order, so that two transactions never wait for each other in a circle. */
export async function lockCredits(
  tx: Tx,
  wanted: readonly { accountId: string; channel: Channel }[],
): Promise<Map<string, CreditsTable>> {
  const keys = new Map(wanted.map((one) => [`${one.accountId} ${one.channel}`, one]));
  const found = new Map<string, CreditsTable>();
  if (keys.size === 0) return found;
  const rows = await tx.db
    .selectFrom("credits")
    .selectAll()
    .where("account_id", "in", [...new Set([...keys.values()].map(({ accountId }) => accountId))])
    .orderBy("account_id")
    .orderBy("channel")
    .modifyEnd(tx.lock("update"))
    .execute();
  for (const row of rows) found.set(`${row.account_id} ${row.channel}`, row);
  return found;
}
