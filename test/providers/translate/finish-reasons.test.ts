// The reasons with which vendors end answers: what each means, which say that the vendor broke off, and which end nothing.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anthropicAnswer, anthropicStream } from "#providers/anthropic/answer.ts";
import { forwardedAnswer, forwardedStream } from "#providers/anthropic/native.ts";
import { openaiAnswer } from "#providers/openai/answer.ts";
import { openaiStream } from "#providers/openai/stream.ts";
import type { StreamReader } from "#providers/provider.ts";
import { brokenOff, isFinish, meaningOf } from "#providers/translate/finish-reasons.ts";
import { requestOf } from "../conformance-cases.ts";

const request = requestOf({ messages: [] }, "m", true);

const broken: readonly (readonly [vendor: string, reason: string])[] = [
  ["DeepSeek", "insufficient_system_resource"],
  ["Z.AI", "network_error"],
  ["Mistral and OpenRouter", "error"],
  ["vLLM and SGLang", "abort"],
  ["others", "aborted"],
  ["others", "server_error"],
  ["others", "NETWORK_ERROR"],
  ["Google at its OpenAI-compatible address", "function_call_filter: MALFORMED_FUNCTION_CALL"],
];

const openai = (reason: string, part: "message" | "delta") =>
  JSON.stringify({ choices: [{ index: 0, [part]: { content: "Half" }, finish_reason: reason }] });
const anthropicMessage = (reason: string | null) => ({
  type: "message",
  content: [{ type: "text", text: "Half" }],
  stop_reason: reason,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const anthropicEvents = (reason: string) => [
  { type: "message_start", message: anthropicMessage(null) },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "Half" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 1 } },
];
const last = (reader: StreamReader, events: readonly unknown[]) =>
  events.flatMap((event) => reader.push({ event: null, data: JSON.stringify(event) })).at(-1);

describe("what the vendor says it broke off is a failure", () => {
  for (const [vendor, reason] of broken)
    test(`${vendor}: ${reason}`, () => {
      const read = [
        openaiAnswer(openai(reason, "message")),
        last(openaiStream(request), [JSON.parse(openai(reason, "delta"))]),
        anthropicAnswer(JSON.stringify(anthropicMessage(reason)), request),
        forwardedAnswer(JSON.stringify(anthropicMessage(reason))),
        last(anthropicStream(request), anthropicEvents(reason)),
        last(forwardedStream(), anthropicEvents(reason)),
      ];
      for (const [at, piece] of read.entries()) {
        assert.ok(piece?.kind === "failure", String(at));
        assert.equal(piece.failure.kind, "upstream_error");
        assert.match(piece.failure.error.message, /broke off/);
      }
    });
});

test("the model's own mistake spares the member's health, a broken vendor's does not", () => {
  assert.equal(brokenOff("MALFORMED_FUNCTION_CALL")?.ignoredByHealth, true);
  assert.equal(brokenOff("network_error")?.ignoredByHealth, undefined);
});

test("each vendor's reason in OpenAI's word, and an unknown one as it came", () => {
  const words: readonly (readonly [string, string])[] = [
    ["stop", "stop"],
    ["eos", "stop"],
    ["eos_token", "stop"],
    ["function_call", "tool_calls"],
    ["tool_use", "tool_calls"],
    ["model_length", "length"],
    ["model_context_window_exceeded", "length"],
    ["MAX_TOKENS", "length"],
    ["sensitive", "content_filter"],
    ["repetition", "repetition"],
    ["Some_New_Reason", "Some_New_Reason"],
    ["constructor", "constructor"],
  ];
  for (const [reason, meaning] of words) {
    assert.equal(meaningOf(reason), meaning);
    assert.equal(brokenOff(reason), null, reason);
  }
});

test("an empty reason ends nothing", () => {
  for (const reason of ["", "null", null, undefined, 0, {}]) assert.equal(isFinish(reason), false);
  for (const reason of ["", "null"]) {
    const reader = openaiStream(request);
    const piece = last(reader, [JSON.parse(openai(reason, "delta"))]);
    assert.ok(piece?.kind === "chunk" && piece.output && !piece.finish, reason);
    assert.ok(reader.missing!(), "a stream that is cut there is not whole");
    last(reader, [JSON.parse(openai("stop", "delta"))]);
    last(reader, [JSON.parse(openai(reason, "delta"))]);
    assert.equal(reader.missing!(), false, "and what has ended stays so");
  }
});
