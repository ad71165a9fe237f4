// Which models serve which kind of call, and what a pool without any says.

import assert from "node:assert/strict";
import test from "node:test";
import { allModels, modelsFor, notServed } from "#ai/pools/operation-models.ts";
import { anthropic } from "#providers/anthropic/anthropic.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { script } from "../scripted-members.ts";

const lists = {
  models: ["chat"],
  embedding_models: ["vec"],
  image_models: ["pic"],
  rerank_models: ["rank", "rank-2"],
};
const member = script().member("one", [], lists);

test("each kind of call has its own list", () => {
  const of = (kind: Parameters<typeof modelsFor>[0]) => modelsFor(kind)(member);
  assert.deepEqual([of("chat"), of("embeddings"), of("image")], [["chat"], ["vec"], ["pic"]]);
  assert.deepEqual([of("rerank"), of("speech")], [["rank", "rank-2"], []]);
  assert.deepEqual(allModels(member), ["chat", "vec", "pic", "rank", "rank-2"]);
});

test("a list of models that the provider has no operation for serves nothing", () => {
  const other = { ...member, provider: anthropic };
  assert.deepEqual(modelsFor("image")(other), []);
  assert.deepEqual(modelsFor("embeddings")(other), []);
  assert.equal(openaiCompatible.forwards.length, 5);
});

test("a pool without such members names the field", () => {
  assert.equal(notServed("embeddings").code, "no_embeddings");
  assert.deepEqual(notServed("speech"), {
    message: "No member of this pool has `speech_models`.",
    type: "invalid_request_error",
    param: "model",
    code: "operation_not_served",
  });
});
