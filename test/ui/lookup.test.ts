// What a pasted text is looked up as.

import assert from "node:assert/strict";
import test from "node:test";
import { lookupOf } from "#ui/messages/lookup.ts";

const id = "01m87dak8zwetm1scx9kv7qzs7";

test("ids are found by themselves, in quotes and within a log line", () => {
  for (const text of [`msg_${id}`, `{"id":"msg_${id}","request":"req_${id}"}`, `failed: msg_${id}.`])
    assert.deepEqual(lookupOf(text), { page: `msg_${id}` }, text);
  for (const text of [`req_${id}`, `X-Request-Id: req_${id}`])
    assert.deepEqual(lookupOf(text), { filter: "request", value: `req_${id}` }, text);
});

test("numbers and addresses are recipients, and all else is a provider's reference", () => {
  for (const text of ["+15550000001", "030 12 34 56", "(555) 000-0001", "ada@acme.example"])
    assert.deepEqual(lookupOf(text), { filter: "recipient", value: text });
  assert.deepEqual(lookupOf("0151/234 567 89"), { filter: "recipient", value: "0151 234 567 89" });
  for (const text of [
    `sbx_msg_${id}`,
    "SM0123456789abcdef",
    `evt_${id}`,
    "<1@mail.example>",
    "12345678901234567890",
  ])
    assert.deepEqual(lookupOf(text), { filter: "reference", value: text });
});
