// Resend's error names: whose fault each of them is, by status where one name is used for two things.

import assert from "node:assert/strict";
import { test } from "node:test";
import { resendCode, resendFault } from "#gateways/email/resend/errors.ts";

test("names have a fault", () => {
  const wanted: Record<string, [name: string, status: number][]> = {
    permanent: [
      ["validation_error", 400],
      ["validation_error", 422],
      ["missing_required_field", 422],
      ["invalid_attachment", 422],
      ["invalid_parameter", 422],
      ["invalid_idempotency_key", 400],
    ],
    configuration: [
      ["validation_error", 403],
      ["missing_api_key", 401],
      ["restricted_api_key", 401],
      ["invalid_api_key", 403],
      ["invalid_from_address", 422],
      ["invalid_access", 422],
      ["invalid_region", 422],
      ["not_found", 404],
      ["method_not_allowed", 405],
      ["security_error", 451],
      ["daily_quota_exceeded", 429],
      ["monthly_quota_exceeded", 429],
    ],
    transient: [["rate_limit_exceeded", 429]],
    ambiguous: [
      ["concurrent_idempotent_requests", 409],
      ["invalid_idempotent_request", 409],
    ],
  };
  for (const [fault, names] of Object.entries(wanted)) {
    for (const [name, status] of names) assert.equal(resendFault(name, status), fault, `${name} ${status}`);
  }
  for (const name of ["application_error", "internal_server_error", "brand_new", "constructor"]) {
    assert.equal(resendFault(name, 400), undefined, name);
  }
});

test("the name is a text at the top", () => {
  assert.equal(resendCode({ statusCode: "422", name: "validation_error", message: "x" }), "validation_error");
  for (const json of [null, [], "x", {}, { name: null }, { name: {} }, { error: { name: "x" } }]) {
    assert.equal(resendCode(json), null);
  }
});
