// Turns entries of the outbox into events and their deliveries, in one transaction that deletes the entries. A crash before or after it
// neither loses nor duplicates an event, because an event's id is derived from the change.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { withContentColumns } from "#store/messages/contents.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { acceptedSnapshot, type MessageSnapshot } from "#store/schema/message-state.ts";
import type { OutboxTable, WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import { type EngagementData, messageEventId, type RequestEntry } from "./outbox.ts";
import { withStatusCallback } from "./status-callbacks.ts";

/** The entry of an accepted request, part of which has become events: the messages after `after` are left. */
type RequestProgress = RequestEntry & { after?: string };

/** An event that was read from the outbox. */
export interface OutboxEvent {
  id: string;
  entry_id: string;
  account_id: string;
  type: string;
  at: number;
  priority: number;
  /** The message at that time; null if the event is about something else, which is in `data`. */
  message: MessageRow | null;
  /** JSON: the event's data, or its data besides the message; empty if there is none. */
  data: string;
}

/** An entry that was read, and its fate once its events are stored: its data becomes `next`, or (null) it is deleted. */
export interface OutboxPageStep {
  id: string;
  data: string;
  next: string | null;
}

export interface OutboxPage {
  events: OutboxEvent[];
  steps: OutboxPageStep[];
  /** The active endpoints of their accounts. */
  endpoints: Pick<WebhookEndpointsTable, "id" | "account_id" | "events" | "format">[];
  /** Of the messages, those with a status callback; empty if no endpoint posts those. */
  withStatusCallback: readonly string[];
  /** The outbox may have more rows. */
  more: boolean;
}

/** Requests of which one call reads a page. */
const requestBatchSize = 50;
/** However many requests there are, small ones (see `queue/priority.ts`) fit into their share as a whole. */
const minShare = 10;

/**
 * Reads entries ordered by id, which is the order of what they are about, and divides `limit` further places among the requests, so that a
 * huge request does not delay others.
 */
export const readOutbox = readOperation(
  "readOutbox",
  async (tx, input: { limit: number }): Promise<OutboxPage> => {
    const entries = await tx.db
      .selectFrom(tx.indexed("outbox"))
      .selectAll()
      .where("type", "!=", "request")
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const requests = await tx.db
      .selectFrom(tx.indexed("outbox", "outbox_requests"))
      .selectAll()
      // As a literal, which planners can match with the index's condition.
      .where(sql<boolean>`type = 'request'`)
      .orderBy("id")
      .limit(requestBatchSize)
      .execute();
    const share = Math.max(minShare, Math.floor(input.limit / Math.max(1, requests.length)));
    const events: OutboxEvent[] = await readEntries(tx, entries);
    const steps: OutboxPageStep[] = entries.map(({ id, data }) => ({ id, data, next: null }));
    for (const entry of requests) {
      const page = await readRequest(tx, entry, share);
      events.push(...page.events);
      steps.push({ id: entry.id, data: entry.data, next: page.next });
    }
    await addIdentifiers(tx, events);
    const accounts = [...new Set(events.map(({ account_id }) => account_id))];
    const endpoints =
      accounts.length === 0
        ? []
        : await tx.db
            .selectFrom("webhook_endpoints")
            .select(["id", "account_id", "events", "format"])
            .where("account_id", "in", accounts)
            .where("active", "=", 1)
            .orderBy("id")
            .execute();
    const postsCallbacks = new Set(
      endpoints.flatMap(({ account_id, format }) => (format === null ? [] : [account_id])),
    );
    const callbacks = await withStatusCallback(
      tx,
      events.flatMap(({ message }) =>
        message !== null && postsCallbacks.has(message.account_id) ? [message.id] : [],
      ),
    );
    const more =
      entries.length === input.limit ||
      requests.length === requestBatchSize ||
      steps.some(({ next }) => next !== null);
    return { events, steps, endpoints, withStatusCallback: callbacks, more };
  },
);

async function readEntries(tx: Tx, entries: readonly OutboxTable[]): Promise<OutboxEvent[]> {
  const ids = entries.flatMap(({ message_id }) => (message_id === null ? [] : [message_id]));
  const rows =
    ids.length === 0
      ? []
      : await tx.db.selectFrom(tx.indexed("messages")).selectAll().where("id", "in", tx.list(ids)).execute();
  const messages = new Map((await withContentColumns(tx, rows)).map((row) => [row.id, row]));
  return entries.flatMap(({ message_id, ...entry }): OutboxEvent[] => {
    const head = { ...entry, entry_id: entry.id };
    if (message_id === null) return [{ ...head, message: null }];
    const row = messages.get(message_id);
    // Removed by retention since: there is nothing left to report.
    if (!row) return [];
    const { engagement, ...changed } = JSON.parse(entry.data) as MessageSnapshot & EngagementData;
    const data = engagement === undefined ? "" : JSON.stringify({ engagement });
    return [{ ...head, message: unnamed({ ...row, ...changed }), data }];
  });
}

/** A page of an accepted request's messages, each in its state at acceptance. */
async function readRequest(
  tx: Tx,
  entry: OutboxTable,
  limit: number,
): Promise<{ events: OutboxEvent[]; next: string | null }> {
  const progress = JSON.parse(entry.data) as RequestProgress;
  const { request_id, first_id, last_id, after } = progress;
  const rows = await tx.db
    .selectFrom(tx.indexed("messages"))
    .selectAll()
    .where("id", after === undefined ? ">=" : ">", after ?? first_id)
    .where("id", "<=", last_id)
    .where("request_id", "=", request_id)
    .orderBy("id")
    .limit(limit)
    .execute();
  const events = (await withContentColumns(tx, rows)).map((row): OutboxEvent => {
    const status = row.schedule_at === null ? "queued" : "scheduled";
    return {
      id: messageEventId(row.id, 0),
      entry_id: entry.id,
      account_id: row.account_id,
      type: `message.${status}`,
      at: row.created_at,
      priority: entry.priority,
      message: unnamed({
        ...row,
        ...acceptedSnapshot({
          status,
          due_at: Math.max(row.created_at, row.scheduled_for ?? row.created_at),
          updated_at: row.created_at,
          gateway_id: row.gateway_id,
        }),
        ...(row.channel === "email" ? { opened_at: null, open_count: 0 } : {}),
      }),
      data: "",
    };
  });
  const last = rows.at(-1);
  const done = last === undefined || rows.length < limit || last.id === last_id;
  return { events, next: done ? null : JSON.stringify({ ...progress, after: last.id }) };
}

const unnamed = (row: Omit<MessageRow, "identifier">): MessageRow => ({ ...row, identifier: "" });

/** A message's gateway at the time of the event, which may differ from the present one. */
async function addIdentifiers(tx: Tx, events: readonly OutboxEvent[]): Promise<void> {
  const messages = events.flatMap(({ message }) => (message === null ? [] : [message]));
  const ids = [...new Set(messages.map(({ gateway_id }) => gateway_id))];
  if (ids.length === 0) return;
  const named = (table: "gateways" | "deleted_gateways") =>
    tx.db.selectFrom(table).select(["id", "identifier"]).where("id", "in", ids);
  const rows = [...(await named("gateways").execute())];
  if (rows.length < ids.length) rows.push(...(await named("deleted_gateways").execute()));
  const identifiers = new Map(rows.map(({ id, identifier }) => [id, identifier]));
  for (const message of messages) message.identifier = identifiers.get(message.gateway_id) ?? "";
}

export interface FanOutEvent {
  id: string;
  entry_id: string;
  account_id: string;
  type: string;
  at: number;
  priority: number;
  body: string;
  /** The ids of the endpoints to deliver it to. */
  endpoints: string[];
}

/**
 * Stores events with their deliveries, and updates or deletes each entry; entries that changed since they were read (another process has
 * handled them) are left out. Returns the endpoints that have new deliveries.
 */
export const storeFanOut = writeOperation(
  "storeFanOut",
  async (tx, input: { at: number; steps: OutboxPageStep[]; events: FanOutEvent[] }): Promise<string[]> => {
    const { at, steps: entries } = input;
    const held = await lockEntries(tx, entries);
    const current = entries.filter(({ id, data }) => held.get(id) === data);
    const currentIds = new Set(current.map(({ id }) => id));
    const events = input.events.filter(({ entry_id }) => currentIds.has(entry_id));
    const active = await shareActive(tx, new Set(events.flatMap(({ endpoints }) => endpoints)));
    const deliveries = events.flatMap(({ id, endpoints, account_id, type, priority }) =>
      endpoints
        .filter((endpoint) => active.has(endpoint))
        .map((endpoint_id) => ({ endpoint_id, event_id: id, account_id, type, priority })),
    );
    const delivered = new Set(deliveries.map(({ event_id }) => event_id));
    await insertEvents(
      tx,
      events.filter(({ id }) => delivered.has(id)),
    );
    await insertDeliveries(tx, deliveries, at);
    await takeSteps(tx, current);
    return [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))];
  },
);

async function lockEntries(tx: Tx, entries: readonly OutboxPageStep[]): Promise<ReadonlyMap<string, string>> {
  if (entries.length === 0) return new Map();
  const ids = tx.list(entries.map(({ id }) => id));
  const rows = await tx.db
    .selectFrom(tx.indexed("outbox"))
    .select(["id", "data"])
    .where("id", "in", ids)
    .orderBy("id")
    .modifyEnd(tx.lock("update"))
    .execute();
  return new Map(rows.map(({ id, data }) => [id, data]));
}

/** Those that are still active; locked with `for share`, so that none is disabled or removed before this is stored. */
async function shareActive(tx: Tx, endpointIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (endpointIds.size === 0) return endpointIds;
  const rows = await tx.db
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("id", "in", [...endpointIds])
    .where("active", "=", 1)
    .orderBy("id")
    .modifyEnd(tx.lock("share"))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function insertEvents(tx: Tx, events: readonly FanOutEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = tx.rows(
    "events",
    { id: "text", account_id: "text", type: "text", at: "bigint", body: "text" },
    events,
  );
  await sql`
    insert into webhook_events (id, account_id, type, at, body)
    select id, account_id, type, at, body from ${rows} where true
    on conflict (id) do nothing
  `.execute(tx.db);
}

async function insertDeliveries(
  tx: Tx,
  deliveries: readonly { endpoint_id: string }[],
  at: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  for (const { endpoint_id } of deliveries) {
    tx.changes.due(endpoint_id, at);
    tx.changes.topic(endpoint_id, "deliveries");
  }
  const rows = tx.rows(
    "deliveries",
    { endpoint_id: "text", event_id: "text", account_id: "text", type: "text", priority: "bigint" },
    deliveries,
  );
  await sql`
    insert into webhook_deliveries (
      endpoint_id, event_id, account_id, type, priority, due_at, status, attempts, log, created_at, updated_at
    )
    select endpoint_id, event_id, account_id, type, priority, cast(${at} as bigint), 'pending', 0, '[]',
      cast(${at} as bigint), cast(${at} as bigint)
    from ${rows} where true
    on conflict (endpoint_id, event_id) do nothing
  `.execute(tx.db);
}

async function takeSteps(tx: Tx, entries: readonly OutboxPageStep[]): Promise<void> {
  const done = entries.filter(({ next }) => next === null);
  if (done.length > 0) {
    const ids = tx.list(done.map(({ id }) => id));
    await tx.db.deleteFrom(tx.indexed("outbox")).where("id", "in", ids).execute();
  }
  for (const { id, next } of entries) {
    if (next !== null) await tx.db.updateTable("outbox").set({ data: next }).where("id", "=", id).execute();
  }
}
