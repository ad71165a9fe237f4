// Removing what is old: in batches that are small enough to hurt nobody, each a range of an index, and only
// ever whole things with all that belongs to them. What is pending or unknown is never removed.
//
// Ids sort by time, so a walk is over ids: it starts behind `after` and ends before `before`. The rows that it
// passes without removing them are not looked at again until a new walk is begun.

import { sql } from "kysely";
import { groups } from "#contract/states.ts";
import { lockMessages } from "./change.ts";
import { type Tx, writeOperation } from "./database.ts";

/** What one batch did. */
export interface Removal {
  removed: number;
  /** Where the next batch goes on; null: there is nothing more before the end of the range. */
  next: string | null;
}

/** What belongs to a message alone. */
const belongings = ["events", "message_references", "receipts"] as const;
const belongingsOfEmails = ["emails", "email_bodies", "engagements"] as const;

const ended = [...groups.sent, ...groups.notSent] as const;
const hasEnded: ReadonlySet<string> = new Set(ended);

const listOf = (tx: Tx, ids: readonly string[]) =>
  tx.rows(
    "old",
    { id: "text" },
    ids.map((id) => ({ id })),
  );

/**
 * Messages that have ended and whose last change is before `unchangedSince`, with their events, references and
 * receipts, and with their requests once these have no message left. Looks at `limit` messages.
 */
export const removeMessages = writeOperation(
  "removeMessages",
  async (
    tx,
    input: { after: string; before: string; unchangedSince: number; limit: number },
  ): Promise<Removal> => {
    const page = await tx.db
      .selectFrom("messages")
      .select(["id", "status", "updated_at"])
      .where("id", ">", input.after)
      .where("id", "<", input.before)
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const old = (row: { status: string; updated_at: number }) =>
      hasEnded.has(row.status) && row.updated_at < input.unchangedSince;
    // Asked again under the lock: a receipt may have come in between.
    const locked = await lockMessages(
      tx,
      page.filter(old).map(({ id }) => id),
    );
    const ids = [...locked.values()].filter(old).map(({ id }) => id);
    await removeWhole(tx, ids);
    return { removed: ids.length, next: page.length < input.limit ? null : page.at(-1)!.id };
  },
);

async function removeWhole(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const old = listOf(tx, ids);
  const these = sql<string>`(select id from ${old})`;
  for (const table of belongings) await tx.db.deleteFrom(table).where("message_id", "in", these).execute();
  const gone = await tx.db
    .deleteFrom("messages")
    .where("id", "in", these)
    .returning(["request_id", "channel"])
    .execute();
  if (gone.some(({ channel }) => channel === "email")) {
    for (const table of belongingsOfEmails)
      await tx.db.deleteFrom(table).where("message_id", "in", these).execute();
  }
  const counts = new Map<string, number>();
  for (const { request_id } of gone) counts.set(request_id, (counts.get(request_id) ?? 0) + 1);
  const fewer = tx.rows(
    "fewer",
    { id: "text", count: "bigint" },
    [...counts].map(([id, count]) => ({ id, count })),
  );
  const { rows } = await sql<{ id: string; contacts: number }>`
    update requests set contacts = contacts - fewer.count from ${fewer} where requests.id = fewer.id
    returning requests.id, requests.contacts
  `.execute(tx.db);
  const empty = rows.filter(({ contacts }) => contacts <= 0).map(({ id }) => id);
  if (empty.length === 0) return;
  const requests = sql<string>`(select id from ${listOf(tx, empty)})`;
  await tx.db
    .deleteFrom("attachments")
    .where("request_id", "in", requests)
    .where("emptied_at", "is not", null)
    .execute();
  // One that still has its content becomes loose: that is removed in small steps, and is old enough to be.
  await tx.db
    .updateTable("attachments")
    .set({ request_id: null })
    .where("request_id", "in", requests)
    .execute();
  await tx.db.deleteFrom("requests").where("id", "in", requests).execute();
}

/** Inbound messages. */
export const removeInbound = writeOperation(
  "removeInbound",
  async (tx, input: { before: string; limit: number }): Promise<Removal> =>
    await removeFirst(tx, "inbound_messages", input),
);

/** Entries of the audit log. */
export const removeAudit = writeOperation(
  "removeAudit",
  async (tx, input: { before: string; limit: number }): Promise<Removal> =>
    await removeFirst(tx, "audit_entries", input),
);

async function removeFirst(
  tx: Tx,
  table: "inbound_messages" | "audit_entries",
  input: { before: string; limit: number },
): Promise<Removal> {
  const rows = await tx.db
    .selectFrom(table)
    .select("id")
    .where("id", "<", input.before)
    .orderBy("id")
    .limit(input.limit)
    .execute();
  const last = rows.at(-1);
  if (!last) return { removed: 0, next: null };
  await tx.db.deleteFrom(table).where("id", "<=", last.id).execute();
  return { removed: rows.length, next: rows.length < input.limit ? null : last.id };
}

/**
 * Receipts that met no message in time: of somebody else's messages, or of messages that were removed before
 * them. With them goes the note of their reference.
 */
export const removeUnmatched = writeOperation(
  "removeUnmatched",
  async (tx, input: { before: number; limit: number }): Promise<Removal> => {
    const rows = await tx.db
      .selectFrom("receipts")
      .select(["gateway_id", "key", "reference"])
      .where("applied", "=", 0)
      .where("received_at", "<", input.before)
      .limit(input.limit)
      .execute();
    if (rows.length === 0) return { removed: 0, next: null };
    const old = tx.rows("old", { gateway_id: "text", key: "text", reference: "text" }, rows);
    await sql`
      delete from message_references where message_id is null
        and (gateway_id, reference) in (select gateway_id, reference from ${old})
    `.execute(tx.db);
    await sql`
      delete from receipts where applied = 0 and (gateway_id, key) in (select gateway_id, key from ${old})
    `.execute(tx.db);
    return { removed: rows.length, next: rows.length < input.limit ? null : "" };
  },
);

/**
 * Webhook events with their deliveries, once all of these have ended. The walk is by the time of the event;
 * `after` is a place in it, as `next` gives it. Looks at `limit` events.
 */
export const removeWebhookEvents = writeOperation(
  "removeWebhookEvents",
  async (tx, input: { after: string; before: number; limit: number }): Promise<Removal> => {
    const [at = "0", id = ""] = input.after === "" ? [] : input.after.split(" ");
    const page = await tx.db
      .selectFrom("webhook_events")
      .select(["at", "id"])
      .where("at", "<", input.before)
      .where(sql<boolean>`(at, id) > (${Number(at)}, ${id})`)
      .orderBy("at")
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const last = page.at(-1);
    if (!last) return { removed: 0, next: null };
    const old = listOf(
      tx,
      page.map((event) => event.id),
    );
    const deliveries = await tx.db
      .selectFrom("webhook_deliveries")
      .select(["endpoint_id", "event_id", "status", "held_due_at"])
      .where("event_id", "in", sql<string>`(select id from ${old})`)
      .orderBy("endpoint_id")
      .orderBy("event_id")
      // A replay waits for this, or this sees what it made pending again.
      .modifyEnd(tx.lock("update"))
      .execute();
    const kept = new Set(
      deliveries.flatMap((row) =>
        row.status === "pending" || row.held_due_at !== null ? [row.event_id] : [],
      ),
    );
    const ids = page.map((event) => event.id).filter((event) => !kept.has(event));
    if (ids.length > 0) {
      const these = sql<string>`(select id from ${listOf(tx, ids)})`;
      await tx.db.deleteFrom("webhook_deliveries").where("event_id", "in", these).execute();
      await tx.db.deleteFrom("webhook_events").where("id", "in", these).execute();
    }
    return { removed: ids.length, next: page.length < input.limit ? null : `${last.at} ${last.id}` };
  },
);
