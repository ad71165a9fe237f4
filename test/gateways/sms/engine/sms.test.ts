// The message as the requests of vendors see it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { outgoingSms } from "#gateways/sms/engine/sms.ts";
import { callbackUrl, sampleMessage, textOf, toolsWith } from "../../conformance-samples.ts";

test("a message in the spellings that vendors want", () => {
  const sms = outgoingSms(sampleMessage({ attempt: 2, content: textOf("Ж🎉") }), toolsWith());
  assert.equal(sms.to, "+4915112345678");
  assert.equal(sms.digits, "4915112345678");
  assert.equal(sms.hexUcs2, "0416d83cdf89");
  assert.deepEqual([sms.encoding, sms.segments], ["ucs2", 1]);
  assert.equal(sms.transmission, "msg_01test-2");
  assert.ok(sms.reportUrl?.startsWith(`${callbackUrl}?m=msg_01test&k=`));
});

test("segments are those of the record", () => {
  const sms = outgoingSms(sampleMessage({ content: textOf("a".repeat(161)) }), toolsWith());
  assert.deepEqual([sms.encoding, sms.segments], ["gsm7", 2]);
});

test("without a public URL there is nowhere to report to", () => {
  const sms = outgoingSms(sampleMessage(), toolsWith({ callbackUrl: null, messageUrl: () => null }));
  assert.deepEqual([sms.callbackUrl, sms.reportUrl], [null, undefined]);
});
