// The bodies that change one message.

import assert from "node:assert/strict";
import test from "node:test";
import { newTime, readReschedule, readResolve, resolutions } from "#contract/messages/changes.ts";

test("each answer is taken, trimmed", () => {
  for (const answer of resolutions) {
    assert.deepEqual(readResolve({ answer }), { answer, issues: null });
    assert.deepEqual(readResolve({ answer: ` ${answer} `, more: 1 }), { answer, issues: null });
  }
});

test("no answer is missing, any other is invalid, in Laravel's words", () => {
  const parse = (body: unknown) =>
    readResolve(body).issues?.map(({ path, message }) => [path.join("."), message]);
  const missing = [["answer", "The answer field is required."]];
  for (const body of [
    null,
    undefined,
    "send_again",
    [],
    ["send_again"],
    {},
    { answer: null },
    { answer: " " },
  ])
    assert.deepEqual(parse(body), missing, JSON.stringify(body));
  const invalid = [["answer", "The selected answer is invalid."]];
  for (const answer of ["SEND_AGAIN", "sent", 1, true, {}, ["mark_sent"]])
    assert.deepEqual(parse({ answer }), invalid, JSON.stringify(answer));
});

test("a local time, or null for at once; blanks around it do not count", () => {
  const read = (schedule_at: unknown) => readReschedule({ schedule_at });
  assert.deepEqual(read(" 2027-01-31 09:00:00 "), { scheduleAt: "2027-01-31 09:00:00", issues: null });
  assert.deepEqual(read(null), { scheduleAt: null, issues: null });
  assert.deepEqual(read(""), { scheduleAt: null, issues: null });
});

test("what is missing, no text or no time says so", () => {
  const message = (body: unknown) => readReschedule(body).issues?.map((issue) => issue.message);
  for (const body of [null, "text", [], {}])
    assert.deepEqual(message(body), ["The schedule at field is required."]);
  assert.deepEqual(message({ schedule_at: 5 }), ["The schedule at field must be a string."]);
  for (const schedule_at of ["2027-02-30 09:00:00", "2027-01-31T09:00:00", "tomorrow"])
    assert.deepEqual(message({ schedule_at }), ["The schedule at field must match the format Y-m-d H:i:s."]);
});

test("the management API takes the same times, strictly", () => {
  assert.equal(newTime.parse("2028-02-29 23:59:59"), "2028-02-29 23:59:59");
  assert.equal(newTime.parse(null), null);
  for (const faulty of [" 2027-01-31 09:00:00", "2027-02-29 00:00:00", "", 5])
    assert.equal(newTime.safeParse(faulty).success, false, String(faulty));
});
