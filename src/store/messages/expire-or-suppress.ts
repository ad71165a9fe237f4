// Due messages that must not be sent because their recipient is on the suppression list or they are too late. They end when their attempt
// would begin, so that a suppression or the lateness window is never applied too early.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";
import { recipientsOf } from "#store/email/mail-recipients.ts";
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
  if (found.rows.length === 0) return new Set();
  const ids = new Set(found.rows.map(({ id }) => id));
  for (const id of await withOthers(tx, [...ids], rows)) ids.delete(id);
  return ids;
}

/** Which of these messages are mails to several with a recipient in their To who is not on the suppression list. */
async function withOthers(
  tx: Tx,
  ids: readonly string[],
  rows: readonly { id: string; account_id: string; channel: string }[],
): Promise<ReadonlySet<string>> {
  const mails = new Set(ids);
  const accountOf = new Map(
    rows.flatMap(({ id, account_id, channel }) =>
      channel === "email" && mails.has(id) ? [[id, account_id] as const] : [],
    ),
  );
  const recipients = await recipientsOf(tx, [...accountOf.keys()]);
  const candidates = [...recipients].flatMap(([id, list]) =>
    list.flatMap(({ field, recipient }) =>
      field === "to" ? [{ id, account_id: accountOf.get(id) ?? "", recipient }] : [],
    ),
  );
  if (candidates.length === 0) return new Set();
  const listed = tx.rows("candidates", { id: "text", account_id: "text", recipient: "text" }, candidates);
  const found = await sql<{ id: string; recipient: string }>`
    select candidates.id as id, candidates.recipient as recipient from ${listed} cross join ${tx.indexed("suppressions")}
    where suppressions.account_id = candidates.account_id and suppressions.channel = 'email'
      and suppressions.recipient = candidates.recipient
  `.execute(tx.db);
  const suppressed = new Set(found.rows.map(({ id, recipient }) => `${id} ${recipient}`));
  return new Set(
    candidates.filter(({ id, recipient }) => !suppressed.has(`${id} ${recipient}`)).map(({ id }) => id),
  );
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
