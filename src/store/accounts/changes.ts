// Creates, changes and lists accounts with their allowances, each in one transaction: an account that exists without the limits of its
// plan, if only for a moment, could send without limit.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { Overtaken } from "#store/revision.ts";
import type { AccountsTable, CreditsTable } from "#store/schema/schema.ts";
import { applyAllowance, lockAccount } from "./accounts.ts";

/** A channel's new allowance; null for unlimited. `id` is that of the ledger's entry. */
export interface NewAllowance {
  channel: Channel;
  allowance: number | null;
  id: string;
}

export interface AccountWithCredits extends AccountsTable {
  credits: CreditsTable[];
}

/** Stores a new account; `name_taken` if another one has its name. */
export const createAccount = writeOperation(
  "createAccount",
  async (
    tx,
    input: { account: AccountsTable; allowances: NewAllowance[]; renews: "monthly" | null },
  ): Promise<"created" | "name_taken"> => {
    const inserted = await tx.db
      .insertInto("accounts")
      .values(input.account)
      .onConflict((conflict) => conflict.column("name").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!inserted) return "name_taken";
    tx.changes.add("accounts");
    tx.changes.topic(input.account.id, "account");
    for (const { channel, allowance, id } of input.allowances) {
      await applyAllowance(tx, {
        accountId: input.account.id,
        channel,
        allowance,
        renews: input.renews,
        at: input.account.created_at,
        id,
      });
    }
    return "created";
  },
);

/** Columns that may change: all except the account's identity and creation. */
export type AccountColumns = Partial<Omit<AccountsTable, "id" | "revision" | "created_at" | "updated_at">>;

/**
 * Changes only the given columns and allowances; `renews`: absent to keep it. `revision`: that of the account from which the change was
 * computed. `provisioned`: the provisioning file identifies the account by its name, and would create it again under the old one.
 */
export const changeAccount = writeOperation(
  "changeAccount",
  async (
    tx,
    input: {
      id: string;
      revision: number;
      columns: AccountColumns;
      allowances: NewAllowance[];
      renews?: "monthly" | null;
      at: number;
    },
  ): Promise<"changed" | "name_taken" | "provisioned" | Overtaken> => {
    const { id, revision, columns, at } = input;
    if (columns.name !== undefined) {
      const refusal = await refuseName(tx, id, columns.name);
      if (refusal) return refusal;
    }
    await lockAccount(tx, id);
    const before = await tx.db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
    if (before?.revision !== revision) return "overtaken";
    tx.changes.add("accounts");
    tx.changes.topic(id, "account");
    await reopenLanes(tx, before, columns);
    await tx.db
      .updateTable("accounts")
      .set({ ...columns, revision: revision + 1, updated_at: at })
      .where("id", "=", id)
      .execute();
    const balances = await tx.db
      .selectFrom("credits")
      .select(["channel", "renews"])
      .where("account_id", "=", id)
      .execute();
    // One plan, one rule: a new balance renews like the others.
    const renews =
      input.renews === undefined ? (balances.some((row) => row.renews) ? "monthly" : null) : input.renews;
    for (const { channel, allowance, id: entryId } of input.allowances) {
      await applyAllowance(tx, { accountId: id, channel, allowance, renews, at, id: entryId });
    }
    if (input.renews !== undefined)
      await tx.db.updateTable("credits").set({ renews }).where("account_id", "=", id).execute();
    return "changed";
  },
);

/** Null if the account may have the name. */
async function refuseName(tx: Tx, id: string, name: string): Promise<"name_taken" | "provisioned" | null> {
  // Transactions that name an account wait for this one: two that take one name concurrently would not see each other.
  if (tx.engine === "postgres") await sql`lock table accounts in share row exclusive mode`.execute(tx.db);
  const namesakes = await tx.db
    .selectFrom("accounts")
    .select(["id", "name"])
    .where((eb) => eb.or([eb("id", "=", id), eb("name", "=", name)]))
    .execute();
  if (namesakes.some((row) => row.id !== id)) return "name_taken";
  const current = namesakes[0];
  if (!current || current.name === name) return null;
  const named = await tx.db
    .selectFrom("provisioned")
    .select("name")
    .where("kind", "=", "account")
    .where("name", "=", current.name)
    .executeTakeFirst();
  return named ? "provisioned" : null;
}

/** Lanes read their account's time zone and lateness when they are opened; if these change, the lanes are opened again. */
async function reopenLanes(
  tx: Tx,
  before: AccountsTable,
  { time_zone, lateness_ms }: AccountColumns,
): Promise<void> {
  if ((time_zone ?? before.time_zone) === before.time_zone) {
    if ((lateness_ms ?? before.lateness_ms) === before.lateness_ms) return;
  }
  tx.changes.add("lanes");
  await tx.db
    .updateTable("lanes")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("id", "in", (eb) => eb.selectFrom("gateways").select("id").where("account_id", "=", before.id))
    .execute();
}

/**
 * The pattern for `lower(…) like … escape '!'` that finds a part in either case. The storage lower-cases ASCII letters only, and so does
 * this.
 */
export function searched(part: string): string {
  const folded = part.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `%${folded.replace(/[!%_]/g, "!$&")}%`;
}

/** Accounts with their balances, newest first, before an id (null: from the newest); `search`: part of a name, in either case. */
export const listAccounts = readOperation(
  "listAccounts",
  async (
    tx,
    input: { only: string | null; search: string | null; before: string | null; limit: number },
  ): Promise<AccountWithCredits[]> => {
    let query = tx.db.selectFrom("accounts").selectAll();
    if (input.only !== null) query = query.where("id", "=", input.only);
    if (input.before !== null) query = query.where("id", "<", input.before);
    if (input.search !== null) {
      const part = searched(input.search);
      query = query.where(sql<boolean>`lower(name) like ${part} escape '!'`);
    }
    const accounts = await query.orderBy("id", "desc").limit(input.limit).execute();
    if (accounts.length === 0) return [];
    const ids = accounts.map(({ id }) => id);
    const credits = await tx.db.selectFrom("credits").selectAll().where("account_id", "in", ids).execute();
    return accounts.map((account) => ({
      ...account,
      credits: credits.filter((credit) => credit.account_id === account.id),
    }));
  },
);
