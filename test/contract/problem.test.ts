// The error bodies, to the letter.

import assert from "node:assert/strict";
import test from "node:test";
import { type ProblemCode, problem, problems, refusals, validationFailed } from "#contract/problem.ts";
import { problemReply, refusalReply, validationReply } from "#contract/replies.ts";

test("the three refusals", () => {
  assert.equal(
    JSON.stringify(refusals.missing.body),
    '{"status":"error","message":"Api key is required. Send it in the Api-key header or the api_key URL parameter.","error":"Invalid Api Key"}',
  );
  assert.equal(JSON.stringify(refusals.invalid.body), '{"status":"error","error":"Invalid Api Key"}');
  assert.equal(
    JSON.stringify(refusals.expired.body),
    '{"status":"error","error":"Your Subscription Is Expired! Buy A New Plan"}',
  );
  for (const refusal of Object.values(refusals)) {
    assert.equal(refusal.status, 403);
    assert.deepEqual(refusalReply.parse(refusal.body), refusal.body);
  }
});

test("every problem of the contract has its status and shape", () => {
  const statuses: Partial<Record<ProblemCode, number>> = {
    malformed_body: 400,
    insufficient_credit: 402,
    not_found: 404,
    method_not_allowed: 405,
    request_timeout: 408,
    not_cancellable: 409,
    body_too_large: 413,
    unsupported_media_type: 415,
    rate_limited: 429,
    server_error: 500,
    unavailable: 503,
    commit_unknown: 503,
  };
  for (const [code, status] of Object.entries(statuses))
    assert.equal(problems[code as ProblemCode].status, status);
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const { body } = problem(code);
    assert.deepEqual(problemReply.parse(body), { success: false, message: problems[code].message, code });
  }
});

test("Retry-After is in whole seconds, rounded up, and never 0", () => {
  for (const [ms, seconds] of [
    [0, "1"],
    [1, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [60_000, "60"],
  ] as const) {
    assert.deepEqual(problem("rate_limited", { retryAfterMs: ms }).headers, { "Retry-After": seconds });
  }
});

test("a 422 lists its messages by dotted path", () => {
  const path = ["contact", 0, "number"];
  const { status, body } = validationFailed([
    { path, message: "One." },
    { path: ["contact"], message: "Three." },
    { path, message: "Two." },
  ]);
  assert.equal(status, 422);
  assert.equal(
    JSON.stringify(body),
    '{"success":false,"message":"Validation failed.","errors":{"contact.0.number":["One.","Two."],"contact":["Three."]}}',
  );
  assert.ok(validationReply.safeParse(body).success);
});

test("a path that is called __proto__ is a key like any other", () => {
  const { body } = validationFailed([{ path: ["__proto__"], message: "No." }]);
  assert.match(JSON.stringify(body), /"__proto__":\["No\."\]/);
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
});
