// Events for webhook endpoints: written in the transaction of the change itself, so that neither exists without the other, and delivered to
// the endpoints afterwards (`webhooks/fan-out.ts`).

import { sql } from "kysely";
import type { EngagementDetails, EventData } from "#contract/events/shapes.ts";
import type { Status } from "#contract/messages/channel.ts";
import { type EventType, matchesPattern } from "#contract/messages/events.ts";
import type { Tx } from "#store/database.ts";
import { compiledOnce } from "#store/engine/prepared.ts";
import { type MessageSnapshot, snapshotColumns } from "#store/schema/message-state.ts";
import type { OutboxTable } from "#store/schema/webhooks.ts";

/** The data of an engagement's event besides the message (see `feedback/engagements.ts`). */
export interface EngagementData {
  engagement?: EngagementDetails;
  /** As the event left them. */
  opened_at?: number | null;
  open_count?: number;
}

/** The entry of an accepted request: its messages' ids lie between these, and each message is an event. */
export interface RequestEntry {
  request_id: string;
  first_id: string;
  last_id: string;
}

/** The id of the event of a message's `seq`-th change (0: its acceptance). */
export function messageEventId(messageId: string, seq: number): string {
  return `evt_${messageId.slice(messageId.indexOf("_") + 1)}_${seq}`;
}

/** The id of the message whose event this is; null for another event. */
export function messageOfEvent(eventId: string): string | null {
  const [, id] = /^evt_([^_]+)_\d+$/.exec(eventId) ?? [];
  return id === undefined ? null : `msg_${id}`;
}

/** The id of an event that happens only once for the thing with the id `id`. */
export function eventIdOf(id: string, what: string): string {
  return `evt_${id.slice(id.indexOf("_") + 1)}_${what}`;
}

/** Whether there is any active endpoint: most installations need no more than this query. */
export async function anyEndpointActive(tx: Tx): Promise<boolean> {
  const compile = () =>
    sql<{ found: number }>`select 1 as found from webhook_endpoints where active = 1 limit 1`.compile(tx.db);
  const query = compiledOnce(tx, "anyEndpointActive", compile, []);
  return (await tx.db.executeQuery(query)).rows.length > 0;
}

/**
 * The patterns that the active endpoints of these accounts subscribe to. For an account without an active endpoint, this query is the whole
 * cost.
 */
async function subscribedPatterns(
  tx: Tx,
  accountIds: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const accounts = [...new Set(accountIds)];
  const patterns = new Map<string, string[]>();
  if (accounts.length === 0 || !(await anyEndpointActive(tx))) return patterns;
  const rows = await tx.db
    .selectFrom("webhook_endpoints")
    .select(["account_id", "events"])
    .where("account_id", "in", accounts)
    .where("active", "=", 1)
    .execute();
  for (const row of rows) {
    const known = patterns.get(row.account_id) ?? [];
    known.push(...(JSON.parse(row.events) as string[]));
    patterns.set(row.account_id, known);
  }
  return patterns;
}

/** Writes entries to the outbox, or to the part that a restore holds. Writing an entry again has no effect. */
export async function insertOutboxEntries(
  tx: Tx,
  table: "outbox" | "outbox_held",
  entries: readonly OutboxTable[],
): Promise<void> {
  if (entries.length === 0) return;
  if (table === "outbox") tx.changes.add("events");
  const rows = tx.rows(
    "entries",
    {
      id: "text",
      account_id: "text",
      type: "text",
      at: "bigint",
      message_id: "text",
      priority: "bigint",
      data: "text",
    },
    entries,
  );
  await sql`
    insert into ${sql.table(table)} (id, account_id, type, at, message_id, priority, data)
    select id, account_id, type, at, message_id, priority, data from ${rows} where true
    on conflict (id) do nothing
  `.execute(tx.db);
}

/** Events whose data is not read from a message's row. */
type OwnEventType = Exclude<
  EventType,
  `message.${Status | "opened" | "clicked" | "complained" | "recipient_bounced"}`
>;

/** An event about something other than a sent message: a gateway, credit, a message from a person. */
export type OwnEvent<Type extends OwnEventType = OwnEventType> = {
  [Each in Type]: { id: string; accountId: string; type: Each; at: number; data: EventData[Each] };
}[Type];

/** Events with data of their own. */
export async function recordEvents(tx: Tx, events: readonly OwnEvent[]): Promise<void> {
  if (events.length === 0) return;
  const patternsOf = await subscribedPatterns(
    tx,
    events.map(({ accountId }) => accountId),
  );
  const subscribed = events.filter(({ accountId, type }) =>
    matchesPattern(patternsOf.get(accountId) ?? [], type),
  );
  await insertOutboxEntries(
    tx,
    "outbox",
    subscribed.map(({ id, accountId, type, at, data }) => ({
      id,
      account_id: accountId,
      type,
      at,
      message_id: null,
      priority: 0,
      data: JSON.stringify(data),
    })),
  );
}

/** What happened to a message whose changing fields are known. */
export interface MessageEvent {
  message_id: string;
  seq: number;
  account_id: string;
  at: number;
  /** The state that the message came to, or what else happened. */
  type: string;
  priority: number;
  snapshot: MessageSnapshot & EngagementData;
}

/** Events of messages, each with its columns at that time. `eventsOf` is called only if an account has an active endpoint. */
export async function recordMessageEvents(
  tx: Tx,
  accountIds: Iterable<string>,
  eventsOf: (accountIds: ReadonlySet<string>) => readonly MessageEvent[],
): Promise<void> {
  const patternsOf = await subscribedPatterns(tx, accountIds);
  if (patternsOf.size === 0) return;
  const entries = eventsOf(new Set(patternsOf.keys())).filter(({ account_id, type }) =>
    matchesPattern(patternsOf.get(account_id) ?? [], `message.${type}`),
  );
  await insertOutboxEntries(
    tx,
    "outbox",
    entries.map(({ message_id, seq, account_id, at, type, priority, snapshot }) => ({
      id: messageEventId(message_id, seq),
      account_id,
      type: `message.${type}`,
      at,
      message_id,
      priority,
      data: JSON.stringify(snapshot),
    })),
  );
}

/** Events of messages that one statement moved to `status`. Their columns are read here, as that statement left them. */
export async function recordStatusEvents(
  tx: Tx,
  rows: readonly { id: string; account_id: string }[],
  status: Status,
): Promise<void> {
  const patternsOf = await subscribedPatterns(
    tx,
    rows.map((row) => row.account_id),
  );
  const type = `message.${status}`;
  const ids = rows
    .filter((row) => matchesPattern(patternsOf.get(row.account_id) ?? [], type))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const found = await tx.db
    .selectFrom(tx.indexed("messages"))
    .select(["id", "account_id", "version", "priority", ...snapshotColumns])
    .where("id", "in", tx.list(ids))
    .execute();
  await insertOutboxEntries(
    tx,
    "outbox",
    found.map(({ id, account_id, version, priority, ...snapshot }) => ({
      id: messageEventId(id, version),
      account_id,
      type,
      at: snapshot.updated_at,
      message_id: id,
      priority,
      data: JSON.stringify(snapshot satisfies MessageSnapshot),
    })),
  );
}

/** Accepted requests: one entry for each, whether it has one message or thousands. */
export async function recordRequests(
  tx: Tx,
  requests: readonly (RequestEntry & { account_id: string; at: number; priority: number })[],
): Promise<void> {
  const patternsOf = await subscribedPatterns(
    tx,
    requests.map((request) => request.account_id),
  );
  const subscribed = requests.filter(({ account_id }) => {
    const patterns = patternsOf.get(account_id) ?? [];
    return matchesPattern(patterns, "message.queued") || matchesPattern(patterns, "message.scheduled");
  });
  await insertOutboxEntries(
    tx,
    "outbox",
    subscribed.map(({ account_id, at, priority, ...entry }) => ({
      id: eventIdOf(entry.request_id, "request"),
      account_id,
      type: "request",
      at,
      message_id: null,
      priority,
      data: JSON.stringify(entry satisfies RequestEntry),
    })),
  );
}
