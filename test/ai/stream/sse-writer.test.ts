// What the caller is sent of a stream: every chunk as it came but for the model's name, who served it in the last one,
// the usage only for those who asked, and no end that was not one.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { errorFrame, rewrite, SseWriter, type SseWriterOptions } from "#ai/stream/sse-writer.ts";
import type { Chunk } from "#providers/provider.ts";

const served = { provider: "one", model: "gpt-4.1", latency_ms: 12.5, attempts: 2 };
const rules: SseWriterOptions = { model: "pool", includeUsage: false, created: 1_763_640_000, served };
const servedText = ',"service_pool":{"provider":"one","model":"gpt-4.1","latency_ms":12.5,"attempts":2}';
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

function chunk(text: string, more: Partial<Chunk> = {}): Chunk {
  return {
    kind: "chunk",
    text,
    output: true,
    finish: false,
    usage: null,
    usageOnly: false,
    units: 0,
    ...more,
  };
}
const withOutput = chunk(
  '{"id":"x","model":"gpt","choices":[{"delta":{"content":"\\ud800"}}],"big":12345678901234567890,"z":-0}',
);
const finish = chunk('{"model":"gpt","choices":[{"finish_reason":"stop"}]}', { finish: true });
const usageOnlyChunk = chunk('{"model":"gpt","choices":[],"usage":{}}', {
  output: false,
  usage,
  usageOnly: true,
});

test("a chunk goes out at once, changed in nothing but the model's name", () => {
  assert.equal(
    new SseWriter(rules).chunk(withOutput),
    `data: ${withOutput.text.replace('"gpt"', '"pool"')}\n\n`,
  );
});

test("the last chunk says who served, then [DONE]", () => {
  const frames = new SseWriter(rules);
  assert.equal(frames.chunk(finish), "");
  assert.equal(
    frames.done(),
    `data: {"model":"pool","choices":[{"finish_reason":"stop"}]${servedText}}\n\ndata: [DONE]\n\n`,
  );
});

test("the usage is sent to those who asked, behind the finish, and is known in any case", () => {
  const silent = new SseWriter(rules);
  assert.equal(silent.chunk(finish) + silent.chunk(usageOnlyChunk), "");
  assert.deepEqual(silent.usage, usage);
  assert.match(silent.done(), /"finish_reason":"stop".*service_pool.*\n\ndata: \[DONE\]\n\n$/);
  const asked = new SseWriter({ ...rules, includeUsage: true });
  assert.equal(asked.chunk(finish), "");
  assert.equal(
    asked.chunk(usageOnlyChunk),
    'data: {"model":"pool","choices":[{"finish_reason":"stop"}]}\n\n',
  );
  assert.equal(
    asked.done(),
    `data: {"model":"pool","choices":[],"usage":{}${servedText}}\n\ndata: [DONE]\n\n`,
  );
});

test("two choices finish one after the other, and only the last is held back", () => {
  const frames = new SseWriter(rules);
  const other = chunk('{"model":"gpt","choices":[{"index":1,"finish_reason":"length"}]}', { finish: true });
  assert.equal(frames.chunk(finish), "");
  assert.match(frames.chunk(withOutput), /"stop".*\n\ndata: .*ud800/);
  assert.equal(frames.chunk(other), "");
  assert.match(frames.done(), /^data: .*"length".*service_pool/);
});

test("one that broke off ends with the error, and what was held back goes before it", () => {
  const frames = new SseWriter(rules);
  frames.chunk(finish);
  const error = { message: "cut", type: "server_error", param: null, code: "upstream_cut" };
  const text = frames.failed(error);
  assert.equal(
    text,
    `data: {"model":"pool","choices":[{"finish_reason":"stop"}]}\n\ndata: ${JSON.stringify({ error, service_pool: served })}\n\n`,
  );
  assert.ok(!text.includes("[DONE]"));
  assert.equal(errorFrame(error, null), `data: ${JSON.stringify({ error })}\n\n`);
});

test("a date of 0 is replaced by ours; one deeper inside, or another number, stays", () => {
  const date = (text: string) => rewrite(text, rules);
  assert.equal(date('{"created" : 0,"model":"m"}'), '{"created" : 1763640000,"model":"pool"}');
  assert.equal(date('{"model":"m","created":0}'), '{"model":"pool","created":1763640000}');
  for (const kept of [
    '"created":17',
    '"created":0.5',
    '"created":7,"a":{"created":0}',
    '"a":[{"created":0}]',
    '"a":"\\"created\\":0,"',
  ])
    assert.equal(date(`{"model":"m",${kept}}`), `{"model":"pool",${kept}}`);
});

test("a name that is given twice is changed twice; one that is missing is added", () => {
  assert.equal(
    rewrite('{"model":"a","x":1e400,"model":"b"}', rules, served),
    `{"model":"pool","x":1e400,"model":"pool"${servedText}}`,
  );
  assert.equal(rewrite("{}", rules), '{"model":"pool"}');
  assert.equal(
    rewrite('{"service_pool":1,"model":"a"}', rules, served),
    `{${servedText.slice(1)},"model":"pool"}`,
  );
});

test("chunks that begin like the one before are changed as if each were read in full", () => {
  const member = fc.constantFrom(
    '"id":"x"',
    '"created":0',
    '"created":17',
    '"model":"gpt"',
    '"model":"gpt-4"',
    '"model":1',
    '"model":12',
    '"model":null',
    '"m\\u006fdel":"other"',
    '"choices":[{"delta":{"content":"a"}}]',
    '"choices":[{"delta":{"content":"\\u00e9","model":"inner"},"created":0}]',
    '"choices":[{"delta":{"content":"\\"model\\":"}}]',
  );
  const text = fc
    .tuple(fc.array(member, { maxLength: 5 }), fc.constantFrom(",", ", "))
    .map(([members, between]) => `{${members.join(between)}}`);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const frames = new SseWriter(rules);
      for (const one of texts) assert.equal(frames.chunk(chunk(one)), `data: ${rewrite(one, rules)}\n\n`);
    }),
    { numRuns: 5_000 },
  );
});
