// The details of a received message, from storage to the record.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReceivedDetails, receivedDetails } from "#contract/messages/received/details.ts";

test("stored details come back; a message of another channel has nulls", () => {
  const details: ReceivedDetails = {
    type: "interactive",
    reply: { type: "list", id: "am", title: "Morning", description: null },
    profile_name: "Ada",
    user_id: "US.1349",
    forwarded: false,
  };
  assert.deepEqual(receivedDetails(JSON.stringify(details)), details);
  assert.deepEqual(receivedDetails(null), {
    type: null,
    reply: null,
    profile_name: null,
    user_id: null,
    forwarded: null,
  });
});
