// What an error means where its status alone would mislead: codes within a 200, statuses within a code, and words
// where a vendor has no code. Each vendor's whole errors are in the conformance suite.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openaiFailure } from "#providers/openai/failure.ts";
import { checkedFailure } from "../openai-shapes.ts";

const read = (status: number, error: unknown) =>
  checkedFailure(openaiFailure(status, {}, JSON.stringify({ error }), 0));

test("inside a 200 the error's own words decide", () => {
  const cases: [unknown, string][] = [
    [{ message: "x", type: "invalid_request_error" }, "invalid_request"],
    [{ message: "x", code: 429 }, "rate_limited"],
    [{ message: "x", code: "503" }, "upstream_error"],
    [{ message: "x", code: 401 }, "unauthorized"],
    [{ message: "x", code: 402 }, "unauthorized"],
    [{ message: "x", code: 404 }, "unsupported"],
    [{ message: "The model `x` does not exist.", code: 404 }, "model_not_found"],
    [{ message: "x", code: 400 }, "invalid_request"],
    [{ message: "x", code: "rate_limit_exceeded" }, "rate_limited"],
    [{ message: "x", code: "insufficient_quota" }, "unauthorized"],
    [{ message: "x", code: "Arrearage" }, "unauthorized"],
    [{ message: "x", code: "AccountOverdueError" }, "unauthorized"],
    [{ message: "Your account is in arrears, please recharge.", code: "1113" }, "unauthorized"],
    [{ message: "x", code: "context_length_exceeded" }, "context_length"],
    [{ message: "x", code: "content_filter" }, "content_policy"],
    ["overloaded", "upstream_error"],
    [{}, "upstream_error"],
  ];
  for (const [error, kind] of cases) assert.equal(read(200, error).kind, kind, JSON.stringify(error));
});

test("another try may change 408, 409 and 425, and every 5xx with any body", () => {
  for (const status of [408, 409, 425, 500, 502, 503, 504, 529])
    assert.equal(read(status, { message: "maximum context length" }).kind, "upstream_error");
});

test("the four fields are there for every body: numbers as text, objects left out", () => {
  assert.deepEqual(read(400, { message: "m", type: 7, code: 1234, param: { a: 1 } }).error, {
    message: "m",
    type: "7",
    code: "1234",
    param: null,
  });
  assert.equal(read(418, null).error.message, "The provider answered 418.");
  assert.equal(openaiFailure(400, {}, '{"detail":[null]}', 0).error.message, "The provider answered 400.");
  assert.equal(openaiFailure(400, {}, '{"message":"top"}', 0).error.message, "top");
});

test("a refusal of tools beside effort, which has no code, is this member's alone, and teaches nothing", () => {
  const error = {
    message:
      "Function tools with reasoning_effort are not supported for gpt-6. Please use /v1/responses instead.",
    type: "invalid_request_error",
    param: "reasoning_effort",
    code: null,
  };
  const failure = read(400, error);
  assert.deepEqual([failure.kind, failure.refused, failure.error], ["unsupported", undefined, error]);
  assert.equal(read(400, { ...error, code: "invalid_value" }).kind, "invalid_request");
  assert.equal(read(400, { ...error, param: "messages" }).kind, "invalid_request");
  const learned = read(400, { ...error, code: "unsupported_value" });
  assert.deepEqual(learned.refused, { name: "reasoning_effort", valueOnly: true });
});

test("an account in arrears is the pool's own problem, at the status of a caller's fault too", () => {
  for (const message of [
    "Access denied, please make sure your account is in good standing. For details, see: https://help.example.com",
    "Sorry, your account balance is insufficient",
    "Your account is in arrears.",
    "The account has an overdue balance.",
  ])
    for (const status of [400, 429]) {
      const failure = read(status, { message });
      assert.equal(failure.kind, "unauthorized", `${status} ${message}`);
      assert.doesNotMatch(failure.error.message, /account is in|overdue|standing/);
    }
});
