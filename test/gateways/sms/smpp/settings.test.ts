// Operators' parameters as octets, and defaults.

import assert from "node:assert/strict";
import { test } from "node:test";
import { smppSettings, tlvValue } from "#gateways/sms/smpp/settings.ts";

test("an operator's parameter is written as its type says", () => {
  const hex = (type: Parameters<typeof tlvValue>[0]["type"], value: string) =>
    tlvValue({ type, value })?.toString("hex");
  assert.equal(hex("string", "12"), "3132");
  assert.equal(hex("cstring", "12"), "313200");
  assert.deepEqual([hex("int8", "255"), hex("int16", "258"), hex("int32", "1")], ["ff", "0102", "00000001"]);
  assert.equal(hex("hex", "00ff"), "00ff");
  for (const [type, value] of [
    ["int8", "256"],
    ["int32", "4294967296"],
    ["int16", "-1"],
    ["hex", "0"],
    ["string", "€"],
  ] as const)
    assert.equal(tlvValue({ type, value }), null, `${type} ${value}`);
});

test("what is not given is what most operators take", () => {
  const settings = smppSettings.parse({ host: "smsc.example", system_id: "acme", password: "secret" });
  const { port, tls, bind, window, dest, data_coding, long, message_id } = settings;
  assert.deepEqual([port, tls, bind, window, long], [2775, false, "transceiver", 10, "udh8"]);
  assert.deepEqual(dest, { ton: 1, npi: 1, plus: false });
  assert.deepEqual(data_coding, { gsm7: 0, latin1: null, ucs2: 8 });
  assert.deepEqual(message_id, { answer: "as-is", receipt: "as-is" });
});
