// Gemini's streams as streamGenerateContent?alt=sse sends them (ai.google.dev/api/generate-content, gemini-api/docs/
// text-generation#streaming, /thinking#summaries, /function-calling), and what goes wrong in them.

import type { StreamCase } from "../conformance-cases.ts";
import { recordingOf } from "../sse.ts";

const id = "mAitaLmkHPPlz7IPvtfUqQ4";
const model = "gemini-2.5-flash";

const event = (
  candidates: object[],
  usageMetadata: object | null = { promptTokenCount: 4, totalTokenCount: 4 },
) => ({
  candidates,
  ...(usageMetadata === null ? {} : { usageMetadata }),
  modelVersion: model,
  responseId: id,
});
const one = (parts: object[], more: object = {}) => ({
  content: { parts, role: "model" },
  index: 0,
  ...more,
});
const counted = { promptTokenCount: 4, candidatesTokenCount: 6, totalTokenCount: 10 };

const chunk = (choices: object[], more: object = {}) => ({
  id,
  object: "chat.completion.chunk",
  created: 0,
  model,
  choices,
  ...more,
});
const said = (delta: object, reason: string | null = null, index = 0) =>
  chunk([{ index, delta, logprobs: null, finish_reason: reason }]);
const role = said({ role: "assistant", content: "" });
const usage = (prompt: number, completion: number, more: object = {}) =>
  chunk([], {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      ...more,
    },
  });

export const geminiStreams: readonly StreamCase[] = [
  {
    name: "text",
    wire:
      `data: {"candidates": [{"content": {"parts": [{"text": "Hello"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 4,"totalTokenCount": 4,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 4}]},"modelVersion": "${model}","responseId": "${id}"}\r\n\r\n` +
      `data: {"candidates": [{"content": {"parts": [{"text": "!"}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 4,"candidatesTokenCount": 6,"totalTokenCount": 10},"modelVersion": "${model}","responseId": "${id}"}\r\n\r\n`,
    chunks: [role, said({ content: "Hello" }), said({ content: "!" }), said({}, "stop"), usage(4, 6)],
    end: "done",
  },
  {
    name: "thoughts, then calls in parallel over two events, the last event empty but for its signature",
    wire: recordingOf([
      event([one([{ text: "Both cities.", thought: true }])]),
      event([
        one([
          { functionCall: { name: "get_weather", args: { city: "Bonn" } }, thoughtSignature: "c2ln" },
          { functionCall: { name: "get_weather", args: { city: "Rom" } } },
        ]),
      ]),
      event([one([{ functionCall: { id: "own", name: "now" } }])]),
      event([one([{ text: "", thoughtSignature: "eA==" }], { finishReason: "STOP" })], {
        ...counted,
        thoughtsTokenCount: 9,
        cachedContentTokenCount: 2,
      }),
    ]),
    chunks: [
      role,
      said({ reasoning_content: "Both cities." }),
      said({
        tool_calls: [
          {
            index: 0,
            id: `call_${id}_0`,
            type: "function",
            function: { name: "get_weather", arguments: '{"city":"Bonn"}' },
            extra_content: { google: { thought_signature: "c2ln" } },
          },
        ],
      }),
      said({
        tool_calls: [
          {
            index: 1,
            id: `call_${id}_1`,
            type: "function",
            function: { name: "get_weather", arguments: '{"city":"Rom"}' },
          },
        ],
      }),
      said({
        tool_calls: [{ index: 2, id: "own", type: "function", function: { name: "now", arguments: "{}" } }],
      }),
      said({}, "tool_calls"),
      usage(4, 15, {
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 9 },
      }),
    ],
    end: "done",
  },
  {
    name: "two candidates, interleaved",
    body: { messages: [], n: 2 },
    wire: recordingOf([
      event([one([{ text: "A" }]), one([{ text: "B" }], { index: 1 })]),
      event([one([{ text: "a" }], { finishReason: "STOP" })], counted),
      event([one([{ text: "b" }], { index: 1, finishReason: "MAX_TOKENS" })], counted),
    ]),
    chunks: [
      role,
      said({ content: "A" }),
      said({ role: "assistant", content: "" }, null, 1),
      said({ content: "B" }, null, 1),
      said({ content: "a" }),
      said({}, "stop"),
      said({ content: "b" }, null, 1),
      said({}, "length", 1),
      usage(4, 6),
    ],
    end: "done",
  },
  {
    name: "usage behind the finish, and words that come too late",
    wire: recordingOf([
      event([one([{ text: "Hi" }], { finishReason: "STOP" })], null),
      event([one([{ text: " again" }], { finishReason: "STOP" })], null),
      event([], counted),
    ]),
    chunks: [role, said({ content: "Hi" }), said({}, "stop"), usage(4, 6)],
    end: "done",
  },
  {
    name: "log probabilities",
    body: { messages: [], logprobs: true },
    wire: recordingOf([
      event(
        [
          one([{ text: "Hi" }, { text: "" }, { text: "!" }], {
            finishReason: "STOP",
            logprobsResult: { chosenCandidates: [{ token: "Hi", logProbability: -0.25 }] },
          }),
        ],
        counted,
      ),
    ]),
    chunks: [
      role,
      chunk([
        {
          index: 0,
          delta: { content: "Hi" },
          logprobs: { content: [{ token: "Hi", logprob: -0.25, bytes: [72, 105], top_logprobs: [] }] },
          finish_reason: null,
        },
      ]),
      said({ content: "!" }),
      said({}, "stop"),
      usage(4, 6),
    ],
    end: "done",
  },
  {
    name: "withheld before a word was said",
    wire: recordingOf([event([{ finishReason: "SAFETY", index: 0 }])]),
    chunks: [
      role,
      said({ refusal: "The answer was withheld: SAFETY." }),
      said({}, "content_filter"),
      usage(4, 0),
    ],
    end: "done",
  },
  {
    name: "cut before it finished",
    wire: recordingOf([event([one([{ text: "Hi" }])]), event([one([{ text: " there" }])])]),
    chunks: [role, said({ content: "Hi" }), said({ content: " there" })],
    end: "open",
  },
  {
    name: "the prompt was blocked",
    wire: recordingOf([
      { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 4 } },
    ]),
    chunks: [],
    end: { kind: "content_policy", error: { code: "content_filter" } },
  },
  {
    name: "a call that the model could not write",
    wire: recordingOf([event([one([{ text: "Hm" }])]), event([{ finishReason: "MALFORMED_FUNCTION_CALL" }])]),
    chunks: [role, said({ content: "Hm" })],
    end: { kind: "upstream_error", error: { code: "bad_upstream_answer" } },
  },
  {
    name: "an error in the middle, and nothing is read behind it",
    wire: recordingOf([
      event([one([{ text: "Hi" }])]),
      { error: { code: 429, message: "Quota exceeded. Please retry in 5s.", status: "RESOURCE_EXHAUSTED" } },
      event([one([{ text: "!" }], { finishReason: "STOP" })], counted),
    ]),
    chunks: [role, said({ content: "Hi" })],
    end: { kind: "rate_limited", retryAfterMs: 5000 },
  },
];
