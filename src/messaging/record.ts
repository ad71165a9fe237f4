// Makes the public record of a message from its row.

import type { MessageEventData } from "#contract/events/shapes.ts";
import type { MessageEvent, MessageRecord } from "#contract/messages/record.ts";
import type { WaitingFor } from "#contract/messages/waiting-for.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import { acceptanceOf } from "#store/messages/reschedule.ts";
import type { EventsTable } from "#store/schema/schema.ts";
import { messageChannels } from "./channels.ts";

const iso = (at: number) => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));

/** `waiting`: why it waits now. `events`: the timeline, which only the record of a single message shows. */
export function recordOf(
  row: MessageRow,
  waiting: WaitingFor | null,
  events?: readonly EventsTable[],
): MessageRecord {
  const shared = {
    ...sharedOf(row),
    waiting_for: waiting,
    ...(events ? { events: timeline(row, events) } : {}),
  };
  return { ...shared, ...messageChannels[row.channel].sending.record(row) };
}

/** How much of a text a list shows, in characters. */
const briefLength = 200;

/** The record with its text truncated. */
export function briefRecordOf(row: MessageRow, waiting: WaitingFor | null): MessageRecord {
  // Cut between characters, not within one.
  const start = row.body.slice(0, briefLength * 2);
  return recordOf({ ...row, body: [...start].slice(0, briefLength).join("") }, waiting);
}

/** The part of a message that webhook events show: its record, without the body if that may be large. */
export function eventRecordOf(row: MessageRow): MessageEventData {
  const { message, ...shared } = sharedOf(row);
  const record = { ...shared, ...messageChannels[row.channel].sending.record(row) };
  // The row of its channel says whether there is a body; the schema of that channel's events repeats it.
  return (
    messageChannels[row.channel].sending.bodyInEvents ? { ...record, message } : record
  ) as MessageEventData;
}

function sharedOf(row: MessageRow) {
  return {
    id: row.id,
    request_id: row.request_id,
    status: row.status,
    test: row.test === 1,
    gateway_identifier: row.identifier,
    message: row.body,
    schedule_at: row.schedule_at,
    scheduled_for: isoOrNull(row.scheduled_for),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    next_attempt_at: isoOrNull(row.due_at),
    sent_at: isoOrNull(row.sent_at),
    delivered_at: isoOrNull(row.delivered_at),
    read_at: isoOrNull(row.read_at),
    attempts: row.attempts,
    provider_reference: row.provider_reference,
    reference: row.reference,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, string>),
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
  };
}

/** Acceptance has no event row unless the message was moved to another time: its entry is derived from the message. */
function timeline(row: MessageRow, events: readonly EventsTable[]): MessageEvent[] {
  const whole = events[0]?.seq === 0 ? events : [acceptanceOf(row), ...events];
  return whole.map(({ at, type, detail }) => ({ at: iso(at), type, detail: detail || null }));
}
