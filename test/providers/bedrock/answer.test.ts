// Bedrock's streams beside the recorded ones: a stream and a whole answer of the same blocks say the same.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { bedrockAnswer, bedrockStream } from "#providers/bedrock/answer.ts";
import { requestOf } from "../conformance-cases.ts";
import { folded } from "../folded.ts";

const words = fc.string({ minLength: 1, maxLength: 6 });
const block = fc.oneof(
  fc.record({ text: words }),
  fc.record({
    reasoningContent: fc.record({
      reasoningText: fc.record({ text: words, signature: fc.constant("c2ln") }),
    }),
  }),
  fc.record({ reasoningContent: fc.record({ redactedContent: fc.constant("c2VhbGVk") }) }),
  fc.record({
    toolUse: fc.record({
      toolUseId: fc.constant("tooluse_1"),
      name: fc.constant("f"),
      input: fc.dictionary(fc.string(), fc.integer()),
    }),
  }),
);
type Block = {
  text?: string;
  reasoningContent?: object;
  toolUse?: { toolUseId: string; name: string; input: object };
};

function eventsFor(content: readonly Block[]): [string, object][] {
  return content.flatMap(({ text, reasoningContent, toolUse }, contentBlockIndex): [string, object][] => {
    const delta = (own: object): [string, object] => ["contentBlockDelta", { contentBlockIndex, delta: own }];
    const end: [string, object] = ["contentBlockStop", { contentBlockIndex }];
    if (toolUse) {
      const { input, ...use } = toolUse;
      const start: [string, object] = ["contentBlockStart", { contentBlockIndex, start: { toolUse: use } }];
      return [start, delta({ toolUse: { input: JSON.stringify(input) } }), end];
    }
    const thought = (reasoningContent as { reasoningText?: { text: string; signature: string } } | undefined)
      ?.reasoningText;
    if (thought) {
      const { text: shown, signature } = thought;
      return [delta({ reasoningContent: { text: shown } }), delta({ reasoningContent: { signature } }), end];
    }
    return [delta(reasoningContent ? { reasoningContent } : { text }), end];
  });
}

for (const model of ["anthropic.claude-sonnet-4-5-20250929-v1:0", "other.model-v1:0"])
  test(`a stream says what the whole answer says: ${model}`, () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), (content: Block[]) => {
        const request = requestOf({ messages: [] }, model, true);
        const usage = { inputTokens: 3, outputTokens: 5, totalTokens: 8 };
        const reader = bedrockStream(request);
        const events: [string, object][] = [
          ["messageStart", { role: "assistant" }],
          ...eventsFor(content),
          ["messageStop", { stopReason: "end_turn" }],
          ["metadata", { usage }],
        ];
        const read = events.flatMap(([event, data]) => reader.push({ event, data: JSON.stringify(data) }));
        const whole = { output: { message: { role: "assistant", content } }, stopReason: "end_turn", usage };
        const answer = bedrockAnswer(JSON.stringify(whole), request);
        assert.equal(answer.kind, "answer");
        assert.deepEqual(folded(read), JSON.parse(answer.text));
      }),
    );
  });

test("what was written to a cache for an hour is counted apart", () => {
  const usage = {
    inputTokens: 3,
    outputTokens: 5,
    cacheWriteInputTokens: 90,
    cacheDetails: [
      { ttl: "1h", inputTokens: 60 },
      { ttl: "5m", inputTokens: 30 },
    ],
  };
  const message = { role: "assistant", content: [{ text: "Hi" }] };
  const whole = { output: { message }, stopReason: "end_turn", usage };
  const answer = bedrockAnswer(JSON.stringify(whole), requestOf({ messages: [] }, "m", false));
  assert.deepEqual(answer.kind === "answer" && answer.usage, {
    promptTokens: 93,
    completionTokens: 5,
    totalTokens: 98,
    cacheWriteTokens: 90,
    cacheWriteHourTokens: 60,
  });
});

test("thoughts under way are known, and an empty answer with tokens counted is one", () => {
  const reader = bedrockStream(requestOf({ messages: [] }, "m", true));
  const push = (event: string, data: object) => reader.push({ event, data: JSON.stringify(data) });
  push("messageStart", { role: "assistant" });
  push("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm" } } });
  assert.equal(reader.thinking?.(), true);
  push("contentBlockStop", { contentBlockIndex: 0 });
  assert.equal(reader.thinking?.(), false);
  push("messageStop", { stopReason: "end_turn" });
  assert.equal(reader.mayBeEmpty?.(), false);
  push("metadata", { usage: { inputTokens: 1, outputTokens: 2 } });
  assert.equal(reader.mayBeEmpty?.(), true);
});
