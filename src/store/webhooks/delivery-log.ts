// The log of webhook deliveries, always for one account, and replays.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { DeliveryStatus, WebhookDeliveriesTable } from "#store/schema/webhooks.ts";
import { lockEndpoint } from "./endpoints.ts";
import { messageEventId, messageOfEvent } from "./outbox.ts";

export type DeliveryRow = WebhookDeliveriesTable & {
  /** When it happened. */
  at: number;
  /** The message that the event is about; null for another event, and for a message that retention has removed. */
  message: DeliveryMessage | null;
};

export interface DeliveryMessage {
  id: string;
  recipient: string;
}

/** Positions in the log's order, which is (created_at, event_id). */
export interface DeliveryCursor {
  createdAt: number;
  eventId: string;
}

/** Whether the endpoint is the account's. */
export async function owns(tx: Tx, accountId: string, endpointId: string): Promise<boolean> {
  const row = await tx.db
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("id", "=", endpointId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row !== undefined;
}

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  /** The type of the event. */
  type?: string | undefined;
  /** Epoch ms at which the delivery was made: at or after the first, before the second. */
  from?: number | undefined;
  to?: number | undefined;
}

/**
 * An endpoint's newest deliveries before a position; null if the account has no such endpoint. No index has status and type, so a page
 * with one of these filters looks at `maxScanned` deliveries at most. `lookedTo`: the position to continue from; null if none is left.
 */
export const listDeliveries = readOperation(
  "listDeliveries",
  async (
    tx,
    input: {
      accountId: string;
      endpointId: string;
      filter: DeliveryFilter;
      before: DeliveryCursor | null;
      limit: number;
      maxScanned: number;
    },
  ): Promise<{ rows: DeliveryRow[]; lookedTo: DeliveryCursor | null } | null> => {
    const { accountId, endpointId, filter, before, limit, maxScanned } = input;
    const { status, type, from, to } = filter;
    if (!(await owns(tx, accountId, endpointId))) return null;
    let query = tx.db
      .selectFrom(tx.indexed("webhook_deliveries", "webhook_deliveries_recent"))
      .select(["event_id", "created_at", "status", "type"])
      .where("endpoint_id", "=", endpointId);
    if (from !== undefined) query = query.where("created_at", ">=", from);
    if (to !== undefined) query = query.where("created_at", "<", to);
    if (before !== null)
      query = query.where(sql<boolean>`(created_at, event_id) < (${before.createdAt}, ${before.eventId})`);
    const looked = status === undefined && type === undefined ? limit : Math.max(limit, maxScanned);
    const scanned = await query
      .orderBy("created_at", "desc")
      .orderBy("event_id", "desc")
      .limit(looked)
      .execute();
    const matching = scanned
      .filter((row) => row.status === (status ?? row.status) && row.type === (type ?? row.type))
      .slice(0, limit);
    const last = matching.length === limit ? matching.at(-1) : scanned.at(-1);
    const isAll = matching.length < limit && scanned.length < looked;
    return {
      rows: await wholeRows(tx, accountId, endpointId, matching),
      lookedTo: isAll || !last ? null : { createdAt: last.created_at, eventId: last.event_id },
    };
  },
);

/** The deliveries of these events, in their order. One that retention has just removed is left out. */
async function wholeRows(
  tx: Tx,
  accountId: string,
  endpointId: string,
  events: readonly { event_id: string }[],
): Promise<DeliveryRow[]> {
  if (events.length === 0) return [];
  const rows = await tx.db
    .selectFrom(tx.indexed("webhook_deliveries"))
    .crossJoin(tx.indexed("webhook_events"))
    .whereRef("webhook_events.id", "=", "webhook_deliveries.event_id")
    .selectAll("webhook_deliveries")
    .select("webhook_events.at")
    .where("webhook_deliveries.endpoint_id", "=", endpointId)
    .where("webhook_deliveries.event_id", "in", tx.list(events.map(({ event_id }) => event_id)))
    .execute();
  const byEvent = new Map((await withMessages(tx, accountId, rows)).map((row) => [row.event_id, row]));
  return events.flatMap(({ event_id }) => byEvent.get(event_id) ?? []);
}

/** The rows with the messages of their events, which are found by the ids of the events. */
async function withMessages<Row extends { event_id: string }>(
  tx: Tx,
  accountId: string,
  rows: readonly Row[],
): Promise<(Row & Pick<DeliveryRow, "message">)[]> {
  const ids = [...new Set(rows.flatMap(({ event_id }) => messageOfEvent(event_id) ?? []))];
  const messages =
    ids.length === 0
      ? []
      : await tx.db
          .selectFrom(tx.indexed("messages"))
          .select(["id", "recipient"])
          .where("id", "in", tx.list(ids))
          .where("account_id", "=", accountId)
          .execute();
  const byId = new Map(messages.map((message) => [message.id, message]));
  return rows.map((row) => ({ ...row, message: byId.get(messageOfEvent(row.event_id) ?? "") ?? null }));
}

/** One delivery with its payload; null if the account's endpoint has none of this event. */
export const findDelivery = readOperation(
  "findDelivery",
  async (
    tx,
    input: { accountId: string; endpointId: string; eventId: string },
  ): Promise<(DeliveryRow & { body: string }) | null> => {
    const { accountId, endpointId, eventId } = input;
    if (!(await owns(tx, accountId, endpointId))) return null;
    const row = await tx.db
      .selectFrom(tx.indexed("webhook_deliveries"))
      .crossJoin(tx.indexed("webhook_events"))
      .whereRef("webhook_events.id", "=", "webhook_deliveries.event_id")
      .selectAll("webhook_deliveries")
      .select(["webhook_events.at", "webhook_events.body"])
      .where("webhook_deliveries.endpoint_id", "=", endpointId)
      .where("webhook_deliveries.event_id", "=", eventId)
      .executeTakeFirst();
    return row === undefined ? null : (await withMessages(tx, accountId, [row]))[0]!;
  },
);

/** The deliveries of a message's events, in the order of the events; none for another account's message. */
export const listMessageDeliveries = readOperation(
  "listMessageDeliveries",
  async (tx, input: { accountId: string; messageId: string; limit: number }): Promise<DeliveryRow[]> => {
    // The ids of a message's events differ in their last digits only, so they are one range of the index.
    const prefix = messageEventId(input.messageId, 0).slice(0, -1);
    const rows = await tx.db
      .selectFrom(tx.indexed("webhook_deliveries", "webhook_deliveries_event"))
      .crossJoin(tx.indexed("webhook_events"))
      .whereRef("webhook_events.id", "=", "webhook_deliveries.event_id")
      .selectAll("webhook_deliveries")
      .select("webhook_events.at")
      .where("webhook_deliveries.event_id", ">=", prefix)
      .where("webhook_deliveries.event_id", "<", `${prefix}:`)
      .where("webhook_deliveries.account_id", "=", input.accountId)
      .orderBy("webhook_deliveries.event_id")
      .limit(input.limit)
      .execute();
    const number = ({ event_id }: { event_id: string }) => Number(event_id.slice(prefix.length));
    const found = await withMessages(tx, input.accountId, rows);
    return found.sort((a, b) => number(a) - number(b) || (a.endpoint_id < b.endpoint_id ? -1 : 1));
  },
);

export type ReplayResult = "replayed" | "inactive" | "not_found";

/** Makes a delivery due again at `at`, with its full number of attempts; its log is kept. */
export const replayDelivery = writeOperation(
  "replayDelivery",
  async (
    tx,
    input: { accountId: string; endpointId: string; eventId: string; at: number },
  ): Promise<ReplayResult> => {
    const { accountId, endpointId, eventId, at } = input;
    const endpoint = await lockEndpoint(tx, endpointId);
    if (!endpoint || endpoint.account_id !== accountId) return "not_found";
    const row = await tx.db
      .selectFrom("webhook_deliveries")
      .select("event_id")
      .where("endpoint_id", "=", endpointId)
      .where("event_id", "=", eventId)
      .executeTakeFirst();
    if (!row) return "not_found";
    // Nothing waits for a disabled endpoint.
    if (endpoint.active === 0) return "inactive";
    await tx.db
      .updateTable("webhook_deliveries")
      .set(dueAgain(at))
      .where("endpoint_id", "=", endpointId)
      .where("event_id", "=", eventId)
      .execute();
    announceDue(tx, endpointId);
    return "replayed";
  },
);

/** Wakes the endpoint's lane, and the pages that show its deliveries. */
export function announceDue(tx: Tx, endpointId: string): void {
  tx.changes.due(endpointId);
  tx.changes.topic(endpointId, "deliveries");
}

const dueAgain = (at: number) => ({
  status: "pending" as const,
  due_at: at,
  held_due_at: null,
  attempts: 0,
  updated_at: at,
});

/** Deliveries that one step reads, so that few failed ones among a million occupy the writer only for milliseconds. */
const maxScanned = 5000;

/**
 * Makes failed deliveries due again, oldest first, after a position in their order: at most `limit`. `next`: the position to continue from;
 * null if these were the last.
 */
export const replayFailed = writeOperation(
  "replayFailed",
  async (
    tx,
    input: { accountId: string; endpointId: string; after: DeliveryCursor; at: number; limit: number },
  ): Promise<
    | { kind: "replayed"; count: number; next: DeliveryCursor | null }
    | { kind: "inactive" }
    | { kind: "not_found" }
  > => {
    const { accountId, endpointId, after, at, limit } = input;
    const endpoint = await lockEndpoint(tx, endpointId);
    if (!endpoint || endpoint.account_id !== accountId) return { kind: "not_found" };
    if (endpoint.active === 0) return { kind: "inactive" };
    const scanned = await scan(tx, endpointId, after, Math.max(limit, maxScanned));
    const rows = scanned.filter(({ status }) => status === "failed").slice(0, limit);
    const last =
      rows.length === limit ? rows.at(-1) : scanned.length >= maxScanned ? scanned.at(-1) : undefined;
    const next = last ? { createdAt: last.created_at, eventId: last.event_id } : null;
    if (rows.length === 0) return { kind: "replayed", count: 0, next };
    const eventIds = rows.map(({ event_id }) => event_id);
    await tx.db
      .updateTable(tx.indexed("webhook_deliveries"))
      .set(dueAgain(at))
      .where("endpoint_id", "=", endpointId)
      // A failed row has ended, so nothing else locks it except another replay, which waits for the endpoint.
      .where("status", "=", "failed")
      .where("event_id", "in", tx.list(eventIds))
      .execute();
    announceDue(tx, endpointId);
    return { kind: "replayed", count: rows.length, next };
  },
);

/** An endpoint's deliveries after a position, oldest first. */
const scan = (tx: Tx, endpointId: string, after: DeliveryCursor, limit: number) =>
  tx.db
    .selectFrom(tx.indexed("webhook_deliveries", "webhook_deliveries_recent"))
    .select(["event_id", "created_at", "status"])
    .where("endpoint_id", "=", endpointId)
    .where(sql<boolean>`(created_at, event_id) > (${after.createdAt}, ${after.eventId})`)
    .orderBy("created_at")
    .orderBy("event_id")
    .limit(limit)
    .execute();

/** Deliveries that a count reads in total, and in one query: PostgreSQL sorts the table rather than read many rows by an index. */
const maxCounted = 20_000;
const countedAtOnce = 500;

/** How many of an endpoint's deliveries since a time have failed. `more`: some deliveries were not counted. */
export const countFailed = readOperation(
  "countFailed",
  async (
    tx,
    input: { accountId: string; endpointId: string; since: number },
  ): Promise<{ count: number; more: boolean } | null> => {
    const { accountId, endpointId, since } = input;
    if (!(await owns(tx, accountId, endpointId))) return null;
    let count = 0;
    let seen = 0;
    // After every event of the instant before.
    let after: DeliveryCursor = { createdAt: since, eventId: "" };
    for (;;) {
      const rows = await scan(tx, endpointId, after, countedAtOnce);
      const looked = rows.slice(0, maxCounted - seen);
      count += looked.filter(({ status }) => status === "failed").length;
      seen += looked.length;
      if (looked.length < rows.length) return { count, more: true };
      const last = rows.at(-1);
      if (rows.length < countedAtOnce || last === undefined) return { count, more: false };
      after = { createdAt: last.created_at, eventId: last.event_id };
    }
  },
);

/** An event for one endpoint only, even if its patterns do not match. */
export const storeTestEvent = writeOperation(
  "storeTestEvent",
  async (
    tx,
    input: {
      accountId: string;
      endpointId: string;
      event: { id: string; type: string; at: number; body: string };
    },
  ): Promise<"stored" | "inactive" | "status_callbacks" | "not_found"> => {
    const { accountId, endpointId, event } = input;
    const endpoint = await lockEndpoint(tx, endpointId);
    if (!endpoint || endpoint.account_id !== accountId) return "not_found";
    if (endpoint.active === 0) return "inactive";
    // Its URLs are those of messages, and a test event has none.
    if (endpoint.format !== null) return "status_callbacks";
    await tx.db
      .insertInto("webhook_events")
      .values({ ...event, account_id: accountId })
      .execute();
    await tx.db
      .insertInto("webhook_deliveries")
      .values({
        endpoint_id: endpointId,
        event_id: event.id,
        account_id: accountId,
        type: event.type,
        priority: 0,
        due_at: event.at,
        held_due_at: null,
        status: "pending",
        attempts: 0,
        log: "[]",
        created_at: event.at,
        updated_at: event.at,
      })
      .execute();
    announceDue(tx, endpointId);
    return "stored";
  },
);

/** Pending deliveries, for metrics; counts at most 100,000 of each. */
export const countWebhooks = readOperation("countWebhooks", async (tx, _: null) => {
  const { rows } = await sql<{ entries: number; deliveries: number }>`
    select
      (select count(*) from (select id from outbox limit 100000) as entries) as entries,
      (select count(*) from (
        select event_id from ${tx.indexed("webhook_deliveries", "webhook_deliveries_due")} where due_at is not null
        order by endpoint_id limit 100000
      ) as waiting) as deliveries
  `.execute(tx.db);
  const { entries, deliveries } = rows[0]!;
  return { entries: Number(entries), deliveries: Number(deliveries) };
});
