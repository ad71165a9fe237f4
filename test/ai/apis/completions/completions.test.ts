// Completions of a text: what is checked of a request, and what is reserved for it.

import assert from "node:assert/strict";
import test from "node:test";
import { completionsApi, createCompletionsRequest } from "#ai/apis/completions/completions.ts";
import { promptTokens, reservedTokens } from "#ai/limits/estimate.ts";
import { isProblem } from "#contract/problem.ts";

const [operation] = completionsApi.operations;
const read = (body: unknown) => operation!.read(JSON.stringify(body), {});

test("a prompt is a text or a list, and may be empty", () => {
  for (const prompt of ["", "Once", ["a", "b"], [1, 2], [[1], [2]]])
    assert.ok(!isProblem(read({ prompt })), JSON.stringify(prompt));
  for (const body of [{}, { prompt: null }, { prompt: 7 }, { prompt: {} }, []])
    assert.ok(isProblem(read(body)), JSON.stringify(body));
});

test("each answer to each prompt is reserved", () => {
  for (const [body, tokens] of [
    [{ prompt: "x".repeat(40), max_tokens: 100 }, 13 + 100],
    [{ prompt: ["x".repeat(40), "y".repeat(40)], max_tokens: 100, n: 3 }, 26 + 600],
    [{ prompt: "x", max_tokens: null }, 4 + 256],
  ] as const) {
    const { estimated } = createCompletionsRequest({ body, includeUsage: false });
    assert.equal(reservedTokens("chat", estimated, promptTokens("chat", estimated)), tokens);
  }
});

test("a list of tokens counts, and lists of them are prompts of their own", () => {
  const countOf = (prompt: unknown) =>
    promptTokens("chat", createCompletionsRequest({ body: { prompt }, includeUsage: false }).estimated);
  assert.ok(countOf(Array.from({ length: 1_000 }, () => 50_256)) >= 1_000);
  assert.equal(countOf([[1], [2]]), 2 * countOf([1]));
});
