// Brevo's codes: whose fault each of them is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { brevoCode, brevoFault } from "#gateways/email/brevo/errors.ts";

test("codes have a fault", () => {
  const wanted: Record<string, string[]> = {
    permanent: [
      "invalid_parameter",
      "missing_parameter",
      "out_of_range",
      "bad_request",
      "unprocessable_entity",
    ],
    configuration: [
      "unauthorized",
      "permission_denied",
      "reseller_permission_denied",
      "not_enough_credits",
      "account_under_validation",
      "document_not_found",
      "method_not_allowed",
      "not_acceptable",
    ],
    transient: ["too_many_requests"],
    ambiguous: ["duplicate_parameter", "duplicate_request"],
  };
  for (const [fault, codes] of Object.entries(wanted)) {
    for (const code of codes) assert.equal(brevoFault(code, "x"), fault, code);
  }
  for (const code of ["", "brand_new", "constructor"]) assert.equal(brevoFault(code, "x"), undefined, code);
});

test("a parameter of the sender is the gateway's fault", () => {
  assert.equal(brevoFault("invalid_parameter", "valid sender email required"), "configuration");
  assert.equal(brevoFault("invalid_parameter", "Sender is not active"), "configuration");
  assert.equal(brevoFault("invalid_parameter", "email is not valid in to"), "permanent");
  assert.equal(brevoFault("missing_parameter", "sender name is missing"), "permanent");
});

test("the code is a text at the top", () => {
  assert.equal(brevoCode({ code: "unauthorized", message: "Key not found" }), "unauthorized");
  for (const json of [null, [], {}, { code: null }, { code: {} }]) assert.equal(brevoCode(json), null);
});
