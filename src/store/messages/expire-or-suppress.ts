// Messages that came up and must not go out: their recipient is on the suppression list, or they are too late
// to be wanted. They end where they would have been stamped, so that no process can be a moment too early.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";
import { Changes, lockMessages, type TransitionDetails } from "./transitions.ts";

/** Ends what came up, but is suppressed or too late; what is gone for other reasons is left alone. */
export async function refuse(
  tx: Tx,
  wanted: readonly { id: string; lane: string; at: number; late: number }[],
): Promise<void> {
  const rows = await lockMessages(
    tx,
    wanted.map(({ id }) => id),
  );
  const suppressed = await suppressedOf(tx, [...rows.values()]);
  const changes = new Changes();
  for (const { id, lane, at, late } of wanted) {
    const row = rows.get(id);
    if (!row || row.due_at === null || row.gateway_id !== lane) continue;
    if (suppressed.has(id)) changes.apply(row, { by: "system", step: "suppressed" }, suppressedAt(at));
    else if (row.due_at < late) changes.apply(row, { by: "system", step: "expired" }, expiredAt(at));
  }
  await changes.write(tx);
}

/** Which of these messages go to somebody who is on the account's suppression list. */
async function suppressedOf(
  tx: Tx,
  rows: readonly { id: string; account_id: string; channel: string; recipient: string }[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const asked = tx.rows(
    "asked",
    { id: "text", account_id: "text", channel: "text", recipient: "text" },
    rows.map(({ id, account_id, channel, recipient }) => ({ id, account_id, channel, recipient })),
  );
  const found = await sql<{ id: string }>`
    select asked.id as id from ${asked} cross join ${tx.indexed("suppressions")}
    where suppressions.account_id = asked.account_id and suppressions.channel = asked.channel
      and suppressions.recipient = asked.recipient
  `.execute(tx.db);
  return new Set(found.rows.map(({ id }) => id));
}

/** What goes with the end of a message whose recipient is on the suppression list. */
export function suppressedAt(at: number): TransitionDetails {
  const message = "The recipient is on the suppression list.";
  return { at, detail: message, code: "suppressed", message };
}

/** What goes with the end of a message that was found due too late. */
export function expiredAt(at: number): TransitionDetails {
  const message = "It was due longer ago than the account's lateness window allows.";
  return { at, detail: message, code: "too_late", message };
}
