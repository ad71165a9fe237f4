// Google's embeddings over OpenAI's.

import assert from "node:assert/strict";
import test from "node:test";
import { createEmbeddingsRequest, isEmbeddings, readEmbedded } from "#ai/apis/gemini/embeddings.ts";
import { isProblem } from "#contract/problem.ts";

const of = (text: string, more: object = {}) => ({ content: { parts: [{ text }] }, ...more });
const rules = {
  model: "m",
  created: 1,
  promptTokens: 1,
  served: { provider: "p", model: "m", latency_ms: 1, attempts: 1 },
};

test("a batch is one request, and its vectors come back digit by digit", () => {
  const requests = [of("a", { outputDimensionality: 2 }), of("b", { outputDimensionality: 2 })];
  const read = readEmbedded(JSON.stringify({ requests }), { model: "m" }, true);
  assert.ok(!isProblem(read) && isEmbeddings(read));
  assert.deepEqual(read.body, { input: ["a", "b"], encoding_format: "float", dimensions: 2 });
  const list = '{"data":[{"embedding":[0.10,-0]},{"embedding": [1e-9]}]}';
  assert.equal(
    createEmbeddingsRequest(read).answer(list, false, rules),
    `{"embeddings":[{"values":[0.10,-0]},{"values":[1e-9]}],"service_pool":${JSON.stringify(rules.served)}}`,
  );
  const one = readEmbedded(JSON.stringify(of("a")), { model: "m" }, false);
  assert.ok(!isProblem(one) && isEmbeddings(one));
  assert.equal(
    createEmbeddingsRequest(one).answer(list, false, rules),
    `{"embedding":{"values":[0.10,-0]},"service_pool":${JSON.stringify(rules.served)}}`,
  );
});

test("fields that a member of another format does not get are named, each once", () => {
  const leftOutOf = (body: object, isBatch: boolean) => {
    const read = readEmbedded(JSON.stringify(body), { model: "m" }, isBatch);
    assert.ok(!isProblem(read) && isEmbeddings(read));
    return createEmbeddingsRequest(read).leftOut();
  };
  const own = { model: "models/m", outputDimensionality: 2 };
  assert.deepEqual(leftOutOf(of("a", own), false), []);
  assert.deepEqual(leftOutOf(of("a", { ...own, taskType: "CLUSTERING", title: null }), false), ["taskType"]);
  const requests = [of("a", { task_type: "CLUSTERING" }), of("b", { task_type: "CLUSTERING", title: "B" })];
  assert.deepEqual(leftOutOf({ requests, more: 1 }, true), ["more", "task_type", "title"]);
});

test("what cannot be embedded is refused by its place", () => {
  for (const [body, isBatch] of [
    [{}, false],
    [{ content: { parts: [{ inlineData: {} }] } }, false],
    [{ requests: [] }, true],
    [{ requests: [of("a"), { content: {} }] }, true],
    [{ requests: [of("a"), of("b", { outputDimensionality: 2 })] }, true],
  ] as const)
    assert.equal(isProblem(readEmbedded(JSON.stringify(body), {}, isBatch)), true, JSON.stringify(body));
});
