// Chat completions as Anthropic's messages.

import assert from "node:assert/strict";
import test from "node:test";
import { inputOf, messageOf, messageUsage, stopReason } from "#ai/apis/messages/answer.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";

test("stop reasons", () => {
  assert.equal(stopReason("stop", false, false), "end_turn");
  assert.equal(stopReason("stop", true, false), "tool_use");
  assert.equal(stopReason("tool_calls", true, false), "tool_use");
  assert.equal(stopReason("length", true, false), "max_tokens");
  assert.equal(stopReason("content_filter", false, false), "refusal");
  assert.equal(stopReason("stop", false, true), "refusal");
  assert.equal(stopReason(null, false, false), "end_turn");
});

test("input tokens are those beside the cache", () => {
  assert.deepEqual(messageUsage({ input: 10, output: 4, cached: 6, cacheWrite: 1, reasoning: 2 }), {
    input_tokens: 3,
    cache_creation_input_tokens: 1,
    cache_read_input_tokens: 6,
    output_tokens: 4,
    output_tokens_details: { thinking_tokens: 2 },
  });
});

test("arguments become objects, large numbers as they are spelled", () => {
  assert.deepEqual(inputOf(" "), {});
  assert.deepEqual(inputOf('{"a":1}'), { a: 1 });
  assert.deepEqual(inputOf("[1]"), { INVALID_JSON: "[1]" });
  assert.equal(JSON.stringify(inputOf('{"a":12345678901234567890}')), '{"a":12345678901234567890}');
});

test("thoughts are shown to clients that asked for them, without a signature of Anthropic's", () => {
  const text = JSON.stringify({
    choices: [
      { message: { content: null, reasoning_content: "Hm.", refusal: "No." }, finish_reason: "stop" },
    ],
  });
  const rules = { model: "m", stem: "s", thinking: true, signed: true, names: new ToolNames() };
  const message = JSON.parse(messageOf(text, rules));
  assert.deepEqual(message.content, [
    { type: "thinking", thinking: "Hm.", signature: "trunkline-unsigned" },
    { type: "text", text: "No." },
  ]);
  assert.deepEqual([message.id, message.stop_reason], ["msg_s", "refusal"]);
  assert.equal(JSON.parse(messageOf(text, { ...rules, thinking: false, signed: false })).content.length, 1);
});
