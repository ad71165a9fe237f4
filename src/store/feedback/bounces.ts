// Bounces and the suppressions that follow from them: a hard bounce, a complaint or an unsubscribe puts the
// recipient on the account's suppression list at once; so do five consecutive soft bounces. A delivery resets their count.

import { sql } from "kysely";
import { type Tx, writeOperation } from "#store/database.ts";
import type { LockedMessage } from "#store/messages/transitions.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";

/** What the outcome of an email shows about its address. */
export interface BounceReport {
  message: Pick<LockedMessage, "id" | "account_id" | "recipient">;
  verdict: "reached" | "soft" | "hard";
  /** Epoch ms. */
  at: number;
  /** In plain words, for the list. */
  note: string;
}

/** This many soft bounces without a delivery between them count as a hard one. */
const softLimit = 5;
/** After this time without a bounce the count starts over: without delivery reports, nothing else resets it. */
export const softBounceTtlMs = 90 * 86_400_000;
const maxNoteLength = 500;

/** A recipient to be added to the suppression list. */
export type NewSuppression = Pick<
  SuppressionsTable,
  "account_id" | "recipient" | "reason" | "note" | "created_at"
>;

const keyOf = ({ account_id, recipient }: Pick<NewSuppression, "account_id" | "recipient">) =>
  `${account_id} ${recipient}`;
const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Applies bounce reports in order. Call it after the messages themselves are written. */
export async function applyBounces(tx: Tx, reports: readonly BounceReport[]): Promise<void> {
  if (reports.length === 0) return;
  const byAddress = Map.groupBy(reports, ({ message }) => keyOf(message));
  // Ordered by key, so that two transactions do not deadlock.
  const addresses = [...byAddress].sort(([a], [b]) => inOrder(a, b)).map(([, all]) => all);
  await resetSoftBounces(
    tx,
    addresses.flatMap((all) => (all.some(({ verdict }) => verdict !== "soft") ? [all[0]!.message] : [])),
  );
  const unwanted: NewSuppression[] = [];
  for (const all of addresses) {
    const lastEnd = all.findLastIndex(({ verdict }) => verdict !== "soft");
    let reason = all.find(({ verdict }) => verdict === "hard");
    // A recipient who is already suppressed needs no count.
    for (const soft of reason ? [] : all.slice(lastEnd + 1)) {
      if ((await countSoft(tx, soft.message, soft.at)) >= softLimit) reason ??= soft;
    }
    if (!reason) continue;
    const { message, note, at } = reason;
    const { account_id, recipient } = message;
    unwanted.push({ account_id, recipient, reason: "bounce", note, created_at: at });
  }
  await suppress(tx, unwanted);
}

/** Counts a soft bounce, at most once a message. Returns the number of consecutive ones. */
async function countSoft(tx: Tx, message: BounceReport["message"], at: number): Promise<number> {
  const { id, account_id, recipient } = message;
  const { rows } = await sql<{ count: number }>`
    insert into soft_bounces (account_id, recipient, count, message_id, updated_at)
    values (${account_id}, ${recipient}, 1, ${id}, ${at})
    on conflict (account_id, recipient) do update set
      count = case
        when soft_bounces.message_id = excluded.message_id then soft_bounces.count
        when soft_bounces.updated_at < excluded.updated_at - cast(${softBounceTtlMs} as bigint) then 1
        else soft_bounces.count + 1
      end,
      message_id = excluded.message_id, updated_at = excluded.updated_at
    returning count
  `.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** Resets the soft bounces of these addresses; `before`: only where the last bounce was earlier. */
export async function resetSoftBounces(
  tx: Tx,
  addresses: readonly Pick<NewSuppression, "account_id" | "recipient">[],
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  if (addresses.length === 0) return;
  const ended = tx.rows("ended", { account_id: "text", recipient: "text" }, addresses);
  const found = await tx.db
    .selectFrom(tx.indexed("soft_bounces"))
    .select(["account_id", "recipient"])
    .where(sql<boolean>`(account_id, recipient) in (select account_id, recipient from ${ended})`)
    .where("updated_at", "<", before)
    .orderBy("account_id")
    .orderBy("recipient")
    .modifyEnd(tx.lock("update"))
    .execute();
  // The usual case: most addresses never had a bounce.
  if (found.length === 0) return;
  const rows = tx.rows("ended", { account_id: "text", recipient: "text" }, found);
  await sql`
    delete from ${tx.indexed("soft_bounces")} where (account_id, recipient) in (select account_id, recipient from ${rows})
  `.execute(tx.db);
}

/** Deletes counts whose last bounce was earlier, oldest first, at most `limit`; returns how many were found. */
export const deleteSoftBounces = writeOperation(
  "deleteSoftBounces",
  async (tx, input: { before: number; limit: number }): Promise<number> => {
    const rested = await tx.db
      .selectFrom("soft_bounces")
      .select(["account_id", "recipient"])
      .where("updated_at", "<", input.before)
      .orderBy("updated_at")
      .limit(input.limit)
      .execute();
    // Read again under the lock: another bounce may have come in between.
    await resetSoftBounces(tx, rested, input.before);
    return rested.length;
  },
);

/** Adds email recipients to their accounts' suppression lists; an existing entry keeps its first reason. */
export async function suppress(tx: Tx, unwanted: readonly NewSuppression[]): Promise<void> {
  if (unwanted.length === 0) return;
  for (const { account_id } of unwanted) tx.changes.topic(account_id, "suppressions");
  // Their counts of soft bounces are obsolete.
  await resetSoftBounces(tx, unwanted);
  const first = new Map<string, NewSuppression>();
  for (const recipient of unwanted) if (!first.has(keyOf(recipient))) first.set(keyOf(recipient), recipient);
  const rows = tx.rows(
    "unwanted",
    { account_id: "text", recipient: "text", reason: "text", note: "text", created_at: "bigint" },
    [...first]
      .sort(([a], [b]) => inOrder(a, b))
      .map(([, recipient]) => ({ ...recipient, note: recipient.note?.slice(0, maxNoteLength) ?? null })),
  );
  await sql`
    insert into suppressions (account_id, channel, recipient, reason, note, created_at)
    select account_id, 'email', recipient, reason, note, created_at from ${rows} where true
    on conflict (account_id, channel, recipient) do nothing
  `.execute(tx.db);
}
