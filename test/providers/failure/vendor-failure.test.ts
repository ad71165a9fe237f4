// Each kind of failure in OpenAI's words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { badAnswer, badFrame, vendorFailure } from "#providers/failure/vendor-failure.ts";

test("a kind has one type and one code; more is reported where it is known", () => {
  assert.deepEqual(vendorFailure("context_length", 400, "Too long.", { param: "messages" }), {
    kind: "context_length",
    status: 400,
    retryAfterMs: null,
    error: {
      message: "Too long.",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
  });
  const limited = vendorFailure("rate_limited", 429, "Slow down: sk-proj-abc123DEF456", { retryAfterMs: 5 });
  assert.equal(limited.retryAfterMs, 5);
  assert.equal(limited.error.code, "rate_limit_exceeded");
  assert.equal(limited.error.message, "Slow down: ***");
});

test("nonsense is broken, told apart by code", () => {
  assert.deepEqual(badAnswer("What?"), {
    kind: "failure",
    failure: vendorFailure("upstream_error", 200, "What?", { code: "bad_upstream_answer" }),
  });
  assert.deepEqual(badFrame("What?"), {
    kind: "failure",
    failure: vendorFailure("upstream_error", 200, "What?", { code: "malformed_frame" }),
  });
});
