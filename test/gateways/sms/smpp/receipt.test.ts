// Delivery receipts as SMSCs write them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalId, isReceipt, readReceipt } from "#gateways/sms/smpp/receipt.ts";

const address = { ton: 1, npi: 1, addr: "4915112345678" };
const delivery = (text: string, { esmClass = 4, tlvs = [] as [number, Buffer][] } = {}) => ({
  source: address,
  destination: address,
  esmClass,
  dataCoding: 0,
  text: Buffer.from(text, "latin1"),
  tlvs: new Map(tlvs),
});

const tail = "sub:001 dlvrd:001 submit date:2611231200 done date:2611231201";

for (const [text, expected] of [
  [`id:abc ${tail} stat:DELIVRD err:000 text:hi`, { id: "abc", status: "delivered", code: "DELIVRD" }],
  [`id:1 ${tail} stat:UNDELIV err:0A1 text:`, { id: "1", status: "undelivered", code: "UNDELIV.0A1" }],
  [`Id:1 Stat:EXPIRED`, { id: "1", status: "undelivered", code: "EXPIRED" }],
  [`stat:REJECTD err: id:9 text:x`, { id: "9", status: "undelivered", code: "REJECTD" }],
  [`id:1 stat:ENROUTE`, { id: "1", status: "sent", code: "ENROUTE" }],
  [`id:1 stat:UNKNOWN`, { id: "1", status: null, code: "UNKNOWN" }],
  [`id:1 stat:DELETED`, { id: "1", status: "failed", code: "DELETED" }],
  [`id:1 submit_date:26 stat:ACCEPTD text:stat:DELIVRD`, { id: "1", status: "sent", code: "ACCEPTD" }],
  [`id:1 stat:MAYBE err:7`, { id: "1", status: null, code: "MAYBE.7", unknownWord: "MAYBE" }],
  [`id:1 text:id:2 stat:DELIVRD`, { id: "1", status: null, code: null }],
] as const) {
  test(`${text}: ${expected.status}`, () => {
    assert.deepEqual(readReceipt(delivery(text)), { unknownWord: null, ...expected });
  });
}

test("parameters come before the text, and are enough without one", () => {
  const tlvs: [number, Buffer][] = [
    [0x1e, Buffer.from("7f3a\0")],
    [0x427, Buffer.from([2])],
    [0x423, Buffer.from([3, 0, 9])],
  ];
  assert.deepEqual(readReceipt(delivery("id:1 stat:UNDELIV", { tlvs })), {
    id: "7f3a",
    status: "delivered",
    code: "DELIVRD.3-9",
    unknownWord: null,
  });
  assert.equal(readReceipt(delivery("", { tlvs }))?.id, "7f3a");
  assert.equal(readReceipt(delivery("no id at all")), null);
  const odd: [number, Buffer][] = [[0x427, Buffer.from([77])]];
  assert.equal(readReceipt(delivery("id:1", { tlvs: odd }))?.unknownWord, "message_state 77");
  assert.equal(readReceipt(delivery("id:1 stat:DELIVRD", { tlvs: odd }))?.status, "delivered");
});

test("with `text` or `tlv` the other is not read", () => {
  const tlvs: [number, Buffer][] = [
    [0x1e, Buffer.from("tlv\0")],
    [0x427, Buffer.from([2])],
  ];
  const both = delivery("id:text stat:UNDELIV err:7", { tlvs });
  const idOf = (from: "auto" | "text" | "tlv") => {
    const read = readReceipt(both, from);
    return [read?.id, read?.status];
  };
  assert.deepEqual(
    [idOf("auto"), idOf("text"), idOf("tlv")],
    [
      ["tlv", "delivered"],
      ["text", "undelivered"],
      ["tlv", "delivered"],
    ],
  );
  assert.equal(readReceipt(delivery("id:1 stat:DELIVRD"), "tlv"), null);
});

test("a receipt in UCS-2 is read, with an octet beyond it, and told from a message", () => {
  const text = Buffer.from(`id:77 ${tail} stat:DELIVRD err:000 text:Привет`, "utf16le").swap16();
  for (const octets of [text, Buffer.concat([text, Buffer.from([0x04])])]) {
    const receipt = { ...delivery("", { esmClass: 0 }), dataCoding: 8, text: octets };
    assert.equal(isReceipt(receipt), true);
    const read = { id: "77", status: "delivered", code: "DELIVRD", unknownWord: null };
    assert.deepEqual(readReceipt(receipt), read);
  }
  const ascii = { ...delivery(`id:78 ${tail} stat:DELIVRD`), dataCoding: 8 };
  assert.equal(readReceipt(ascii)?.id, "78", "some say UCS-2 and mean ASCII");
});

test("a message is distinguished from a receipt by what an SMSC cannot leave out", () => {
  assert.equal(isReceipt(delivery("id:1 stat:DELIVRD", { esmClass: 0 })), true);
  assert.equal(isReceipt(delivery("", { esmClass: 0, tlvs: [[0x1e, Buffer.from("1")]] })), true);
  assert.equal(isReceipt(delivery("", { esmClass: 0x20 })), true);
  assert.equal(isReceipt(delivery("my id: is 5, stat: good", { esmClass: 0 })), false);
  assert.equal(isReceipt(delivery("id: please", { esmClass: 0x40 })), false);
});

test("ids are compared in one spelling", () => {
  assert.equal(canonicalId("1F", "hex"), canonicalId("0000000031", "dec"));
  assert.equal(canonicalId("FFFFFFFFFFFFFFFFFF", "hex"), "4722366482869645213695");
  assert.deepEqual(
    [canonicalId("0012", "as-is"), canonicalId("a-b", "hex"), canonicalId("x", "dec")],
    ["0012", "a-b", "x"],
  );
});
