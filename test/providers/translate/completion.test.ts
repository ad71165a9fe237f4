// Completions and chunks as they are written, held against OpenAI's shapes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choice, chunkWriter, completion, usageOf } from "#providers/translate/completion.ts";
import { checkedChunk, checkedCompletion } from "../openai-shapes.ts";

const heading = { id: "x", created: 7, model: "m" };
const counted = { promptTokens: 3, completionTokens: 4, cachedTokens: null, reasoningTokens: null };
const choice: Choice = { index: 0, text: "", reasoning: "", refusal: null, calls: [], finishReason: "stop" };
const call = { id: "c", name: "f", arguments: "{}" };

function written(own: Partial<Choice>) {
  const answer = completion(heading, [{ ...choice, ...own }], counted);
  assert.equal(answer.kind, "answer");
  const value = checkedCompletion(answer);
  return { output: answer.output, message: value.choices[0]?.message, created: value.created };
}

test("an answer says something by text, thoughts, a refusal, a call, or a rightful silence", () => {
  assert.equal(written({}).output, false);
  for (const own of [
    { text: "x" },
    { reasoning: "x" },
    { refusal: "x" },
    { calls: [call] },
    { images: [{ mediaType: "image/png", base64: "AAAA" }] },
    { finishReason: "length" },
    { finishReason: "content_filter" },
  ]) {
    assert.equal(written(own).output, true, JSON.stringify(own));
  }
});

test("content is null where something else stands for it, empty where nothing does", () => {
  assert.equal(written({}).message?.content, "");
  assert.equal(written({ calls: [call] }).message?.content, null);
  assert.equal(written({ refusal: "No." }).message?.content, null);
  assert.equal(written({ text: "x", calls: [call] }).message?.content, "x");
  assert.equal(written({}).created, 7);
});

test("chunks: flags follow what they hold", () => {
  const write = chunkWriter(heading, { body: {} });
  const chunks = [
    write.role(0),
    write.delta(0, { content: "x" }),
    write.delta(0, { content: "" }),
    write.delta(0, { call: { index: 0, id: "c", name: "f", arguments: "" } }),
    write.delta(0, { call: { index: 0, arguments: "{}" } }),
    write.finish(0, "stop"),
    write.finish(0, "length"),
    write.usage(counted),
  ];
  for (const chunk of chunks) assert.deepEqual({ ...heading, ...checkedChunk(chunk) }, checkedChunk(chunk));
  assert.deepEqual(
    chunks.map(({ output, finish, usageOnly }) => [output, finish, usageOnly].map(Number).join("")),
    ["000", "100", "000", "100", "100", "010", "110", "001"],
  );
  assert.deepEqual(chunks.at(-1)?.usage, usageOf(counted));
});

test("usage: every chunk before its own says null where the caller asked for it, and nothing elsewhere", () => {
  const usageIn = (options: unknown) => {
    const write = chunkWriter(heading, { body: { stream_options: options } });
    const chunks = [write.role(0), write.delta(0, { content: "x" }), write.finish(0, "stop")];
    return chunks.map(({ text }) => (JSON.parse(text) as { usage?: unknown }).usage);
  };
  assert.deepEqual(usageIn({ include_usage: true }), [null, null, null]);
  for (const options of [undefined, null, {}, { include_usage: false }, { include_usage: "true" }])
    assert.deepEqual(usageIn(options), [undefined, undefined, undefined], JSON.stringify(options));
});

test("details of usage stand where the vendor counts them", () => {
  const answer = completion(heading, [choice], { ...counted, cachedTokens: 2, reasoningTokens: 0 });
  assert.equal(answer.kind, "answer");
  assert.deepEqual(JSON.parse(answer.text).usage, {
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
  assert.deepEqual(answer.usage, { promptTokens: 3, completionTokens: 4, totalTokens: 7, cachedTokens: 2 });
});
