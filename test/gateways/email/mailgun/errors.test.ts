// Mailgun's sentences: whose fault each of them is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mailgunCode, mailgunFault } from "#gateways/email/mailgun/errors.ts";

const sentences: [message: string, code: string, fault: string][] = [
  [
    "Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients in Account Settings.",
    "domain_not_allowed",
    "configuration",
  ],
  [
    "Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients in domain settings.",
    "domain_not_allowed",
    "configuration",
  ],
  [
    "Domain mg.example.com is not allowed to send: Please activate your Mailgun account.",
    "domain_not_allowed",
    "configuration",
  ],
  ["Domain not found: mg.example.com", "domain_not_found", "configuration"],
  ["from parameter is missing", "invalid_sender", "configuration"],
  ["'from' parameter is not a valid address. please check documentation", "invalid_sender", "configuration"],
  ["'to' parameter is not a valid address. please check documentation", "invalid_recipient", "permanent"],
  ["to parameter is not a valid address. please check documentation", "invalid_recipient", "permanent"],
  [
    "Send options (parameters starting with o:, h:, or v:) are limited to 16 kB total",
    "headers_too_large",
    "permanent",
  ],
  ["Need at least one of 'text' or 'html' parameters specified", "no_body", "permanent"],
];

test("known sentences have a code and a fault", () => {
  for (const [message, code, fault] of sentences) {
    assert.equal(mailgunCode({ message }), code, message);
    assert.equal(mailgunFault(code), fault, message);
  }
});

test("unknown ones have neither, whatever they look like", () => {
  for (const json of [
    null,
    [],
    {},
    { message: null },
    { message: {} },
    { message: "Forbidden" },
    "Forbidden",
  ]) {
    assert.equal(mailgunCode(json), null);
  }
  assert.equal(mailgunFault("constructor"), undefined);
});
