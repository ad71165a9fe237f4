// Errors as Google's clients read them.

import assert from "node:assert/strict";
import test from "node:test";
import { inShape } from "#ai/apis/apis.ts";
import { geminiErrors, geminiStatus } from "#ai/apis/gemini/error-shape.ts";
import { aiProblem } from "#contract/ai/openai-error.ts";

test("the status has Google's word, and headers stay", () => {
  const limited = inShape(geminiErrors, aiProblem("rate_limit_exceeded", { retryAfterMs: 2_000 }), "req_1");
  assert.equal(limited.status, 429);
  assert.equal(limited.headers?.["Retry-After"], "2");
  const { error } = limited.body as { error: { code: number; status: string } };
  assert.deepEqual([error.code, error.status], [429, "RESOURCE_EXHAUSTED"]);
  for (const [status, word] of [
    [401, "UNAUTHENTICATED"],
    [418, "INVALID_ARGUMENT"],
    [504, "DEADLINE_EXCEEDED"],
    [599, "INTERNAL"],
  ] as const)
    assert.equal(geminiStatus(status), word);
});
