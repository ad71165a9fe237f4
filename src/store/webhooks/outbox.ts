// What happened, for the webhook endpoints that ask for it: written in the transaction of the change itself, so
// that neither exists without the other, and handed to the endpoints afterwards (`webhooks/fan-out.ts`).

import { sql } from "kysely";
import type { Status } from "#contract/messages/channel.ts";
import { type EventType, matchesPattern } from "#contract/messages/events.ts";
import type { Tx } from "#store/database.ts";
import { compiledOnce } from "#store/engine/prepared.ts";
import type { MessagesTable, OutboxTable } from "#store/schema/schema.ts";

/** The fields of a message that change, as they were at an event. */
export type Snapshot = Pick<
  MessagesTable,
  | "status"
  | "due_at"
  | "attempts"
  | "updated_at"
  | "sent_at"
  | "delivered_at"
  | "read_at"
  | "provider_reference"
  | "error_code"
  | "error_message"
  | "gateway_id"
>;

/** What goes with an event about what a recipient did (see `engagements.ts`). */
export interface Engaged {
  engagement?: object;
  /** As the event left them. */
  opened_at?: number | null;
  open_count?: number;
}

/** What an accepted request leaves: its messages' ids lie between these, and every one is an event. */
export interface RequestNote {
  request_id: string;
  first_id: string;
  last_id: string;
}

/** The id of the event of a message's `seq`-th change (0: its acceptance). */
export function messageEventId(messageId: string, seq: number): string {
  return `evt_${messageId.slice(messageId.indexOf("_") + 1)}_${seq}`;
}

/** The id of an event that is told once for what `id` names. */
export function eventIdOf(id: string, what: string): string {
  return `evt_${id.slice(id.indexOf("_") + 1)}_${what}`;
}

/** Whether there is an active endpoint at all: most installations pay for no more than this look. */
async function someoneListens(tx: Tx): Promise<boolean> {
  const compile = () =>
    sql<{ found: number }>`select 1 as found from webhook_endpoints where active = 1 limit 1`.compile(tx.db);
  const query = compiledOnce(tx, "someoneListens", compile, []);
  return (await tx.db.executeQuery(query)).rows.length > 0;
}

/**
 * Of these accounts, the patterns that their active endpoints ask for. An account that nobody listens to
 * costs no more than this look.
 */
export async function listening(
  tx: Tx,
  accountIds: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const wanted = [...new Set(accountIds)];
  const patterns = new Map<string, string[]>();
  if (wanted.length === 0 || !(await someoneListens(tx))) return patterns;
  const rows = await tx.db
    .selectFrom("webhook_endpoints")
    .select(["account_id", "events"])
    .where("account_id", "in", wanted)
    .where("active", "=", 1)
    .execute();
  for (const row of rows) {
    const known = patterns.get(row.account_id) ?? [];
    known.push(...(JSON.parse(row.events) as string[]));
    patterns.set(row.account_id, known);
  }
  return patterns;
}

/** Writes notes with their data. The same note again has no effect. */
async function write(tx: Tx, notes: readonly OutboxTable[]): Promise<void> {
  if (notes.length === 0) return;
  const rows = tx.rows(
    "notes",
    {
      id: "text",
      account_id: "text",
      type: "text",
      at: "bigint",
      message_id: "text",
      band: "bigint",
      data: "text",
    },
    notes,
  );
  await sql`
    insert into outbox (id, account_id, type, at, message_id, band, data)
    select id, account_id, type, at, message_id, band, data from ${rows} where true
    on conflict (id) do nothing
  `.execute(tx.db);
}

/** Events about other things than messages: gateways, credit, inbound messages. `data` is the event's own. */
export async function announce(
  tx: Tx,
  events: readonly { id: string; accountId: string; type: EventType; at: number; data: object }[],
): Promise<void> {
  if (events.length === 0) return;
  const asked = await listening(
    tx,
    events.map(({ accountId }) => accountId),
  );
  const wanted = events.filter(({ accountId, type }) => matchesPattern(asked.get(accountId) ?? [], type));
  await write(
    tx,
    wanted.map(({ id, accountId, type, at, data }) => ({
      id,
      account_id: accountId,
      type,
      at,
      message_id: null,
      band: 0,
      data: JSON.stringify(data),
    })),
  );
}

/** What happened to a message whose changing fields are at hand. */
export interface MessageHappening {
  message_id: string;
  seq: number;
  account_id: string;
  at: number;
  /** The state that the message came to, or what else happened. */
  type: string;
  band: number;
  snapshot: Snapshot & Engaged;
}

/** Events of messages, each with its fields as they were. `happenings` is only asked for where somebody listens. */
export async function announceMessages(
  tx: Tx,
  accountIds: Iterable<string>,
  happenings: (asked: ReadonlySet<string>) => readonly MessageHappening[],
): Promise<void> {
  const asked = await listening(tx, accountIds);
  if (asked.size === 0) return;
  const notes = happenings(new Set(asked.keys())).filter(({ account_id, type }) =>
    matchesPattern(asked.get(account_id) ?? [], `message.${type}`),
  );
  await write(
    tx,
    notes.map(({ message_id, seq, account_id, at, type, band, snapshot }) => ({
      id: messageEventId(message_id, seq),
      account_id,
      type: `message.${type}`,
      at,
      message_id,
      band,
      data: JSON.stringify(snapshot),
    })),
  );
}

/** Like `announceMessages` for changes that one statement made: the rows are as they were left, so they are read. */
export async function announceRows(
  tx: Tx,
  rows: readonly { id: string; account_id: string }[],
  status: Status,
): Promise<void> {
  const asked = await listening(
    tx,
    rows.map((row) => row.account_id),
  );
  const type = `message.${status}`;
  const ids = rows.filter((row) => matchesPattern(asked.get(row.account_id) ?? [], type)).map(({ id }) => id);
  if (ids.length === 0) return;
  const found = await tx.db
    .selectFrom(tx.indexed("messages"))
    .select([
      "id",
      "account_id",
      "version",
      "band",
      "status",
      "due_at",
      "attempts",
      "updated_at",
      "sent_at",
      "delivered_at",
      "read_at",
      "provider_reference",
      "error_code",
      "error_message",
      "gateway_id",
    ])
    .where("id", "in", tx.list(ids))
    .execute();
  await write(
    tx,
    found.map(({ id, account_id, version, band, ...snapshot }) => ({
      id: messageEventId(id, version),
      account_id,
      type,
      at: snapshot.updated_at,
      message_id: id,
      band,
      data: JSON.stringify(snapshot satisfies Snapshot),
    })),
  );
}

/** Accepted requests: one note each, whatever the number of their messages. */
export async function announceRequests(
  tx: Tx,
  requests: readonly (RequestNote & { account_id: string; at: number; band: number })[],
): Promise<void> {
  const asked = await listening(
    tx,
    requests.map((request) => request.account_id),
  );
  const wanted = requests.filter(({ account_id }) => {
    const patterns = asked.get(account_id) ?? [];
    return matchesPattern(patterns, "message.queued") || matchesPattern(patterns, "message.scheduled");
  });
  await write(
    tx,
    wanted.map(({ account_id, at, band, ...note }) => ({
      id: eventIdOf(note.request_id, "request"),
      account_id,
      type: "request",
      at,
      message_id: null,
      band,
      data: JSON.stringify(note satisfies RequestNote),
    })),
  );
}
