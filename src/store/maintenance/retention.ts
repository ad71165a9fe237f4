// Deletes old rows in batches that are small enough not to delay other calls, each a range of an index, and only ever whole things with
// everything that belongs to them. What is pending or unknown is never removed. Ids sort by time, so a walk is over ids: it starts after
// `after` and ends before `before`. Rows that it passes without removing them are not read again until a new walk starts.

import { sql } from "kysely";
import { groups } from "#contract/messages/states.ts";
import { type Tx, writeOperation } from "#store/database.ts";
import { bodyLengths } from "#store/email/emails.ts";
import { hasPayload } from "#store/messages/contents.ts";
import { lockMessages } from "#store/messages/transitions.ts";
import type { ReceiptsTable } from "#store/schema/feedback.ts";
import type { MessagesTable } from "#store/schema/schema.ts";

/** The rows that one batch passed and removed. */
export interface DeletionStep {
  deleted: number;
  /** Where the next batch continues; null at the end of the range. */
  next: string | null;
}

/** Tables whose rows belong to a single message. */
const belongings = [
  ["message_events"],
  ["message_references", "message_references_message"],
  ["receipts", "receipts_message"],
] as const;
const belongingsOfEmails = ["emails", "email_bodies", "mail_recipients", "engagements"] as const;
type Belonging =
  | (typeof belongings)[number][0]
  | (typeof belongingsOfEmails)[number]
  | "message_payloads"
  | "phone_items"
  | "status_callbacks";

const ended = [...groups.sent, ...groups.notSent] as const;
const hasEnded: ReadonlySet<string> = new Set(ended);

/**
 * Removes messages that have ended and whose last change is before `unchangedSince`, with their events, references and receipts, and their
 * requests once no message of them is left. Reads `limit` messages.
 */
export const deleteMessages = writeOperation(
  "deleteMessages",
  async (
    tx,
    input: { after: string; before: string; unchangedSince: number; limit: number },
  ): Promise<DeletionStep> => {
    const found = await tx.db
      .selectFrom("messages")
      .select(["id", "channel", "status", "updated_at", "version"])
      .where("id", ">", input.after)
      .where("id", "<", input.before)
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const page = await fitting(tx, found);
    const old = (row: { status: string; updated_at: number }) =>
      hasEnded.has(row.status) && row.updated_at < input.unchangedSince;
    // Checked again under the lock: a receipt may have arrived in between.
    const locked = await lockMessages(
      tx,
      page.filter(old).map(({ id }) => id),
    );
    const ids = [...locked.values()].filter(old).map(({ id }) => id);
    await removeWhole(tx, ids);
    return {
      deleted: ids.length,
      next: found.length < input.limit && page.length === found.length ? null : page.at(-1)!.id,
    };
  },
);

/** Limits for one batch: lines of timelines, and bytes of mails. SQLite reads a text to its end to free its pages. */
const maxTimelineEntries = 5000;
const maxBodyBytes = 4 * 1024 * 1024;

/** The first of these messages, as many as one batch may remove; at least one. */
async function fitting<R extends Pick<MessagesTable, "id" | "channel" | "version">>(
  tx: Tx,
  rows: readonly R[],
): Promise<R[]> {
  const mails = rows.filter(({ channel }) => channel === "email").map(({ id }) => id);
  const lengths = mails.length === 0 ? new Map<string, number>() : await bodyLengths(tx, mails);
  let lines = 0;
  let bytes = 0;
  const past = rows.findIndex(({ id, version }, i) => {
    // Each change of a message is a line.
    lines += version;
    bytes += lengths.get(id) ?? 0;
    return i > 0 && (lines > maxTimelineEntries || bytes > maxBodyBytes);
  });
  return past === -1 ? [...rows] : rows.slice(0, past);
}

/** Removes messages, ordered by id, with everything that belongs to them. */
async function removeWhole(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const these = tx.list(ids);
  // The ids are neighbours. For a list alone, PostgreSQL assumes until it has analysed the table that each item may have thousands of rows.
  const [first, last] = [ids[0]!, ids.at(-1)!];
  const removeOf = async (table: Belonging, index?: string) => {
    const rows = tx.db.deleteFrom(tx.indexed<Belonging>(table, index)).where("message_id", "in", these);
    await rows.where("message_id", ">=", first).where("message_id", "<=", last).execute();
  };
  for (const [table, index] of belongings) await removeOf(table, index);
  const gone = await tx.db
    .deleteFrom(tx.indexed("messages"))
    .where("id", "in", these)
    .returning(["request_id", "channel", "content"])
    .execute();
  if (gone.some(({ content }) => hasPayload(content))) await removeOf("message_payloads");
  if (gone.some(({ channel }) => channel === "sms")) await removeOf("phone_items");
  if (gone.some(({ channel }) => channel !== "email")) await removeOf("status_callbacks");
  if (gone.some(({ channel }) => channel === "email")) {
    for (const table of belongingsOfEmails) await removeOf(table);
  }
  const counts = new Map<string, number>();
  for (const { request_id } of gone) counts.set(request_id, (counts.get(request_id) ?? 0) + 1);
  const rows = await tx.update<{ id: string; contacts: number }>(
    "requests",
    { id: "text", count: "bigint" },
    [...counts].map(([id, count]) => ({ id, count })),
    (of) => ({
      set: sql`contacts = contacts - ${of("count")}`,
      where: sql`requests.id = ${of("id")}`,
      returning: sql`requests.id, requests.contacts`,
    }),
  );
  const empty = rows.filter(({ contacts }) => contacts <= 0).map(({ id }) => id);
  if (empty.length === 0) return;
  const requests = tx.list(empty);
  await tx.db
    .deleteFrom(tx.indexed("attachments", "attachments_request"))
    .where("request_id", "in", requests)
    .where("content_deleted_at", "is not", null)
    .execute();
  // A file that still has content becomes unbound: that content is removed in small steps.
  await tx.db
    .updateTable(tx.indexed("attachments", "attachments_request"))
    .set({ request_id: null })
    .where("request_id", "in", requests)
    .execute();
  await tx.db.deleteFrom(tx.indexed("requests")).where("id", "in", requests).execute();
}

/** Removes inbound messages that are older than the retention. */
export const deleteInbound = writeOperation(
  "deleteInbound",
  async (tx, input: { before: string; limit: number }): Promise<DeletionStep> =>
    await removeFirst(tx, "inbound_messages", input),
);

/** Entries of the audit log. */
export const deleteAuditEntries = writeOperation(
  "deleteAuditEntries",
  async (tx, input: { before: string; limit: number }): Promise<DeletionStep> =>
    await removeFirst(tx, "audit_entries", input),
);

async function removeFirst(
  tx: Tx,
  table: "inbound_messages" | "audit_entries",
  input: { before: string; limit: number },
): Promise<DeletionStep> {
  const rows = await tx.db
    .selectFrom(table)
    .select("id")
    .where("id", "<", input.before)
    .orderBy("id")
    .limit(input.limit)
    .execute();
  const ids = tx.list(rows.map(({ id }) => id));
  await tx.db.deleteFrom(tx.indexed<typeof table>(table)).where("id", "in", ids).execute();
  return { deleted: rows.length, next: rows.length < input.limit ? null : rows.at(-1)!.id };
}

/** A position among the unmatched receipts, in the order of `receipts_waiting`; `passed`: after the gateway's last one. */
type UnmatchedPlace = { gateway: string } & ({ reference: string | null; key: string } | { passed: true });

/** Gateways that one batch covers. */
const gatewaysAtOnce = 200;

/**
 * Removes receipts that matched no message in time: their messages were not sent from here or were deleted before them. The row of their
 * reference is removed too. Reads `limit` receipts, all of them unmatched.
 */
export const deleteUnmatchedReceipts = writeOperation(
  "deleteUnmatchedReceipts",
  async (tx, input: { after: string; before: number; limit: number }): Promise<DeletionStep> => {
    const { rows, next } = await unmatchedPage(tx, input);
    const old = rows.filter((row) => row.received_at < input.before);
    if (old.length > 0) {
      const keys = tx.rows("old", { gateway_id: "text", key: "text", reference: "text" }, old);
      await sql`
        delete from ${tx.indexed("message_references")} where message_id is null
          and (gateway_id, reference) in (select gateway_id, reference from ${keys})
      `.execute(tx.db);
      await sql`
        delete from ${tx.indexed("receipts")} where applied = 0
          and (gateway_id, key) in (select gateway_id, key from ${keys})
      `.execute(tx.db);
    }
    return { deleted: old.length, next };
  },
);

async function unmatchedPage(tx: Tx, { after, limit }: { after: string; limit: number }) {
  const place = after === "" ? null : (JSON.parse(after) as UnmatchedPlace);
  const from = [place && "passed" in place ? ">" : ">=", place?.gateway ?? ""] as const;
  const idsIn = (table: "gateways" | "deleted_gateways") =>
    tx.db
      .selectFrom(table)
      .select("id")
      .where("id", ...from)
      .orderBy("id")
      .limit(gatewaysAtOnce)
      .execute();
  // Reports on a gateway's messages may have arrived before it was deleted.
  const gateways = [...(await idsIn("gateways")), ...(await idsIn("deleted_gateways"))]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, gatewaysAtOnce);
  const rows: Pick<ReceiptsTable, "gateway_id" | "key" | "reference" | "received_at">[] = [];
  const placeOf = (next: UnmatchedPlace | null) => ({ rows, next: next && JSON.stringify(next) });
  for (const { id: gateway } of gateways) {
    const from = place && "key" in place && place.gateway === gateway ? place : { reference: null, key: "" };
    const those = tx.db
      .selectFrom(tx.indexed("receipts", "receipts_waiting"))
      .select(["gateway_id", "key", "reference", "received_at"])
      // As a literal, which planners can match with the index's condition.
      .where("applied", "=", sql.lit(0))
      .where("gateway_id", "=", gateway);
    // Receipts without a reference are a range of their own: the two engines sort null differently.
    if (from.reference === null) {
      const page = those.where("reference", "is", null).where("key", ">", from.key).orderBy("key");
      rows.push(...(await page.limit(limit - rows.length).execute()));
    }
    if (rows.length < limit) {
      const reference = from.reference ?? "";
      const page = those.where("reference", "is not", null);
      const behind = page.where(
        sql<boolean>`(reference, key) > (${reference}, ${from.reference === null ? "" : from.key})`,
      );
      rows.push(
        ...(await behind
          .orderBy("reference")
          .orderBy("key")
          .limit(limit - rows.length)
          .execute()),
      );
    }
    if (rows.length < limit) continue;
    const { reference, key } = rows.at(-1)!;
    return placeOf({ gateway, reference, key });
  }
  const last = gateways.at(-1);
  return placeOf(last && gateways.length === gatewaysAtOnce ? { gateway: last.id, passed: true } : null);
}

/**
 * Removes webhook events with their deliveries, once all of these have ended. The walk is by the time of the event; `after` is a position
 * in it, as `next` returns it. Reads `limit` events.
 */
export const deleteWebhookEvents = writeOperation(
  "deleteWebhookEvents",
  async (tx, input: { after: string; before: number; limit: number }): Promise<DeletionStep> => {
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
    if (!last) return { deleted: 0, next: null };
    const looked = page.map((event) => event.id);
    const deliveries = await tx.db
      .selectFrom(tx.indexed("webhook_deliveries", "webhook_deliveries_event"))
      .select(["endpoint_id", "event_id", "status", "held_due_at"])
      .where("event_id", "in", tx.list(looked))
      .orderBy("endpoint_id")
      .orderBy("event_id")
      // A replay waits for this transaction, or this one sees what it made pending again.
      .modifyEnd(tx.lock("update"))
      .execute();
    const kept = new Set(
      deliveries.flatMap((row) =>
        row.status === "pending" || row.held_due_at !== null ? [row.event_id] : [],
      ),
    );
    const ids = looked.filter((event) => !kept.has(event));
    if (ids.length > 0) {
      const these = tx.list(ids);
      await tx.db
        .deleteFrom(tx.indexed("webhook_deliveries", "webhook_deliveries_event"))
        .where("event_id", "in", these)
        .execute();
      await tx.db.deleteFrom(tx.indexed("webhook_events")).where("id", "in", these).execute();
    }
    return { deleted: ids.length, next: page.length < input.limit ? null : `${last.at} ${last.id}` };
  },
);
