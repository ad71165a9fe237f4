// Errors as clients of Anthropic's API read them.

import assert from "node:assert/strict";
import test from "node:test";
import { errorShapeOf, inShape } from "#ai/apis/apis.ts";
import { anthropicErrors, anthropicType, promptTooLong } from "#ai/apis/messages/error-shape.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";

test("Anthropic's shape: its types, its header, and what is beside an error", () => {
  const unavailable = aiProblem("unavailable", { retryAfterMs: 2_000 });
  const shaped = inShape(
    anthropicErrors,
    { ...unavailable, body: { ...unavailable.body, service_pool: { attempts: 2 } } },
    "req_1",
  );
  assert.equal(shaped.status, 503);
  assert.equal(shaped.headers?.["Retry-After"], "2");
  assert.equal(shaped.headers?.["request-id"], "req_1");
  const { message } = (unavailable.body as { error: { message: string } }).error;
  assert.deepEqual(shaped.body, {
    type: "error",
    error: { type: "overloaded_error", message },
    request_id: "req_1",
    service_pool: { attempts: 2 },
  });
  assert.equal(inShape(errorShapeOf("/api/ai/v1/models"), unavailable, "req_1"), unavailable);
});

test("a wrong key and a spent budget are not to be tried again", () => {
  for (const code of ["invalid_api_key", "insufficient_quota"] as const)
    assert.equal(inShape(anthropicErrors, aiProblem(code), "r").headers?.["x-should-retry"], "false");
  assert.equal(
    inShape(anthropicErrors, aiProblem("rate_limit_exceeded"), "r").headers?.["x-should-retry"],
    undefined,
  );
});

test("a wrong key: the error says where clients of this API put it", () => {
  const problem = aiProblem("invalid_api_key");
  const messageIn = (path: string) =>
    (inShape(errorShapeOf(path), problem, "r").body as { error: { message: string } }).error.message;
  assert.match(messageIn("/api/ai/v1/messages"), /x-api-key/);
  for (const path of ["/api/ai/v1/chat/completions", "/api/ai/v1/responses"])
    assert.match(messageIn(path), /Send it as a Bearer token in the Authorization header/);
});

test("types by status", () => {
  assert.equal(anthropicType(401), "authentication_error");
  assert.equal(anthropicType(502), "api_error");
  assert.equal(anthropicType(422), "invalid_request_error");
});

test("a prompt that is too long, in the words that clients know", () => {
  const own = "prompt is too long: 200001 tokens > 200000 maximum";
  assert.equal(promptTooLong(own), own);
  assert.match(
    promptTooLong("This model's maximum context length is 8,192 tokens, your messages have 9,001."),
    /^prompt is too long: 9001 tokens > 8192 maximum \(This/,
  );
  assert.equal(promptTooLong("Too long."), "prompt is too long: Too long.");
  const problem = aiProblem("body_too_large");
  const error = { message: own, type: "t", param: null, code: "context_length_exceeded" };
  const shaped = inShape(anthropicErrors, { ...problem, body: { error } }, "r");
  assert.equal(shaped.status, 400);
});
