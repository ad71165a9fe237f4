// The public record of a message, from its row.

import type { EmailRecord, MessageEvent, MessageRecord } from "#contract/messages/record.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import type { EventsTable } from "#store/schema/schema.ts";

const iso = (at: number) => new Date(at).toISOString();
const isoOrNull = (at: number | null) => (at === null ? null : iso(at));

/** `events`: given for a single record, whose timeline is shown. */
export function recordOf(row: MessageRow, events?: readonly EventsTable[]): MessageRecord {
  const shared = sharedOf(row, events);
  if (row.channel === "email") return { ...shared, ...emailOf(row) };
  return {
    ...shared,
    channel: "sms",
    number: row.recipient_raw,
    recipient: row.recipient,
    segments: row.segments ?? 1,
    encoding: row.encoding ?? "gsm7",
  };
}

/** What webhooks are told of a message: its record, of an email without its body. */
export function eventRecordOf(row: MessageRow): object {
  const { message, ...record } = recordOf(row);
  return row.channel === "email" ? record : { ...record, message };
}

function emailOf(row: MessageRow): Omit<EmailRecord, keyof ReturnType<typeof sharedOf>> {
  return {
    channel: "email",
    email: row.recipient_raw,
    subject: row.subject ?? "",
    sender_name: row.sender_name ?? null,
    reply_to_email: row.reply_to ?? null,
    attachments: (row.attachments ?? []).map(({ filename, size, content_type }) => ({
      filename,
      size,
      content_type,
    })),
    opened_at: isoOrNull(row.opened_at ?? null),
    open_count: row.open_count ?? 0,
  };
}

function sharedOf(row: MessageRow, events?: readonly EventsTable[]) {
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
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    ...(events ? { events: timeline(row, events) } : {}),
  };
}

/** Acceptance has no event row of its own: it is read from the message. */
function timeline(row: MessageRow, events: readonly EventsTable[]): MessageEvent[] {
  const accepted: MessageEvent = {
    at: iso(row.created_at),
    type: row.schedule_at === null ? "queued" : "scheduled",
    detail: row.scheduled_for === null ? null : `Due at ${iso(row.scheduled_for)}.`,
  };
  const later = events.map((event) => ({
    at: iso(event.at),
    type: event.type,
    detail: event.detail || null,
  }));
  return [accepted, ...later];
}
