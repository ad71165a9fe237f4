// What is a WhatsApp user id, and what is a number or something else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isLid, isUserId } from "#contract/messages/user-id.ts";

test("a country, a dot and up to 128 letters and digits", () => {
  for (const id of ["US.13491208655302741918", "DE.ENT.1a2B", `BR.${"1".repeat(128)}`])
    assert.ok(isUserId(id), id);
  for (const text of [
    "us.1",
    "USA.1",
    "US.",
    "US.1.2",
    `US.${"1".repeat(129)}`,
    "+4915112345678",
    " US.1",
    "1@lid",
  ])
    assert.ok(!isUserId(text), text);
});

test("digits and @lid", () => {
  assert.ok(isLid("271234567890123@lid"));
  for (const text of ["@lid", "27a@lid", `${"1".repeat(21)}@lid`, "1@lid ", "1@s.whatsapp.net", "+1"])
    assert.ok(!isLid(text), text);
});
