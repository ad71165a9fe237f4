// The reply schemas take the interface's own examples, and refuse what would break a client.

import assert from "node:assert/strict";
import test from "node:test";
import { messageRecord } from "#contract/messages/record.ts";
import { messagesReply, recordReply, sendReply, validationReply } from "#contract/replies.ts";
import { record } from "../http/edge.ts";

test("a send's reply", () => {
  const reply = {
    success: true,
    message: "SMS messages have been queued.",
    data: { request_id: "req_1", contact: [{ number: "+49151", status: "queued", id: "msg_1" }] },
  };
  assert.deepEqual(sendReply.parse(reply), reply);
  assert.equal(sendReply.safeParse({ ...reply, success: false }).success, false);
  const sending = {
    ...reply,
    data: { ...reply.data, contact: [{ number: "1", status: "sending", id: "1" }] },
  };
  assert.equal(sendReply.safeParse(sending).success, false);
});

test("a record, alone and in a page", () => {
  assert.deepEqual(messageRecord.parse(record), record);
  const alone = {
    success: true,
    message: "x",
    data: { ...record, events: [{ at: record.created_at, type: "queued", detail: null }] },
  };
  assert.deepEqual(recordReply.parse(alone), alone);
  const page = { success: true, message: "x", data: [record, record], next_cursor: null };
  assert.deepEqual(messagesReply.parse(page), page);
});

for (const field of Object.keys(record)) {
  // Events share the schema and have none.
  if (field === "waiting_for") continue;
  test(`a record lacks nothing: ${field}`, () => {
    assert.equal(messageRecord.safeParse({ ...record, [field]: undefined }).success, false);
  });
}

test("instants are ISO 8601 in UTC with milliseconds", () => {
  for (const at of ["2026-03-01T09:30:00Z", "2026-03-01T09:30:00.000+01:00", "2026-03-01 09:30:00", 5]) {
    assert.equal(messageRecord.safeParse({ ...record, created_at: at }).success, false, String(at));
  }
});

test("a 422's errors are lists of texts", () => {
  assert.equal(
    validationReply.safeParse({ success: false, message: "x", errors: { contact: "wrong" } }).success,
    false,
  );
});
