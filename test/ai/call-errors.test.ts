// The status that a client sees for each kind of failure.

import assert from "node:assert/strict";
import test from "node:test";
import { statusOf, unknownModel } from "#ai/call-errors.ts";
import type { Failure } from "#providers/provider.ts";

const failure = (kind: Failure["kind"], status: number): Failure => ({
  kind,
  status,
  retryAfterMs: null,
  error: { message: "no", type: "t", param: null, code: null },
});

test("the vendor's status is kept where it is the caller's fault, and never a 401 or a 500", () => {
  const cases: [Failure["kind"], number, number][] = [
    ["invalid_request", 422, 422],
    ["invalid_request", 200, 400],
    ["context_length", 413, 413],
    ["content_policy", 200, 400],
    ["unsupported", 429, 413],
    ["unsupported", 404, 404],
    ["rate_limited", 503, 429],
    ["model_not_found", 400, 404],
    ["unauthorized", 401, 502],
    ["upstream_error", 500, 502],
    ["upstream_error", 504, 504],
  ];
  for (const [kind, status, expected] of cases) assert.equal(statusOf(failure(kind, status)), expected);
});

test("an unknown model is named", () => {
  assert.match(unknownModel("gpt-x").message, /`gpt-x`/);
  assert.equal(unknownModel(null).code, "model_not_found");
});
