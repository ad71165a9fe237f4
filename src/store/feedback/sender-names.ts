// One person under several names: WhatsApp knows many Brazilian numbers without their 9, and some people only by an id. A provider's answer
// or a reply to a message shows it. The person's decisions then hold for the recipients that were written to through this gateway. A number
// may have several spellings. An id has one number and a number one id, the newest: numbers pass to other people, and the decisions of one
// must not reach the next.

import { sql } from "kysely";
import { type Tx, writeOperation } from "#store/database.ts";
import type { InboundTable, SenderNamesTable } from "#store/schema/feedback.ts";
import { copySuppression, followSender } from "./former-senders.ts";

/** A name that has not been seen for this long is forgotten, ms. */
export const senderNameMs = 400 * 86_400_000;
/** A name that is seen again is written at most this often, ms. */
const renewMs = 30 * 86_400_000;
/** Recipients that are followed from the names of one message. */
const maxRecipients = 16;

interface ShownName extends Omit<SenderNamesTable, "shown_at">, Pick<InboundTable, "account_id" | "channel"> {
  at: number;
}

const isNumber = (name: string) => name.startsWith("+");

/** Records that a sender is the person that a recipient reaches. Their decisions as that sender hold for the recipient. */
export async function noteSenderName(tx: Tx, shown: ShownName): Promise<void> {
  const { sender, recipient } = shown;
  if (await isNewName(tx, shown)) await followSender(tx, shown, { former: [sender], present: recipient });
}

/** Records the number that an id wrote from. Decisions under the id hold for the number. */
export async function noteNumberOf(
  tx: Tx,
  { userId, number, ...shown }: Omit<ShownName, "sender" | "recipient"> & { userId: string; number: string },
): Promise<void> {
  if (await isNewName(tx, { ...shown, sender: userId, recipient: number }))
    await copySuppression(tx, shown, { former: [userId], present: number });
}

async function isNewName(tx: Tx, { gateway_id, sender, recipient, at }: ShownName): Promise<boolean> {
  if (sender === recipient) return false;
  const { rows } = await sql`
    insert into sender_names (gateway_id, sender, recipient, shown_at)
    values (${gateway_id}, ${sender}, ${recipient}, ${at})
    on conflict (gateway_id, sender, recipient) do update set shown_at = excluded.shown_at
      where sender_names.shown_at < excluded.shown_at - ${sql.lit(renewMs)}
    returning sender
  `.execute(tx.db);
  if (rows.length === 0) return false;
  if (isNumber(sender) === isNumber(recipient)) return true;
  const pair = tx.list([sender, recipient]);
  for (const column of ["sender", "recipient"])
    await sql`
      delete from sender_names
      where gateway_id = ${gateway_id} and ${sql.ref(column)} in ${pair}
        and (sender like '+%') <> (recipient like '+%')
        and not (sender in ${pair} and recipient in ${pair})
    `.execute(tx.db);
  return true;
}

/** The senders, and the recipients that reach them, including those of an id's number. */
export async function withRecipients(
  tx: Tx,
  gatewayId: string,
  senders: readonly string[],
): Promise<string[]> {
  const reached = await recipientsOf(tx, gatewayId, senders);
  // An id that a number leads to is not followed to another number.
  const numbers = reached.filter((name) => isNumber(name) && !senders.includes(name));
  const ofNumbers = senders.some(isNumber) ? [] : await recipientsOf(tx, gatewayId, numbers);
  return [...new Set([...senders, ...reached, ...ofNumbers])];
}

async function recipientsOf(tx: Tx, gatewayId: string, senders: readonly string[]): Promise<string[]> {
  if (senders.length === 0) return [];
  const found = await tx.db
    .selectFrom("sender_names")
    .select("recipient")
    .where("gateway_id", "=", gatewayId)
    .where("sender", "in", tx.list([...senders]))
    .orderBy("shown_at", "desc")
    .limit(maxRecipients)
    .execute();
  return found.map(({ recipient }) => recipient);
}

/** Deletes names that were last seen before `before`, at most `limit`; returns how many. */
export const deleteSenderNames = writeOperation(
  "deleteSenderNames",
  async (tx, { before, limit }: { before: number; limit: number }): Promise<number> => {
    const old = await tx.db
      .selectFrom(tx.indexed("sender_names", "sender_names_age"))
      .selectAll()
      .where("shown_at", "<", before)
      .orderBy("shown_at")
      .limit(limit)
      .execute();
    // One by one: a name that was seen meanwhile is kept.
    for (const { gateway_id, sender, recipient, shown_at } of old)
      await tx.db
        .deleteFrom("sender_names")
        .where("gateway_id", "=", gateway_id)
        .where("sender", "=", sender)
        .where("recipient", "=", recipient)
        .where("shown_at", "=", shown_at)
        .execute();
    return old.length;
  },
);
