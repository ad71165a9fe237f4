// Chat completions as answers of Google's API.

import assert from "node:assert/strict";
import test from "node:test";
import { contentOf, finishReason } from "#ai/apis/gemini/answer.ts";
import { ToolNames } from "#ai/apis/tool-names.ts";

const rules = { model: "m", stem: "stem", names: new ToolNames(), thoughts: true };
const answer = (message: object, finish = "stop", more: object = {}) =>
  JSON.parse(contentOf(JSON.stringify({ choices: [{ message, finish_reason: finish }], ...more }), rules));

test("thoughts, text, a picture and a call are parts, with what was counted", () => {
  const message = {
    reasoning_content: "hm",
    content: "Hello",
    images: [{ image_url: { url: "data:image/png;base64,AAAA" } }],
    tool_calls: [
      {
        id: "call_1",
        function: { name: "f", arguments: '{"n":1}' },
        extra_content: { google: { thought_signature: "s" } },
      },
    ],
  };
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  assert.deepEqual(answer(message, "tool_calls", { usage }), {
    candidates: [
      {
        content: {
          parts: [
            { text: "hm", thought: true },
            { text: "Hello" },
            { inlineData: { mimeType: "image/png", data: "AAAA" } },
            { functionCall: { id: "call_1", name: "f", args: { n: 1 } }, thoughtSignature: "s" },
          ],
          role: "model",
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 3,
      cachedContentTokenCount: 4,
      thoughtsTokenCount: 2,
      totalTokenCount: 15,
    },
    modelVersion: "m",
    responseId: "stem",
  });
});

test("thoughts that the client did not ask for stay away, and finish reasons are Google's", () => {
  const text = JSON.stringify({
    choices: [{ message: { reasoning: "hm", content: "a" }, finish_reason: "stop" }],
  });
  assert.doesNotMatch(contentOf(text, { ...rules, thoughts: false }), /hm/);
  assert.deepEqual(
    [finishReason("length", false), finishReason("content_filter", false), finishReason("stop", true)],
    ["MAX_TOKENS", "SAFETY", "SAFETY"],
  );
});
