// A person stops or resumes marketing messages in WhatsApp itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { consentKeyword } from "#contract/messages/consent.ts";
import { readWebhook } from "#gateways/whatsapp/cloud/webhook.ts";

const phoneNumberId = "106540352242922";
const stop = {
  wa_id: "16505551234",
  detail: "User requested to stop marketing messages",
  category: "marketing_messages",
  value: "stop",
  timestamp: 1731705721,
};

/** As on Meta's page. */
function read(preferences: unknown, { number = phoneNumberId } = {}) {
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "15550783881", phone_number_id: number },
    contacts: [{ profile: { name: "Sheena" }, wa_id: "16505551234", user_id: "US.1349" }],
    user_preferences: preferences,
  };
  const body = {
    object: "whatsapp_business_account",
    entry: [{ id: "102290129340398", changes: [{ field: "user_preferences", value }] }],
  };
  const received = readWebhook(Buffer.from(JSON.stringify(body)), { phone_number_id: phoneNumberId }, 0);
  assert.ok(received.kind === "received");
  return received;
}

test("the choice is a message of its own type, which is no keyword and opens no time for answers", () => {
  const { inbound, ignored } = read([stop, { ...stop, value: "resume", timestamp: 1731705999 }]);
  assert.equal(ignored, undefined);
  assert.deepEqual(inbound[0], {
    reference: "preference:+16505551234:1731705721000:stop",
    from: "+16505551234",
    to: "+15550783881",
    message: "The person stopped marketing messages.",
    media: [],
    details: {
      type: "user_preferences",
      reply: { type: "preference", id: "stop", title: null, description: null },
      profileName: "Sheena",
      userId: "US.1349",
      forwarded: false,
    },
  });
  assert.equal(inbound[1]?.details?.reply?.id, "resume");
  for (const { message, sentAt } of inbound)
    assert.deepEqual([consentKeyword(message), sentAt], [null, undefined]);
});

test("a person who hides their number is named by their id", () => {
  const { wa_id: _, ...hidden } = stop;
  assert.equal(read([{ ...hidden, user_id: "US.1349" }]).inbound[0]?.from, "US.1349");
});

test("what is of another number, category or choice is skipped and counted", () => {
  assert.deepEqual(read([stop], { number: "999" }).ignored, ["other_number"]);
  const { wa_id: _, ...unnamed } = stop;
  const odd = [
    { ...stop, category: "calls" },
    { ...stop, value: "perhaps" },
    { ...stop, timestamp: "soon" },
    unnamed,
    7,
    null,
  ];
  const { inbound, ignored } = read(odd);
  assert.deepEqual([inbound, ignored], [[], odd.map(() => "unknown")]);
  assert.deepEqual(read("x").inbound, []);
});
