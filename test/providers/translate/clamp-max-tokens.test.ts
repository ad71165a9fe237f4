// The limit of an answer, lowered in the request's text, which otherwise stays as it was.

import assert from "node:assert/strict";
import test from "node:test";
import { clampMaxTokens, limitsAbove, maxAnswerTokens } from "#providers/translate/clamp-max-tokens.ts";

test("each limit above the model's is lowered, and the rest of the text stays", () => {
  const text = '{"max_tokens":9,"x":1e400,"max_completion_tokens":4}';
  const body = { max_tokens: 9, x: 1, max_completion_tokens: 4 };
  const [form, names] = clampMaxTokens({ text, body, model: "m" }, 5);
  assert.deepEqual(names, ["max_tokens"]);
  assert.equal(form.text, '{"max_tokens":5,"x":1e400,"max_completion_tokens":4}');
  assert.deepEqual(form.body, { ...body, max_tokens: 5 });
  assert.equal(form.model, "m");
});

test("a request within the limit is the same object", () => {
  const form = { text: "{}", body: { max_output_tokens: 5 } };
  assert.equal(clampMaxTokens(form, 5)[0], form);
  assert.deepEqual([maxAnswerTokens(form.body), maxAnswerTokens({ max_tokens: "9" })], [5, null]);
  assert.deepEqual(limitsAbove(form.body, 4), ["max_output_tokens"]);
});

test("a budget of thoughts leaves a fifth of the lowered limit for the answer", () => {
  const thinking = { type: "enabled", budget_tokens: 31_999 };
  const body = { max_tokens: 32_000, thinking };
  const [form] = clampMaxTokens({ text: JSON.stringify(body), body }, 10_000);
  assert.deepEqual(JSON.parse(form.text), {
    max_tokens: 10_000,
    thinking: { ...thinking, budget_tokens: 8000 },
  });
});
