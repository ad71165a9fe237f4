// What is read of chat completions and chunks, however little of them a vendor sends.

import assert from "node:assert/strict";
import test from "node:test";
import { callIds, readChat } from "#ai/apis/chat-answer.ts";
import { finishReason } from "#ai/apis/gemini/answer.ts";
import { stopReason } from "#ai/apis/messages/answer.ts";
import { ending } from "#ai/apis/responses/answer.ts";

test("a whole answer, with counts in detail", () => {
  const read = readChat(
    JSON.stringify({
      choices: [
        {
          message: {
            content: [{ type: "text", text: "a" }, { text: "b" }],
            reasoning: "why",
            refusal: null,
            tool_calls: [
              {
                id: "call_1",
                function: { name: "f", arguments: "{}" },
                extra_content: { google: { thought_signature: "sig" } },
              },
            ],
          },
          finish_reason: "tool_calls",
        },
        { message: { content: "of another choice" } },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 4,
        prompt_tokens_details: { cached_tokens: 6 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    }),
  );
  assert.deepEqual(read, {
    text: "ab",
    reasoning: "why",
    reasoningField: "reasoning",
    details: [],
    refusal: "",
    logprobs: [],
    pictures: [],
    calls: [{ index: 0, id: "call_1", name: "f", arguments: "{}", signature: "sig" }],
    finish: "tool_calls",
    counts: { input: 10, output: 4, cached: 6, cacheWrite: 0, reasoning: 3 },
  });
});

test("what is absent or odd counts as nothing", () => {
  const nothing = {
    text: "",
    reasoning: "",
    reasoningField: "reasoning",
    refusal: "",
    logprobs: [],
    pictures: [],
    details: [],
    calls: [],
    finish: null,
    counts: null,
  };
  for (const text of [
    "null",
    "{}",
    '{"choices":[]}',
    '{"choices":[{"delta":null}]}',
    '{"choices":[{"delta":{"content":5,"tool_calls":"x"}}],"usage":3}',
  ])
    assert.deepEqual(readChat(text), nothing, text);
});

test("pictures are bytes or links, of `images` or among the parts; nothing else counts", () => {
  const part = (url: unknown) => ({ type: "image_url", image_url: { url } });
  const message = {
    images: [part("data:image/PNG;base64,AAAA"), part("data:text/html;base64,AAAA"), part(5)],
    content: [{ type: "text", text: "a" }, part("https://pictures.test/a.png")],
  };
  const { text, pictures } = readChat(JSON.stringify({ choices: [{ message }] }));
  assert.equal(text, "a");
  assert.deepEqual(pictures, [
    { mediaType: "image/png", base64: "AAAA" },
    { url: "https://pictures.test/a.png" },
  ]);
});

test("calls keep ids that every API takes, and get new ones otherwise", () => {
  const idOf = callIds("toolu_", "abc");
  assert.equal(idOf("call_12345"), "call_12345");
  assert.equal(idOf("call_12345"), "toolu_abc_1");
  assert.equal(idOf(""), "toolu_abc_2");
  assert.equal(idOf("functions.f:0"), "toolu_abc_3");
});

test("a reason that OpenAI does not have ends the answer in each API's own word, an unknown one as it is", () => {
  const words: readonly (readonly [reason: string, messages: string, responses: string, gemini: string])[] = [
    ["eos", "end_turn", "completed", "STOP"],
    ["tool_use", "end_turn", "completed", "STOP"],
    ["model_length", "max_tokens", "max_output_tokens", "MAX_TOKENS"],
    ["model_context_window_exceeded", "max_tokens", "max_output_tokens", "MAX_TOKENS"],
    ["sensitive", "refusal", "content_filter", "SAFETY"],
    ["repetition", "repetition", "repetition", "REPETITION"],
  ];
  for (const [reason, messages, responses, gemini] of words) {
    const { finish } = readChat(JSON.stringify({ choices: [{ message: {}, finish_reason: reason }] }));
    const { status, more } = ending(finish, null);
    const why = (more.incomplete_details as { reason: string } | null)?.reason ?? status;
    assert.deepEqual(
      [stopReason(finish, false, false), why, finishReason(finish, false)],
      [messages, responses, gemini],
    );
  }
  assert.equal(readChat(JSON.stringify({ choices: [{ delta: {}, finish_reason: "" }] })).finish, null);
});
