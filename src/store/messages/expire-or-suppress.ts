// Due messages that must not be sent because their recipient is on the suppression list or they are too late. They end when their attempt
// would begin, so that a suppression or the lateness window is never applied too early.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";
import { lockMessages, TransitionBatch, type TransitionDetails } from "./transitions.ts";

/** Ends due messages that are suppressed or too late; messages that no longer wait for other reasons stay as they are. */
export async function expireOrSuppress(
  tx: Tx,
  due: readonly { id: string; lane: string; at: number; late: number }[],
): Promise<void> {
  const rows = await lockMessages(
    tx,
    due.map(({ id }) => id),
  );
  const suppressed = await suppressedOf(tx, [...rows.values()]);
  const changes = new TransitionBatch();
  for (const { id, lane, at, late } of due) {
    const row = rows.get(id);
    if (!row || row.due_at === null || row.gateway_id !== lane) continue;
    if (suppressed.has(id)) changes.apply(row, { by: "system", step: "suppressed" }, suppressionDetails(at));
    else if (row.due_at < late) changes.apply(row, { by: "system", step: "expired" }, expiryDetails(at));
  }
  await changes.write(tx);
}

/** Which of these messages have a recipient on the account's suppression list. */
async function suppressedOf(
  tx: Tx,
  rows: readonly { id: string; account_id: string; channel: string; recipient: string }[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const candidates = tx.rows(
    "candidates",
    { id: "text", account_id: "text", channel: "text", recipient: "text" },
    rows.map(({ id, account_id, channel, recipient }) => ({ id, account_id, channel, recipient })),
  );
  const found = await sql<{ id: string }>`
    select candidates.id as id from ${candidates} cross join ${tx.indexed("suppressions")}
    where suppressions.account_id = candidates.account_id and suppressions.channel = candidates.channel
      and suppressions.recipient = candidates.recipient
  `.execute(tx.db);
  return new Set(found.rows.map(({ id }) => id));
}

/** Details for a message that ends because its recipient is on the suppression list. */
function suppressionDetails(at: number): TransitionDetails {
  const message = "The recipient is on the suppression list.";
  return { at, detail: message, code: "suppressed", message };
}

/** Details for a message that ends because it was found due too late. */
export function expiryDetails(at: number): TransitionDetails {
  const message = "It was due longer ago than the account's lateness window allows.";
  return { at, detail: message, code: "too_late", message };
}
