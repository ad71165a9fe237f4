// What the management API takes about consent: bounds, defaults, and text that every storage can hold.

import assert from "node:assert/strict";
import test from "node:test";
import {
  accountReceivedQuery,
  createSuppressionsRequest,
  suppressionsQuery,
} from "#contract/manage/consent.ts";
import { resolveAccountMessageRequest } from "#contract/manage/messages.ts";

const recipients = ["+4915123456789"];
const faults =
  (schema: { safeParse(value: unknown): { success: boolean; error?: { issues: unknown[] } } }) =>
  (value: unknown) =>
    schema.safeParse(value).error?.issues.length ?? 0;

test("a list of one to a thousand recipients, with or without a note", () => {
  const of = faults(createSuppressionsRequest);
  for (const note of [undefined, null, "", "x".repeat(500)])
    assert.equal(of({ channel: "sms", recipients, note }), 0, String(note));
  assert.equal(of({ channel: "email", recipients: Array(1000).fill("a@example.com") }), 0);
  assert.equal(of({ channel: "sms", recipients: [] }), 1);
  assert.equal(of({ channel: "sms", recipients: Array(1001).fill("1") }), 1);
  assert.equal(of({ channel: "sms", recipients: "+4915123456789" }), 1);
  assert.equal(of({ channel: "sms", recipients: ["x".repeat(321)] }), 1);
  assert.equal(of({ channel: "sms", recipients, note: "x".repeat(501) }), 1);
});

test("text that a database cannot hold is refused before it gets there", () => {
  for (const odd of ["a\0", "\ud800"]) {
    assert.equal(faults(createSuppressionsRequest)({ channel: "sms", recipients: [odd] }), 1);
    assert.equal(faults(createSuppressionsRequest)({ channel: "sms", recipients, note: odd }), 1);
    assert.equal(faults(suppressionsQuery)({ recipient: odd }), 1);
  }
});

test("pages have fifty entries by default and two hundred at the most", () => {
  for (const query of [suppressionsQuery, accountReceivedQuery]) {
    assert.deepEqual(query.parse({}), { limit: 50 });
    assert.equal(query.parse({ limit: "200" }).limit, 200);
    for (const limit of ["0", "201", "1.5", "x"]) assert.equal(faults(query)({ limit }), 1, limit);
    assert.equal(faults(query)({ channel: "fax" }), 1);
  }
});

test("an answer has no other fields", () => {
  assert.deepEqual(resolveAccountMessageRequest.parse({ answer: "mark_sent" }), { answer: "mark_sent" });
  assert.equal(faults(resolveAccountMessageRequest)({ answer: "mark_sent", channel: "sms" }), 1);
  assert.equal(faults(resolveAccountMessageRequest)({}), 1);
});
