// Errors of the AI endpoints: OpenAI's object with all four fields, and the headers that go with it.

import assert from "node:assert/strict";
import test from "node:test";
import { openaiErrorReply } from "#contract/ai/chat-shapes.ts";
import { type AiProblemCode, aiErrorReply, aiProblem, aiProblems } from "#contract/ai/openai-error.ts";

for (const [code, { status, type, message }] of Object.entries(aiProblems)) {
  test(`${code}: ${status}, whole`, () => {
    const problem = aiProblem(code as AiProblemCode);
    assert.equal(problem.status, status);
    assert.deepEqual(problem.body, { error: { message, type, param: null, code } });
    openaiErrorReply.parse(problem.body);
    assert.equal(problem.headers?.["WWW-Authenticate"], code === "invalid_api_key" ? "Bearer" : undefined);
  });
}

test("the statuses of the contract", () => {
  const statuses = Object.fromEntries(Object.entries(aiProblems).map(([code, { status }]) => [code, status]));
  assert.deepEqual(statuses, {
    invalid_api_key: 401,
    malformed_body: 400,
    invalid_value: 400,
    no_embeddings: 400,
    unpriced_model: 400,
    operation_not_served: 400,
    model_not_found: 404,
    completion_not_found: 404,
    completion_ended: 409,
    too_many_deferred: 429,
    idempotency_mismatch: 422,
    unknown_url: 404,
    method_not_allowed: 405,
    request_timeout: 408,
    body_too_large: 413,
    unsupported_media_type: 415,
    rate_limit_exceeded: 429,
    concurrency_limit_exceeded: 429,
    insufficient_quota: 429,
    server_error: 500,
    unavailable: 503,
  });
});

test("details take the place of what is usual", () => {
  const problem = aiProblem("rate_limit_exceeded", { message: "No more.", type: "tokens", param: "n" });
  assert.deepEqual(problem.body, {
    error: { message: "No more.", type: "tokens", param: "n", code: "rate_limit_exceeded" },
  });
});

for (const [ms, seconds, exact] of [
  [0, "1", "0"],
  [1, "1", "1"],
  [999.2, "1", "1000"],
  [1_000, "1", "1000"],
  [1_001, "2", "1001"],
  [-5, "1", "0"],
  [61_500, "62", "61500"],
] as const) {
  test(`to be tried again after ${ms} ms: ${seconds} s, rounded up, and never at once`, () => {
    const { headers } = aiProblem("unavailable", { retryAfterMs: ms });
    assert.equal(headers?.["Retry-After"], seconds);
    assert.equal(headers?.["retry-after-ms"], exact);
  });
}

test("where nothing says when to try again, it is after a second; what trying again does not help says nothing", () => {
  const error = { message: "No.", type: "t", param: null, code: null };
  for (const status of [429, 502, 503, 504, 529]) {
    assert.deepEqual(aiErrorReply(status, error).headers, { "Retry-After": "1" });
    assert.equal(aiErrorReply(status, error, { retryAfterMs: 2_000 }).headers?.["Retry-After"], "2");
  }
  for (const status of [400, 401, 404, 413, 500]) assert.deepEqual(aiErrorReply(status, error).headers, {});
  assert.equal(aiProblem("unavailable").headers?.["Retry-After"], "1");
});

test("Allow, other headers, and what is sent beside the error", () => {
  assert.equal(aiProblem("method_not_allowed", { allow: "GET, HEAD" }).headers?.Allow, "GET, HEAD");
  const error = { message: "No.", type: "t", param: null, code: null };
  const reply = aiErrorReply(418, error, { headers: { a: "b" }, beside: { service_pool: { attempts: 2 } } });
  assert.deepEqual(reply.body, { error, service_pool: { attempts: 2 } });
  assert.deepEqual(reply.headers, { a: "b" });
  assert.equal(reply.status, 418);
});
