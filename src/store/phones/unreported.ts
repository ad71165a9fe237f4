// Items of which a phone never reported what became of them. An hour after the phone may no longer send one, it counts as
// perhaps sent, and is not listed any more. A report that comes later still settles it.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { PhoneItemsTable } from "#store/schema/phones.ts";
import { endAsUnknown } from "./ended-items.ts";
import { lockPhone } from "./phones.ts";

/** How long after `valid_until` the phone is still asked what became of an item, ms. */
const graceMs = 3_600_000;
/** Items in one look for phones that have some. */
const lookedAt = 500;

/** The items on a phone's list, the first that were handed over first. */
export async function openItems(tx: Tx, phoneId: string): Promise<PhoneItemsTable[]> {
  return await tx.db
    .selectFrom(tx.indexed("phone_items", "phone_items_open"))
    .selectAll()
    .where("phone_id", "=", phoneId)
    .where("open", "=", sql.lit(1))
    .orderBy("handed_at")
    .execute();
}

/** Ends the wait for the items whose time is over: their messages are `unknown`. Returns the others. */
export async function giveUpUnreported(
  tx: Tx,
  items: readonly PhoneItemsTable[],
  at: number,
): Promise<PhoneItemsTable[]> {
  const isOver = ({ valid_until }: PhoneItemsTable) => valid_until + graceMs <= at;
  const over = items.filter(isOver).map(({ message_id }) => message_id);
  if (over.length === 0) return [...items];
  const message = "The phone did not report what became of it.";
  await endAsUnknown(tx, over, { at, code: "unreported", message });
  return items.filter((item) => !isOver(item));
}

/** Phones that have items whose time is over at `at`, epoch ms; at most those of the 500 oldest items. */
export const findUnreported = readOperation("findUnreported", async (tx, at: number): Promise<string[]> => {
  const rows = await tx.db
    .selectFrom(tx.indexed("phone_items", "phone_items_over"))
    .select("phone_id")
    .where("open", "=", sql.lit(1))
    .where("valid_until", "<=", at - graceMs)
    .orderBy("valid_until")
    .limit(lookedAt)
    .execute();
  return [...new Set(rows.map(({ phone_id }) => phone_id))];
});

/** Ends the wait for a phone's items whose time is over, whether or not the phone asks; returns how many there were. */
export const endUnreported = writeOperation(
  "endUnreported",
  async (tx, { phoneId, at }: { phoneId: string; at: number }): Promise<number> => {
    await lockPhone(tx, phoneId);
    const items = await openItems(tx, phoneId);
    return items.length - (await giveUpUnreported(tx, items, at)).length;
  },
);
