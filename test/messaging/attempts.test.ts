// The attempts of a message as its timeline tells them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptsOf } from "#messaging/attempts.ts";

const entry = (at: number, type: string, detail = "", attempt: object | null = null) => ({
  at,
  type,
  detail,
  attempt: attempt && JSON.stringify(attempt),
});

test("a message that waits has no attempt, and one that is on its way has one without an end", () => {
  assert.deepEqual(attemptsOf([], "box"), []);
  assert.deepEqual(attemptsOf([entry(5, "sending")], "box"), [
    {
      number: 1,
      gateway: "box",
      startedAt: 5,
      endedAt: null,
      outcome: null,
      code: null,
      reason: null,
      answer: null,
      nextAt: null,
    },
  ]);
});

test("an attempt that was put off keeps its gateway and the answer, and the next one has its own", () => {
  const put = { gateway: "old", outcome: "deferred", code: "http_429", next_at: 90 };
  const answer = { status: 429, body: "slow down" };
  const attempts = attemptsOf(
    [
      entry(10, "sending"),
      entry(20, "queued", "The provider answered 429.", { ...put, answer }),
      entry(30, "queued", "It moved to new."),
      entry(90, "sending"),
      entry(95, "sent", "Accepted by new as 1."),
      entry(99, "delivered"),
    ],
    "new",
  );
  assert.deepEqual(
    attempts.map(({ number, gateway, outcome, code, startedAt, endedAt }) => [
      number,
      gateway,
      outcome,
      code,
      startedAt,
      endedAt,
    ]),
    [
      [1, "old", "deferred", "http_429", 10, 20],
      [2, "new", "accepted", null, 90, 95],
    ],
  );
  assert.deepEqual([attempts[0]?.answer, attempts[0]?.nextAt], [answer, 90]);
});

test("one that was taken back was not sent, and a report that came first says that it was accepted", () => {
  const outcomes = attemptsOf(
    [entry(1, "sending"), entry(2, "queued"), entry(3, "sending"), entry(4, "delivered")],
    "box",
  ).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["not_sent", "accepted"]);
});
