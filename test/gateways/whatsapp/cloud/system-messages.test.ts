// Changes of a person's number or id: under what they are known now, and under what they were known.

import assert from "node:assert/strict";
import { test } from "node:test";
import { identityChangeFrom } from "#gateways/whatsapp/cloud/system-messages.ts";

const changeOf = (system: object, more: object = {}) =>
  identityChangeFrom(
    { id: "wamid.s", from: "15550001", timestamp: "1750263773", type: "system", system, ...more } as never,
    "+1 555-078-3881",
  );

test("a new number names the former number and the former id", () => {
  const body = "User Ada changed from 15550001 to 15550002";
  const received = changeOf({
    type: "user_changed_number",
    body,
    wa_id: "15550002",
    user_id: "US.2",
    previous_user_id: "US.1",
  });
  assert.deepEqual(received, {
    reference: "wamid.s",
    from: "+15550002",
    to: "+15550783881",
    message: body,
    media: [],
    formerSenders: ["+15550001", "US.1"],
    details: { type: "system", reply: null, profileName: null, userId: "US.2", forwarded: false },
  });
});

test("a new id alone is what the person is known by", () => {
  const system = { type: "user_changed_user_id", body: "Changed", user_id: "US.2", previous_user_id: "US.1" };
  const received = changeOf(system, { from: undefined, from_user_id: "US.2" });
  assert.deepEqual([received?.from, received?.formerSenders], ["US.2", ["US.1"]]);
});

test("what changes no identity, or does not say to what, is no message", () => {
  assert.equal(changeOf({ type: "customer_identity_changed", wa_id: "15550002" }), null);
  assert.equal(changeOf({ type: "user_changed_number" }), null);
  assert.equal(changeOf({ type: "user_changed_number", wa_id: "15550002" }, { id: undefined }), null);
  for (const odd of [null, 1, "x", [], { type: {} }])
    assert.equal(identityChangeFrom({ id: "wamid.s", system: odd } as never, ""), null);
});
