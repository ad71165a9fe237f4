// Compares the credit ledger with the balance and with what was stored: every entry once, one reservation for
// each request, one return for each message that ended without having been sent, and sums that meet. Pure.

import { classes, groupBy, type Ledger, type LedgerEntry, type Row } from "./evidence.ts";

export interface LedgerEvidence {
  rows: readonly Row[];
  ledgers: readonly Ledger[];
}

/** Every broken promise, one line each. An account without a ledger has no allowance, and is not judged. */
export function checkLedgers({ rows, ledgers }: LedgerEvidence): string[] {
  const ofAccount = groupBy(rows, ({ account }) => account);
  return ledgers.flatMap((ledger) =>
    [
      ...judgeBalance(ledger),
      ...judgeReservations(ledger, ofAccount.get(ledger.account) ?? []),
      ...judgeReturns(ledger, ofAccount.get(ledger.account) ?? []),
    ].map((line) => `${ledger.account}: ${line}`),
  );
}

function judgeBalance({ remaining, entries }: Ledger): string[] {
  const lines: string[] = [];
  const sum = entries.reduce((total, { amount }) => total + amount, 0);
  if (sum !== remaining) lines.push(`the ledger's entries make ${sum}, the balance is ${remaining}`);
  for (const [name, same] of groupBy(entries, ({ kind, reference }) => `${kind} for ${reference}`)) {
    if (same.length > 1) lines.push(`${same.length} entries ${name}`);
  }
  const openings = entries.filter(({ kind }) => kind === "opening").length;
  if (openings !== 1) lines.push(`${openings} opening entries`);
  if (!chains(remaining, entries)) lines.push("the entries' balances do not follow from one another");
  return lines;
}

/**
 * Whether each entry starts from the balance after another one, in any order: entries of the same
 * millisecond have none.
 */
function chains(remaining: number, entries: readonly LedgerEntry[]): boolean {
  const before = [...entries.map((entry) => entry.remaining - entry.amount), remaining];
  const after = [0, ...entries.map((entry) => entry.remaining)];
  const sorted = (balances: number[]) => balances.sort((a, b) => a - b).join();
  return sorted(before) === sorted(after);
}

function judgeReservations({ entries }: Ledger, rows: readonly Row[]): string[] {
  const lines: string[] = [];
  const reserved = groupBy(
    entries.filter(({ kind }) => kind === "reserve"),
    ({ reference }) => reference,
  );
  const requests = groupBy(rows, ({ request }) => request);
  for (const [request, messages] of requests) {
    const segments = messages.reduce((sum, row) => sum + row.segments, 0);
    const amount = reserved.get(request)?.[0]?.amount;
    if (amount === undefined) lines.push(`nothing was reserved for ${request}`);
    else if (amount !== -segments)
      lines.push(`${-amount} reserved for ${request}, which has ${segments} segments`);
  }
  for (const reference of reserved.keys()) {
    if (!requests.has(reference)) lines.push(`credit reserved for ${reference}, which is not stored`);
  }
  return lines;
}

/** A message that once ended unsent got its credit back then, also when it turned out to have been sent. */
function judgeReturns({ entries }: Ledger, rows: readonly Row[]): string[] {
  const lines: string[] = [];
  const returned = groupBy(
    entries.filter(({ kind }) => kind === "return"),
    ({ reference }) => reference,
  );
  const messages = new Map(rows.map((row) => [row.id, row]));
  for (const row of rows) {
    const unsent = row.timeline.some(({ type }) => classes[type] === "notSent");
    const amount = returned.get(row.id)?.[0]?.amount;
    if (unsent && amount === undefined) lines.push(`${row.id} (${row.status}): no credit came back`);
    if (!unsent && amount !== undefined)
      lines.push(`${row.id} (${row.status}): credit came back, yet it never ended unsent`);
    if (unsent && amount !== undefined && amount !== row.segments)
      lines.push(`${row.id}: ${amount} came back of ${row.segments}`);
  }
  for (const reference of returned.keys()) {
    if (!messages.has(reference)) lines.push(`credit came back for ${reference}, which is not stored`);
  }
  return lines;
}
