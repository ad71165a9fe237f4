// Our statuses in Resend's words.

import assert from "node:assert/strict";
import test from "node:test";
import { statuses } from "#contract/messages/channel.ts";
import { lastEventOf } from "#contract/resend/events.ts";

test("each status has the event of Resend that claims no more", () => {
  assert.deepEqual(Object.fromEntries(statuses.map((status) => [status, lastEventOf(status, false)])), {
    queued: "queued",
    scheduled: "scheduled",
    sending: "queued",
    unknown: "queued",
    sent: "sent",
    delivered: "delivered",
    read: "opened",
    undelivered: "failed",
    bounced: "bounced",
    failed: "failed",
    expired: "failed",
    suppressed: "suppressed",
    cancelled: "canceled",
  });
  assert.equal(lastEventOf("delivered", true), "opened");
  assert.equal(lastEventOf("bounced", true), "bounced");
});
