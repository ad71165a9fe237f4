// Items that a phone received and has not reported: its list, and how items leave it.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";
import { lockMessages, TransitionBatch } from "#store/messages/transitions.ts";
import type { PhoneItemsTable } from "#store/schema/phones.ts";

/** How long after `valid_until` the phone is still asked for the outcome of an item, ms. */
export const graceMs = 3_600_000;

/** The items on a phone's list, in the order in which they were handed over. */
export async function openItems(tx: Tx, phoneId: string): Promise<PhoneItemsTable[]> {
  return await tx.db
    .selectFrom(tx.indexed("phone_items", "phone_items_open"))
    .selectAll()
    .where("phone_id", "=", phoneId)
    .where("open", "=", sql.lit(1))
    .orderBy("handed_at")
    .execute();
}

/** Takes messages off their phone's list. */
export async function closeItems(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.update(
    "phone_items",
    { id: "text" },
    ids.map((id) => ({ id })),
    (of) => ({ set: sql`open = 0`, where: sql`phone_items.message_id = ${of("id")}` }),
  );
}

/** Takes items that may have been sent off their phone's list: their messages become `unknown`. */
export async function endAsUnknown(
  tx: Tx,
  items: readonly PhoneItemsTable[],
  { at, code, message }: { at: number; code: string; message: string },
): Promise<void> {
  const ids = items.map(({ message_id }) => message_id);
  const changes = new TransitionBatch();
  for (const row of (await lockMessages(tx, ids)).values())
    changes.apply(row, { by: "system", step: "outcome_unknown" }, { at, detail: message, code, message });
  await changes.write(tx);
  await closeItems(tx, ids);
}

/**
 * Ends the wait for the items that have expired, whose messages become `unknown`. A later report still settles them. Returns the other
 * items.
 */
export async function giveUpUnreported(
  tx: Tx,
  items: readonly PhoneItemsTable[],
  at: number,
): Promise<PhoneItemsTable[]> {
  const { over = [], kept = [] } = Object.groupBy(items, ({ valid_until }) =>
    valid_until + graceMs <= at ? "over" : "kept",
  );
  const message = "The phone did not report what became of it.";
  if (over.length > 0) await endAsUnknown(tx, over, { at, code: "unreported", message });
  return kept;
}
