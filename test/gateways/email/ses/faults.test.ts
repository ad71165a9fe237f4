// SES's errors: what each means, and the two that say so only in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { errorName, faultOf } from "#gateways/email/ses/ses.ts";

const from = "News@Example.com";

test("faults of the mail, of the gateway, and of neither", () => {
  assert.equal(faultOf("BadRequestException", "Missing final '@domain'", from), "unclear");
  assert.equal(faultOf("AccountSuspendedException", "", from), "configuration");
  assert.equal(faultOf("TooManyRequestsException", "Maximum sending rate exceeded.", from), "transient");
  assert.equal(faultOf("TooManyRequestsException", "Daily message quota exceeded.", from), "configuration");
  assert.equal(faultOf("ThrottlingException", "", from), "transient");
  assert.equal(faultOf("Brandnew", "", from), undefined);
});

test("an identity that is not verified is the gateway's fault when it is the sender's", () => {
  const text = (names: string) =>
    `Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: ${names}`;
  assert.equal(faultOf("MessageRejected", text("news@example.com"), from), "configuration");
  assert.equal(faultOf("MessageRejected", text("ada@example.org, news@example.com."), from), "configuration");
  assert.equal(faultOf("MessageRejected", text("example.com"), from), "configuration");
  assert.equal(faultOf("MessageRejected", text("ada@example.org"), from), "permanent");
  assert.equal(faultOf("MessageRejected", text("old-news@example.com"), from), "permanent");
  assert.equal(faultOf("MessageRejected", "Invalid content: news@example.com", from), "unclear");
});

test("an error's name is found in the spellings of AWS", () => {
  assert.equal(errorName("MessageRejected"), "MessageRejected");
  assert.equal(
    errorName("MessageRejected:http://internal.amazon.com/coral/com.amazonaws.ses/"),
    "MessageRejected",
  );
  assert.equal(errorName("com.amazonaws.sesv2#NotFoundException"), "NotFoundException");
  for (const none of [null, "", ":", "#"]) assert.equal(errorName(none), null);
});
