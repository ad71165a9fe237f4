// What is done to balances by hand, and the ledger read back.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import { readOperation, writeOperation } from "#store/database.ts";
import type { CreditEntriesTable } from "#store/schema/schema.ts";
import { lockCredits } from "./accounts.ts";
import { insertEntries, renew, writeBalance } from "./ledger.ts";

export type Granted =
  | { kind: "granted"; entry: CreditEntriesTable }
  /** It would take the balance below zero; nothing changed. */
  | { kind: "too_little"; remaining: number }
  /** The channel has no allowance, so there is nothing to add to. */
  | { kind: "unlimited" };

/**
 * Adds to what is left on a channel, or takes from it (below zero): extra credit, which the balance may hold
 * beyond its allowance until it is renewed. A renewal that is due comes first, or it would swallow the grant.
 */
export const grantCredit = writeOperation(
  "grantCredit",
  async (
    tx,
    input: {
      accountId: string;
      channel: Channel;
      amount: number;
      note: string | null;
      /** Names the ledger's entry. */
      id: string;
      at: number;
      /** From when on a monthly allowance counts as renewed. */
      renewedFrom: number;
    },
  ): Promise<Granted> => {
    const { accountId, channel, amount, note, id, at } = input;
    const balance = (await lockCredits(tx, [{ accountId, channel }])).get(`${accountId} ${channel}`);
    if (!balance) return { kind: "unlimited" };
    const renewal = renew(balance, input.renewedFrom, at);
    if (balance.remaining + amount < 0) return { kind: "too_little", remaining: balance.remaining };
    balance.remaining += amount;
    balance.granted += amount;
    const { remaining } = balance;
    const entry: CreditEntriesTable = {
      account_id: accountId,
      channel,
      kind: "grant",
      reference: id,
      at,
      amount,
      remaining,
      note,
    };
    await writeBalance(tx, balance);
    await insertEntries(tx, renewal ? [renewal, entry] : [entry]);
    return { kind: "granted", entry };
  },
);

/** An entry's place in the order of a ledger. */
export type EntryPlace = Pick<CreditEntriesTable, "at" | "kind" | "reference">;

/** The newest entries of a balance before a place (null: the newest of all). */
export const listCreditEntries = readOperation(
  "listCreditEntries",
  async (tx, input: { accountId: string; channel: Channel; before: EntryPlace | null; limit: number }) => {
    let query = tx.db
      .selectFrom("credit_entries")
      .selectAll()
      .where("account_id", "=", input.accountId)
      .where("channel", "=", input.channel);
    if (input.before) {
      const { at, kind, reference } = input.before;
      query = query.where(sql<boolean>`(at, kind, reference) < (${at}, ${kind}, ${reference})`);
    }
    return await query
      .orderBy("at", "desc")
      .orderBy("kind", "desc")
      .orderBy("reference", "desc")
      .limit(input.limit)
      .execute();
  },
);
