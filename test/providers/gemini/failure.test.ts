// Google's errors beside the recorded ones: canonical statuses go before HTTP's, details before words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { geminiError, geminiFailure } from "#providers/gemini/failure.ts";

const failure = (status: number, canonical: string, message = "x", details: object[] = []) =>
  geminiFailure(
    status,
    {},
    JSON.stringify({ error: { code: status, message, status: canonical, details } }),
    0,
  );

test("canonical statuses", () => {
  const kinds: [number, string, string][] = [
    [400, "INVALID_ARGUMENT", "invalid_request"],
    [400, "FAILED_PRECONDITION", "unsupported"],
    [403, "PERMISSION_DENIED", "unauthorized"],
    [404, "NOT_FOUND", "unsupported"],
    [409, "ABORTED", "upstream_error"],
    [429, "RESOURCE_EXHAUSTED", "rate_limited"],
    [499, "CANCELLED", "upstream_error"],
    [400, "BRAND_NEW", "invalid_request"],
    [503, "BRAND_NEW", "upstream_error"],
    [400, "toString", "invalid_request"],
  ];
  for (const [status, canonical, kind] of kinds) {
    assert.equal(failure(status, canonical).kind, kind, canonical);
  }
});

test("a project that cannot pay is denied, not limited", () => {
  assert.equal(
    failure(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.").kind,
    "unauthorized",
  );
  assert.equal(failure(403, "PERMISSION_DENIED", "x", [{ reason: "BILLING_DISABLED" }]).kind, "unauthorized");
});

test("waits: of an overload too, within an hour, and only as Google writes them", () => {
  const wait = (retryDelay: unknown, message = "x") =>
    failure(429, "RESOURCE_EXHAUSTED", message, [{ retryDelay }]).retryAfterMs;
  assert.equal(wait("0.5s"), 500);
  assert.equal(wait("99999s"), 3_600_000);
  assert.equal(wait("-1s"), null);
  assert.equal(wait(5), null);
  assert.equal(wait(undefined, "Please retry in 37.82626638s."), 37_827);
  assert.equal(failure(503, "UNAVAILABLE", "x", [{ retryDelay: "2s" }]).retryAfterMs, 2000);
  assert.equal(failure(400, "INVALID_ARGUMENT", "x", [{ retryDelay: "2s" }]).retryAfterMs, null);
});

test("an error inside a 200", () => {
  const inside = (status: string) => geminiError(200, { error: { code: 1, message: "x", status } }, null);
  assert.equal(inside("RESOURCE_EXHAUSTED").kind, "rate_limited");
  assert.equal(inside("UNAVAILABLE").kind, "upstream_error");
  assert.equal(inside("UNAVAILABLE").status, 200);
  assert.equal(geminiError(200, null, null).kind, "upstream_error");
});
