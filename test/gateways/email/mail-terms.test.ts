// What acceptance needs of an email gateway's settings, for each kind of gateway.

import assert from "node:assert/strict";
import test from "node:test";
import { mailTermsOf } from "#gateways/email/mail-terms.ts";
import { smtp } from "#gateways/email/smtp/smtp.ts";
import { sandbox } from "#gateways/sandbox.ts";

test("the domain of the sender in ASCII, and whether there is an unsubscribe link", () => {
  const settings = smtp.settings.parse({ host: "localhost", from: "news@Bücher.example", unsubscribe: true });
  assert.deepEqual(JSON.parse(mailTermsOf(smtp, settings) ?? ""), {
    domain: "xn--bcher-kva.example",
    unsubscribe: true,
  });
});

test("a sandbox takes any sender, and a gateway of another channel has no terms", () => {
  assert.deepEqual(JSON.parse(mailTermsOf(sandbox, {}) ?? ""), { domain: null, unsubscribe: false });
  assert.equal(mailTermsOf({}, {}), null);
  assert.equal(mailTermsOf(null, {}), null);
});
