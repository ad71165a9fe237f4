// Addresses of Twilio: a number, or one with its channel before it.

import assert from "node:assert/strict";
import test from "node:test";
import { addressOf, readAddress } from "#contract/twilio/addresses.ts";

const addresses: [address: string, channel: "sms" | "whatsapp", text: string][] = [
  ["+4915123450001", "sms", "+4915123450001"],
  [" +49 151 ", "sms", "+49 151"],
  ["whatsapp:+4915123450001", "whatsapp", "+4915123450001"],
  ["WhatsApp: +49 ", "whatsapp", "+49"],
  ["whatsapp:", "whatsapp", ""],
  ["whatsapp", "sms", "whatsapp"],
  ["messenger:1", "sms", "messenger:1"],
];
for (const [address, channel, text] of addresses)
  test(`${address} is ${channel}`, () => assert.deepEqual(readAddress(address), { channel, text }));

test("an address that is written is read again", () => {
  for (const channel of ["sms", "whatsapp"] as const)
    assert.deepEqual(readAddress(addressOf(channel, "+49151")), { channel, text: "+49151" });
});
