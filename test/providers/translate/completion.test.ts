// Chunks as they are written, held against OpenAI's shapes.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chunkWriter, type TokenCounts, usageOf } from "#providers/translate/completion.ts";
import { checkedChunk } from "../openai-shapes.ts";

const heading = { id: "x", created: 7, model: "m" };
const counted: TokenCounts = {
  promptTokens: 3,
  completionTokens: 4,
  cachedTokens: null,
  reasoningTokens: null,
};

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

test("text alone is put together as it is printed (2,000 chunks)", () => {
  const print = (chunk: object) => JSON.stringify(chunk);
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "\ud83d", '{"content":""}', '"\\\u0000'),
  );
  const property = fc.property(
    text,
    text,
    fc.nat({ max: 3 }),
    fc.boolean(),
    text,
    (id, model, index, include_usage, content) => {
      const request = { body: { stream_options: { include_usage } } };
      const own = chunkWriter({ id, created: 7, model }, request);
      const printed = chunkWriter({ id, created: 7, model }, request, print);
      for (const delta of [{ content }, { content: "a" }, { content, refusal: "" }, { refusal: content }])
        assert.deepEqual(own.delta(index, delta), printed.delta(index, delta));
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});
