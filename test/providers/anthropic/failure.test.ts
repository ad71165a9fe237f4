// Anthropic's errors beside the recorded ones: types go before statuses, and errors that share a type differ by what they say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicError, anthropicFailure } from "#providers/anthropic/failure.ts";

const kind = (status: number, type: string, message = "x", details?: object) =>
  anthropicFailure(status, {}, JSON.stringify({ type: "error", error: { type, message, details } }), 0).kind;

test("the type goes before the status; a type that is new is classed by it", () => {
  assert.equal(kind(500, "overloaded_error"), "upstream_error");
  assert.equal(kind(400, "authentication_error"), "unauthorized");
  assert.equal(kind(418, "brand_new"), "unsupported");
  assert.equal(kind(422, "brand_new"), "invalid_request");
  assert.equal(kind(503, "brand_new"), "upstream_error");
  assert.equal(kind(400, "constructor"), "invalid_request");
  assert.equal(kind(409, "invalid_request_error"), "upstream_error");
});

test("accounts that cannot pay or are on hold are denied, with any status", () => {
  assert.equal(
    kind(400, "invalid_request_error", "Your credit balance is too low to access."),
    "unauthorized",
  );
  assert.equal(kind(400, "invalid_request_error", "This organization has been disabled."), "unauthorized");
  assert.equal(
    kind(
      400,
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access",
    ),
    "unauthorized",
  );
  assert.equal(
    kind(429, "rate_limit_error", "x", { error_code: "contract_spend_limit_reached" }),
    "unauthorized",
  );
  assert.equal(kind(429, "rate_limit_error", "x", { error_code: "ramp_limit_exceeded" }), "rate_limited");
  assert.equal(kind(429, "rate_limit_error", "This would exceed your organization's limit"), "rate_limited");
});

test("an error inside a 200 is classed by its type alone", () => {
  const inside = (type: string) =>
    anthropicError(200, { type: "error", error: { type, message: "x" } }, null);
  assert.equal(inside("rate_limit_error").kind, "rate_limited");
  assert.equal(inside("overloaded_error").kind, "upstream_error");
  assert.equal(inside("invalid_request_error").kind, "invalid_request");
  assert.equal(inside("brand_new").kind, "upstream_error");
  assert.equal(inside("api_error").status, 200);
  assert.equal(anthropicError(200, undefined, null).kind, "upstream_error");
});
