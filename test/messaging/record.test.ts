// The public record, from a row.

import assert from "node:assert/strict";
import test from "node:test";
import { emailRecord, smsRecord, whatsappRecord } from "#contract/messages/record.ts";
import { eventRecordOf, recordOf } from "#messaging/record.ts";
import type { MessageRow } from "#store/messages/lookup.ts";

const at = Date.UTC(2026, 2, 1, 9, 30);

const row: MessageRow = {
  id: "msg_1",
  account_id: "acc_1",
  request_id: "req_1",
  channel: "sms",
  gateway_id: "gw_1",
  identifier: "main",
  gateway_pinned: 0,
  recipient_raw: "0151 23456789",
  recipient: "+4915123456789",
  content: "text",
  body: "Hello",
  test: 0,
  status: "queued",
  priority: 0,
  due_at: at,
  fence: 3,
  version: 0,
  attempts: 0,
  resends: 0,
  first_deferred_at: null,
  schedule_at: null,
  scheduled_for: null,
  created_at: at,
  updated_at: at,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  provider_reference: null,
  reference: null,
  metadata: null,
  error_code: null,
  error_message: null,
  encoding: "gsm7",
  segments: 2,
  cost: 2,
  refunded: 0,
  spread_id: null,
  held_due_at: null,
};

test("every field is there, null where there is nothing, and nothing of the inside shows", () => {
  const record = recordOf(row, null);
  assert.deepEqual(record, {
    id: "msg_1",
    request_id: "req_1",
    channel: "sms",
    number: "0151 23456789",
    recipient: "+4915123456789",
    status: "queued",
    test: false,
    gateway_identifier: "main",
    message: "Hello",
    segments: 2,
    encoding: "gsm7",
    schedule_at: null,
    scheduled_for: null,
    created_at: "2026-03-01T09:30:00.000Z",
    updated_at: "2026-03-01T09:30:00.000Z",
    next_attempt_at: "2026-03-01T09:30:00.000Z",
    waiting_for: null,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    attempts: 0,
    provider_reference: null,
    reference: null,
    metadata: null,
    error: null,
  });
});

test("an ended message with its timeline", () => {
  const record = recordOf(
    {
      ...row,
      status: "undelivered",
      test: 1,
      due_at: null,
      schedule_at: "2026-03-01 10:30:00",
      scheduled_for: at,
      sent_at: at + 1,
      error_code: "30003",
      error_message: null,
    },
    null,
    [
      {
        message_id: "msg_1",
        seq: 1,
        account_id: "acc_1",
        at: at + 1,
        type: "sending",
        detail: "Attempt 1.",
        attempt: null,
      },
      {
        message_id: "msg_1",
        seq: 2,
        account_id: "acc_1",
        at: at + 2,
        type: "sent",
        detail: "",
        attempt: null,
      },
    ],
  );
  assert.equal(record.next_attempt_at, null);
  assert.equal(record.test, true);
  assert.equal(record.schedule_at, "2026-03-01 10:30:00");
  assert.equal(record.scheduled_for, "2026-03-01T09:30:00.000Z");
  assert.deepEqual(record.error, { code: "30003", message: "" });
  assert.deepEqual(record.events, [
    { at: "2026-03-01T09:30:00.000Z", type: "scheduled", detail: "Due at 2026-03-01T09:30:00.000Z." },
    { at: "2026-03-01T09:30:00.001Z", type: "sending", detail: "Attempt 1." },
    { at: "2026-03-01T09:30:00.002Z", type: "sent", detail: null },
  ]);
  assert.doesNotThrow(() => smsRecord.parse(record));
});

const emailRow: MessageRow = {
  ...row,
  channel: "email",
  recipient_raw: "Ada@example.com",
  recipient: "ada@example.com",
  encoding: null,
  segments: null,
  subject: "Hello",
  sender_name: "Acme",
  reply_to: "help@example.com",
  opened_at: at,
  open_count: 2,
  attachments: [{ filename: "a.pdf", size: 3, content_type: "application/pdf" }],
};

test("an email has its own fields, and none of an SMS", () => {
  const record = recordOf(emailRow, null, []);
  assert.deepEqual(emailRecord.parse(record), record);
  assert.ok(record.channel === "email");
  const { email, subject, sender_name, reply_to_email, attachments, opened_at, open_count } = record;
  assert.deepEqual(
    { email, subject, sender_name, reply_to_email, attachments, opened_at, open_count },
    {
      email: "Ada@example.com",
      subject: "Hello",
      sender_name: "Acme",
      reply_to_email: "help@example.com",
      attachments: emailRow.attachments,
      opened_at: "2026-03-01T09:30:00.000Z",
      open_count: 2,
    },
  );
  for (const field of ["number", "recipient", "segments", "encoding"]) assert.equal(field in record, false);
});

test("events show the body of an SMS, and not that of an email", () => {
  assert.deepEqual({ ...eventRecordOf(row), waiting_for: null }, recordOf(row, null));
  const { message: _, waiting_for: __, ...rest } = recordOf(emailRow, null);
  assert.deepEqual(eventRecordOf(emailRow), rest);
});

test("a WhatsApp message shows what it has beside its text, and null for the rest", () => {
  const sections = [{ title: null, rows: [{ id: "a", title: "A", description: null }] }];
  const beside = { header: null, footer: "F", button: "Choose", sections };
  const whatsapp: MessageRow = { ...row, channel: "whatsapp", encoding: null, segments: null };
  const own = (message: MessageRow) => {
    const { media, url, filename, list, template } = whatsappRecord.parse(recordOf(message, null));
    return { media, url, filename, list, template };
  };
  const nothing = { media: null, url: null, filename: null, list: null, template: null };
  assert.deepEqual(own(whatsapp), nothing);
  const file = { media: "document", url: "https://cdn.example.com/a.pdf", filename: "a.pdf" } as const;
  assert.deepEqual(own({ ...whatsapp, content: "media", payload: { kind: "media", ...file } }), {
    ...nothing,
    ...file,
  });
  assert.deepEqual(own({ ...whatsapp, content: "list", payload: { kind: "list", ...beside } }), {
    ...nothing,
    list: beside,
  });
  const template = { name: "order", language: "de", parameters: ["Ada"], components: null };
  assert.deepEqual(own({ ...whatsapp, content: "template", payload: { kind: "template", ...template } }), {
    ...nothing,
    template,
  });
});
