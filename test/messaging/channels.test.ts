// The table of channels: what all code that works with any channel relies on.

import assert from "node:assert/strict";
import test from "node:test";
import { channels } from "#contract/messages/channel.ts";
import { noMailParts } from "#contract/messages/mail/parts.ts";
import { messageChannels, normaliseRecipient } from "#messaging/channels.ts";

test("a channel's recipients are read as what they are", () => {
  assert.equal(normaliseRecipient("whatsapp", "0049 (0)151 23456789", null), "+4915123456789");
  assert.equal(normaliseRecipient("sms", "0151 23456789", "DE"), "+4915123456789");
  assert.equal(normaliseRecipient("email", "Jane@EXAMPLE.com", null), "jane@example.com");
});

for (const channel of channels) {
  const { recipients, sending } = messageChannels[channel];
  const addressee = recipients.field === "number" ? "+4915123456789" : "ada@example.com";

  test(`${channel}: the contact of a test message passes its own rules`, () => {
    const contact = sending.testContact(addressee, "Hi");
    const { contacts, issues } = sending.read({ contact: [contact] }, { maxContacts: 1 });
    assert.deepEqual(issues, []);
    assert.equal(sending.writtenRecipient(contacts[0]!), addressee);
  });

  test(`${channel}: the field that names the recipient is required, and every field counts in the fingerprint`, () => {
    const { contacts, issues } = sending.read({ contact: [{}] }, { maxContacts: 1 });
    assert.ok(issues.some(({ path }) => path[2] === recipients.field));
    // The parts of a whole mail count together, and like `reference` and `metadata` only if there are any.
    const parts = Object.keys(contacts[0]!).filter((name) => Object.hasOwn(noMailParts, name));
    const { reference: _, metadata: __, ...without } = contacts[0]!;
    const count = Object.keys(without).length - parts.length;
    assert.equal(sending.fingerprint(contacts[0]!).length, count);
    const own = { ...contacts[0]!, reference: "order-4711" };
    assert.equal(sending.fingerprint(own).length, count + 2);
    const prints = parts.map((name) =>
      JSON.stringify(sending.fingerprint({ ...contacts[0]!, [name]: ["a"] })),
    );
    assert.equal(new Set(prints).size, parts.length);
  });
}
