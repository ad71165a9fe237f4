// Which events an endpoint's patterns ask for.

import assert from "node:assert/strict";
import test from "node:test";
import { eventTypes, isEventPattern, matchesPattern } from "#contract/messages/events.ts";

test("there is an event for every status, and five more of messages", () => {
  const ofMessages = eventTypes.filter((type) => type.startsWith("message."));
  assert.deepEqual(ofMessages, [
    "message.queued",
    "message.scheduled",
    "message.sending",
    "message.sent",
    "message.delivered",
    "message.read",
    "message.failed",
    "message.undelivered",
    "message.bounced",
    "message.expired",
    "message.cancelled",
    "message.suppressed",
    "message.unknown",
    "message.received",
    "message.opened",
    "message.clicked",
    "message.complained",
    "message.recipient_bounced",
  ]);
});

test("a pattern is a type, a family, or everything", () => {
  for (const pattern of ["*", "message.*", "gateway.*", "credit.*", "message.sent", "credit.low"])
    assert.ok(isEventPattern(pattern), pattern);
  for (const pattern of [
    "",
    "message",
    "message.",
    "message*",
    "mess*",
    "message.sen",
    "message.sent.*",
    "*.sent",
    "**",
  ])
    assert.ok(!isEventPattern(pattern), pattern);
});

test("a family asks for its own events and no others", () => {
  const asked = eventTypes.filter((type) => matchesPattern(["gateway.*", "message.sent"], type));
  const kinds = ["paused", "resumed", "linked", "unlinked", "limited", "outdated", "receipts_unmatched"];
  const gateways = kinds.map((kind) => `gateway.${kind}`);
  assert.deepEqual(asked, ["message.sent", ...gateways]);
  assert.ok(eventTypes.every((type) => matchesPattern(["*"], type)));
  assert.ok(!eventTypes.some((type) => matchesPattern([], type)));
});
