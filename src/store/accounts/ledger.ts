// Balances and their ledger: each change of a balance is one entry, so that the sum of the entries is the balance.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { compiledOnce } from "#store/engine/prepared.ts";
import type { CreditEntriesTable, CreditsTable } from "#store/schema/schema.ts";

/** Locks balances in one fixed order, so that two transactions never deadlock. */
export async function lockCredits(
  tx: Tx,
  balances: readonly { accountId: string; channel: Channel }[],
): Promise<Map<string, CreditsTable>> {
  const keys = new Map(balances.map((key) => [`${key.accountId} ${key.channel}`, key]));
  const found = new Map<string, CreditsTable>();
  if (keys.size === 0) return found;
  const accountIds = [...new Set([...keys.values()].map(({ accountId }) => accountId))];
  const locking = (count: number) =>
    tx.db
      .selectFrom("credits")
      .selectAll()
      .where("account_id", "in", accountIds.slice(0, count))
      .orderBy("account_id")
      .orderBy("channel")
      .modifyEnd(tx.lock("update"))
      .compile();
  // Nearly every group of sends is of one account.
  const query =
    accountIds.length === 1
      ? compiledOnce<CreditsTable>(tx, "lockCredits", () => locking(1), accountIds)
      : locking(accountIds.length);
  const { rows } = await tx.db.executeQuery(query);
  for (const row of rows) found.set(`${row.account_id} ${row.channel}`, row);
  return found;
}

/** Below this share of its allowance a balance counts as low. */
const lowShare = 0.1;

/** Whether reserving credit brought a balance below the share that counts as low. */
export function crossedLowCredit(before: number, balance: CreditsTable): boolean {
  const low = balance.allowance * lowShare;
  return before >= low && balance.remaining < low;
}

/** Appends entries to the credit ledger. */
export async function insertEntries(tx: Tx, entries: readonly CreditEntriesTable[]): Promise<void> {
  if (entries.length === 0) return;
  for (const { account_id } of entries) tx.changes.topic(account_id, "credit");
  await tx.insert(
    "credit_entries",
    ["account_id", "channel", "kind", "reference", "at", "amount", "remaining", "note"],
    [
      {
        constant: [],
        rows: entries.map((entry) => [
          entry.account_id,
          entry.channel,
          entry.kind,
          entry.reference,
          entry.at,
          entry.amount,
          entry.remaining,
          entry.note,
        ]),
      },
    ],
  );
}

/** Stores a balance as it is now. */
export async function writeBalance(tx: Tx, balance: CreditsTable): Promise<void> {
  const { remaining, renewed_at, bonus, account_id, channel } = balance;
  const query = compiledOnce(
    tx,
    "writeBalance",
    () =>
      tx.db
        .updateTable("credits")
        .set({ remaining, renewed_at, bonus })
        .where("account_id", "=", account_id)
        .where("channel", "=", channel)
        .compile(),
    [remaining, renewed_at, bonus, account_id, channel],
  );
  await tx.db.executeQuery(query);
}

/** Refills a monthly balance that was not refilled since `from`; returns the entry, or null if there is nothing to do. */
export function renew(balance: CreditsTable, from: number, at: number): CreditEntriesTable | null {
  if (balance.renews !== "monthly" || balance.renewed_at >= from) return null;
  const amount = balance.allowance - balance.remaining;
  balance.remaining = balance.allowance;
  balance.bonus = 0;
  balance.renewed_at = at;
  return entry(balance, { kind: "renew", reference: String(from), at, amount });
}

/** Takes from a balance, which must be sufficient. */
export function reserve(
  balance: CreditsTable,
  requestId: string,
  amount: number,
  at: number,
): CreditEntriesTable {
  balance.remaining -= amount;
  return entry(balance, { kind: "reserve", reference: requestId, at, amount: -amount });
}

/**
 * Refunds the cost of a message; null if there is nothing to refund. Credit that was reserved before the balance was opened or renewed did
 * not come from it, and a balance never grows above its allowance and bonus.
 */
export function refund(
  balance: CreditsTable,
  message: { id: string; cost: number; acceptedAt: number },
  at: number,
): CreditEntriesTable | null {
  if (message.acceptedAt < balance.renewed_at) return null;
  const maxRemaining = Math.max(balance.remaining, balance.allowance + balance.bonus);
  const amount = Math.min(message.cost, maxRemaining - balance.remaining);
  if (amount <= 0) return null;
  balance.remaining += amount;
  return entry(balance, { kind: "return", reference: message.id, at, amount });
}

function entry(
  balance: CreditsTable,
  what: Pick<CreditEntriesTable, "kind" | "reference" | "at" | "amount">,
): CreditEntriesTable {
  const { account_id, channel, remaining } = balance;
  return { account_id, channel, ...what, remaining, note: null };
}

export type GrantResult =
  | { kind: "granted"; entry: CreditEntriesTable }
  /** It would make the balance negative; nothing changed. */
  | { kind: "too_little"; remaining: number }
  /** The channel has no allowance, so there is nothing to add to. */
  | { kind: "unlimited" };

/**
 * Adds to the balance of a channel, or takes from it (below zero): extra credit, which may exceed the allowance until the balance is
 * renewed. A renewal that is due comes first, because it would cancel the grant.
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
      /** The id of the ledger's entry. */
      id: string;
      at: number;
      /** The time from which a monthly allowance counts as renewed. */
      renewedFrom: number;
    },
  ): Promise<GrantResult> => {
    const { accountId, channel, amount, note, id, at } = input;
    const balance = (await lockCredits(tx, [{ accountId, channel }])).get(`${accountId} ${channel}`);
    if (!balance) return { kind: "unlimited" };
    const renewal = renew(balance, input.renewedFrom, at);
    if (balance.remaining + amount < 0) return { kind: "too_little", remaining: balance.remaining };
    balance.remaining += amount;
    balance.bonus += amount;
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

/** An entry's position in the order of a ledger. */
export type LedgerCursor = Pick<CreditEntriesTable, "at" | "kind" | "reference">;

/** The newest entries of a balance before a position (null: the newest of all). */
export const listCreditEntries = readOperation(
  "listCreditEntries",
  async (tx, input: { accountId: string; channel: Channel; before: LedgerCursor | null; limit: number }) => {
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
