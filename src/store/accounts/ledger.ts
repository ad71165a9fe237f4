// The ledger of a balance: one entry for everything that moved it, so that the sum of its entries is the balance.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import type { Tx } from "#store/database.ts";
import { compiledOnce } from "#store/engine/prepared.ts";
import type { CreditEntriesTable, CreditsTable } from "#store/schema/schema.ts";

/** Below this share of its allowance a balance counts as low. */
const lowShare = 0.1;

/** Whether taking credit brought a balance below what counts as low. */
export function becameLow(before: number, balance: CreditsTable): boolean {
  const low = balance.allowance * lowShare;
  return before >= low && balance.remaining < low;
}

/** Writes entries. */
export async function insertEntries(tx: Tx, entries: readonly CreditEntriesTable[]): Promise<void> {
  if (entries.length === 0) return;
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
  const { remaining, renewed_at, granted, account_id, channel } = balance;
  const query = compiledOnce(
    tx,
    "writeBalance",
    () =>
      tx.db
        .updateTable("credits")
        .set({ remaining, renewed_at, granted })
        .where("account_id", "=", account_id)
        .where("channel", "=", channel)
        .compile(),
    [remaining, renewed_at, granted, account_id, channel],
  );
  await tx.db.executeQuery(query);
}

/** Refills a monthly balance that was not refilled since `from`; the entry, or null where there is nothing to do. */
export function renew(balance: CreditsTable, from: number, at: number): CreditEntriesTable | null {
  if (balance.renews !== "monthly" || balance.renewed_at >= from) return null;
  const amount = balance.allowance - balance.remaining;
  balance.remaining = balance.allowance;
  balance.granted = 0;
  balance.renewed_at = at;
  return entry(balance, { kind: "renew", reference: String(from), at, amount });
}

/** Takes from a balance, which must be enough. */
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
 * Gives back what a message cost; null where nothing comes back. What was taken from a balance before it was
 * opened or renewed is not this one's, and one whose allowance shrank does not grow above what it can hold.
 */
export function giveBack(
  balance: CreditsTable,
  message: { id: string; cost: number; acceptedAt: number },
  at: number,
): CreditEntriesTable | null {
  if (message.acceptedAt < balance.renewed_at) return null;
  const most = Math.max(balance.remaining, balance.allowance + balance.granted);
  const amount = Math.min(message.cost, most - balance.remaining);
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

/** The sum of a balance's entries: what it must be. For tests and audits. */
export async function sumEntries(tx: Tx, accountId: string, channel: Channel): Promise<number> {
  const { rows } = await sql<{ sum: number | null }>`
    select sum(amount) as sum from credit_entries where account_id = ${accountId} and channel = ${channel}
  `.execute(tx.db);
  return Number(rows[0]?.sum ?? 0);
}
