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
    [{ message: "x", type: "invalid_request_error" }, "caller"],
    [{ message: "x", code: 429 }, "limited"],
    [{ message: "x", code: "503" }, "broken"],
    [{ message: "x", code: 401 }, "denied"],
    [{ message: "x", code: 402 }, "denied"],
    [{ message: "x", code: 404 }, "unable"],
    [{ message: "The model `x` does not exist.", code: 404 }, "no_model"],
    [{ message: "x", code: 400 }, "caller"],
    [{ message: "x", code: "rate_limit_exceeded" }, "limited"],
    [{ message: "x", code: "insufficient_quota" }, "denied"],
    [{ message: "x", code: "context_length_exceeded" }, "context"],
    [{ message: "x", code: "content_filter" }, "policy"],
    ["overloaded", "broken"],
    [{}, "broken"],
  ];
  for (const [error, kind] of cases) assert.equal(read(200, error).kind, kind, JSON.stringify(error));
});

test("another try may change 408, 409 and 425, and every 5xx whatever it says", () => {
  for (const status of [408, 409, 425, 500, 502, 503, 504, 529])
    assert.equal(read(status, { message: "maximum context length" }).kind, "broken");
});

test("the four fields are there whatever came: numbers as text, objects left out", () => {
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
