// The hold on a restored installation: what was pending in the copy waits for the operator's decision, so that a restore does not send old
// messages by itself. A held row is pending in every other respect: it can be looked up and cancelled, and it is not late, not moved and
// not counted as waiting, because it has no `due_at`.

import { sql } from "kysely";
import { channels } from "#contract/messages/channel.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { insertNextEntries, lockMessages, TransitionBatch } from "#store/messages/transitions.ts";
import { failRestored } from "#store/pools/deferred-completions.ts";
import type { WebhookDeliveriesTable } from "#store/schema/webhooks.ts";
import { appendLine, type DeliveryAttempt } from "#store/webhooks/deliveries.ts";
import { insertOutboxEntries } from "#store/webhooks/outbox.ts";

/** The fact that records a hold; it exists only while something is held. */
const factName = "held";

/** Since when messages are held, and how much of it remains. */
export interface RestoreHold {
  /** When the copy was made, epoch ms. */
  at: number;
  messages: number;
  /** Webhook deliveries that were pending. */
  deliveries: number;
  /** Events that had not been passed to the endpoints. */
  events: number;
}

const unknownOutcome =
  "It was on its way when the copy was made that this installation was restored from: whether it was sent is not known.";

/** Which rows of a table, for both engines. */
const firstDue = (tx: Tx, limit: number) =>
  sql<string>`(select id from ${tx.indexed("messages", "messages_due")} where due_at is not null limit ${limit})`;

/**
 * Holds what is pending, at most `limit` rows of a kind; to be called until it returns true. The end of it
 * also forgets who was signed in and which process drove what: none of them has anything to do with the copy.
 *
 * Outbox entries are held too. They would deliver old events at the first start; and they cannot be dropped, because
 * nothing else shows whether the original installation delivered them.
 */
export const holdPending = writeOperation(
  "holdPending",
  async (tx, input: { at: number; limit: number }): Promise<boolean> => {
    const { at, limit } = input;
    // First, so that an interrupted hold still counts as one.
    await storeHold(tx, { at, messages: 0, deliveries: 0, events: 0 });
    const messages = await tx.db
      .updateTable(tx.indexed("messages"))
      .set((eb) => ({ held_due_at: eb.ref("due_at"), due_at: null }))
      .where("id", "in", firstDue(tx, limit))
      .executeTakeFirst();
    const deliveries = await tx.db
      .updateTable(tx.indexed("webhook_deliveries"))
      .set((eb) => ({ held_due_at: eb.ref("due_at"), due_at: null }))
      .where(
        sql<boolean>`(endpoint_id, event_id) in (select endpoint_id, event_id from ${tx.indexed("webhook_deliveries", "webhook_deliveries_due")} where due_at is not null limit ${limit})`,
      )
      .executeTakeFirst();
    const doubted = await markSendingUnknown(tx, at, limit);
    const failed = await failRestored(tx, at, limit);
    // After that, because messages whose outcome becomes unknown here cause events too.
    const entries = await moveEntries(tx, "outbox", "outbox_held", limit);
    const counts = [
      Number(messages.numUpdatedRows),
      Number(deliveries.numUpdatedRows),
      doubted,
      failed,
      entries,
    ];
    if (counts.some((count) => count > 0)) return false;
    await deleteSessionsAndOwners(tx);
    const held = await countHeld(tx);
    if (held.messages + held.deliveries + held.events > 0) await storeHold(tx, { at, ...held });
    else await tx.db.deleteFrom("installation_facts").where("name", "=", factName).execute();
    return true;
  },
);

async function storeHold(tx: Tx, hold: RestoreHold): Promise<void> {
  const value = JSON.stringify(hold);
  await tx.db
    .insertInto("installation_facts")
    .values({ name: factName, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

/** The outcome of messages that were being sent when the copy was made is unknown. */
async function markSendingUnknown(tx: Tx, at: number, limit: number): Promise<number> {
  const found = await tx.db
    .selectFrom(tx.indexed("messages", "messages_status"))
    .select("id")
    .where("account_id", "in", (eb) => eb.selectFrom("accounts").select("accounts.id"))
    .where("channel", "in", channels)
    .where("status", "=", "sending")
    .limit(limit)
    .execute();
  const rows = await lockMessages(
    tx,
    found.map(({ id }) => id),
  );
  const changes = new TransitionBatch();
  const details = { at, detail: unknownOutcome, code: "restored", message: unknownOutcome };
  for (const row of rows.values()) changes.apply(row, { by: "system", step: "outcome_unknown" }, details);
  await changes.write(tx);
  return rows.size;
}

async function deleteSessionsAndOwners(tx: Tx): Promise<void> {
  await tx.db.deleteFrom("sessions").execute();
  await tx.db.deleteFrom("setup_codes").execute();
  await tx.db.deleteFrom("user_setup_links").execute();
  await tx.db.deleteFrom("processes").execute();
  await tx.db
    .updateTable("lanes")
    .set((eb) => ({ owner: null, fence: eb("fence", "+", 1) }))
    .where("owner", "is not", null)
    .execute();
}

/** Moves outbox entries from one of the two tables to the other; returns how many. */
async function moveEntries(
  tx: Tx,
  from: "outbox" | "outbox_held",
  to: "outbox" | "outbox_held",
  limit: number,
): Promise<number> {
  const entries = await tx.db
    .selectFrom(tx.indexed(from))
    .selectAll()
    .orderBy("id")
    .limit(limit)
    .modifyEnd(tx.lock("update"))
    .execute();
  if (entries.length === 0) return 0;
  await insertOutboxEntries(tx, to, entries);
  await deleteEntries(tx, from, entries);
  return entries.length;
}

async function deleteEntries(
  tx: Tx,
  from: "outbox" | "outbox_held",
  entries: readonly { id: string }[],
): Promise<void> {
  const gone = tx.list(entries.map(({ id }) => id));
  await tx.db.deleteFrom(tx.indexed(from)).where("id", "in", gone).execute();
}

const heldTables = (tx: Tx) => ({
  messages: tx.indexed("messages", "messages_held"),
  deliveries: tx.indexed("webhook_deliveries", "webhook_deliveries_held"),
});

async function countHeld(tx: Tx): Promise<Omit<RestoreHold, "at">> {
  const { messages, deliveries } = heldTables(tx);
  const { rows } = await sql<Omit<RestoreHold, "at">>`
    select
      (select count(*) from ${messages} where held_due_at is not null) as messages,
      (select count(*) from ${deliveries} where held_due_at is not null) as deliveries,
      (select count(*) from outbox_held) as events
  `.execute(tx.db);
  const held = rows[0]!;
  return {
    messages: Number(held.messages),
    deliveries: Number(held.deliveries),
    events: Number(held.events),
  };
}

/** The hold, with what is held now; null if nothing is held. */
export const readRestoreHold = readOperation(
  "readRestoreHold",
  async (tx, _: null): Promise<RestoreHold | null> => {
    const fact = await tx.db
      .selectFrom("installation_facts")
      .select("value")
      .where("name", "=", factName)
      .executeTakeFirst();
    if (!fact) return null;
    return { at: (JSON.parse(fact.value) as RestoreHold).at, ...(await countHeld(tx)) };
  },
);

/** Deletes a hold under which nothing is held any more: its messages were cancelled one by one. */
export const deleteEmptyRestoreHold = writeOperation("deleteEmptyRestoreHold", async (tx, _: null) => {
  await stepOf(tx, { messages: 0, deliveries: 0, events: 0 });
});

/** How many rows one step of ending a hold changed; `done`: nothing is held any more. */
export interface HoldStep {
  messages: number;
  deliveries: number;
  events: number;
  done: boolean;
}

/** Releases held rows, at most `limit` of a kind, with their former due times. Call it until it is done. */
export const releaseHeld = writeOperation(
  "releaseHeld",
  async (tx, input: { at: number; limit: number; detail: string }): Promise<HoldStep> => {
    const { at, limit, detail } = input;
    const messages = await heldMessages(tx, limit);
    if (messages.length > 0) {
      const ids = tx.list(messages.map(({ id }) => id));
      await tx.db
        .updateTable(tx.indexed("messages"))
        .set((eb) => ({
          due_at: eb.ref("held_due_at"),
          held_due_at: null,
          updated_at: at,
          version: eb("version", "+", 1),
        }))
        .where("id", "in", ids)
        .execute();
      await insertNextEntries(tx, messages, { at, detail });
    }
    const deliveries = await releaseDeliveries(tx, limit, (row) => ({
      ...row,
      // A delivery that was replayed while it was held is already due.
      due_at: row.due_at ?? (row.status === "pending" ? row.held_due_at : null),
    }));
    const events = await moveEntries(tx, "outbox_held", "outbox", limit);
    for (const lane of [...messages.map((row) => row.gateway_id), ...deliveries]) tx.changes.due(lane);
    return await stepOf(tx, { messages: messages.length, deliveries: deliveries.length, events });
  },
);

/**
 * Ends held rows instead of sending them, at most `limit` of a kind: messages are cancelled and their credit is refunded, deliveries fail,
 * events are dropped. Call it until it is done.
 */
export const cancelHeld = writeOperation(
  "cancelHeld",
  async (tx, input: { at: number; limit: number; detail: string }): Promise<HoldStep> => {
    const { at, limit, detail } = input;
    const found = await heldMessages(tx, limit);
    const rows = await lockMessages(
      tx,
      found.map(({ id }) => id),
    );
    const changes = new TransitionBatch();
    for (const row of rows.values()) changes.apply(row, { by: "system", step: "cancelled" }, { at, detail });
    await changes.write(tx);
    const deliveries = await releaseDeliveries(tx, limit, (row) => ({
      ...row,
      // Replayed while it was held: that is the later decision.
      ...(row.due_at === null && row.status === "pending" ? ended(row, at, detail) : {}),
    }));
    const entries = await tx.db.selectFrom("outbox_held").select("id").orderBy("id").limit(limit).execute();
    if (entries.length > 0) await deleteEntries(tx, "outbox_held", entries);
    return await stepOf(tx, {
      messages: found.length,
      deliveries: deliveries.length,
      events: entries.length,
    });
  },
);

async function heldMessages(tx: Tx, limit: number) {
  return await tx.db
    .selectFrom(heldTables(tx).messages)
    .select(["id", "account_id", "gateway_id", "status", "version"])
    .where("held_due_at", "is not", null)
    .orderBy("id")
    .limit(limit)
    .modifyEnd(tx.lock("update"))
    .execute();
}

type HeldDelivery = Pick<
  WebhookDeliveriesTable,
  "endpoint_id" | "event_id" | "status" | "due_at" | "held_due_at" | "log"
>;

/** A delivery that is not retried any more, with the reason as the last line of its log. */
function ended(row: HeldDelivery, at: number, reason: string): Pick<HeldDelivery, "status" | "log"> {
  const line: DeliveryAttempt = { at, ms: 0, status: null, reason, answer: null };
  return { status: "failed", log: appendLine(row.log, line) };
}

/** Removes the hold from deliveries and changes them; returns the endpoint of each. */
async function releaseDeliveries(
  tx: Tx,
  limit: number,
  change: (row: HeldDelivery) => HeldDelivery,
): Promise<string[]> {
  const rows = await tx.db
    .selectFrom(heldTables(tx).deliveries)
    .select(["endpoint_id", "event_id", "status", "due_at", "held_due_at", "log"])
    .where("held_due_at", "is not", null)
    .orderBy("endpoint_id")
    .orderBy("event_id")
    .limit(limit)
    .modifyEnd(tx.lock("update"))
    .execute();
  if (rows.length === 0) return [];
  for (const { endpoint_id } of rows) tx.changes.topic(endpoint_id, "deliveries");
  await tx.update(
    "webhook_deliveries",
    { endpoint_id: "text", event_id: "text", status: "text", due_at: "bigint", log: "text" },
    rows.map(change),
    (of) => ({
      set: sql`status = ${of("status")}, due_at = ${of("due_at")}, held_due_at = null, log = ${of("log")}`,
      where: sql`webhook_deliveries.endpoint_id = ${of("endpoint_id")} and webhook_deliveries.event_id = ${of("event_id")}`,
    }),
  );
  return rows.map((row) => row.endpoint_id);
}

/** Asks whether anything is left, rather than whether this step was short: two processes may be working on it. */
async function stepOf(tx: Tx, step: Omit<HoldStep, "done">): Promise<HoldStep> {
  const { messages, deliveries } = heldTables(tx);
  const { rows } = await sql<{ left: number }>`
    select case when exists (select 1 from ${messages} where held_due_at is not null)
      or exists (select 1 from ${deliveries} where held_due_at is not null)
      or exists (select 1 from outbox_held) then 1 else 0 end as "left"
  `.execute(tx.db);
  const done = Number(rows[0]!.left) === 0;
  if (done) await tx.db.deleteFrom("installation_facts").where("name", "=", factName).execute();
  return { ...step, done };
}
