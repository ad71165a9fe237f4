// Whole answers of the Responses API as chat completions.

import assert from "node:assert/strict";
import test from "node:test";
import { overResponsesFailure } from "#providers/openai/over-responses/answer.ts";
import { completionOfResponse } from "#providers/openai/over-responses/stream.ts";
import { requestOf } from "../../conformance-cases.ts";
import { wholeResponse } from "./wire.ts";

const request = requestOf({ messages: [] }, "gpt-6", false);
const read = (value: object) => completionOfResponse(JSON.stringify(value), request);
function completed(value: object) {
  const answer = read(value);
  assert.ok(answer.kind === "answer");
  return { ...JSON.parse(answer.text), output: answer.output, counted: answer.usage };
}

test("texts, thoughts, calls and counts are those of the answer", () => {
  const answer = completed(wholeResponse);
  const call = (name: string, text: string) => ({
    id: `call_${name}`,
    type: "function",
    function: { name, arguments: text },
  });
  assert.deepEqual(answer.choices, [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Grüße 🌍",
        refusal: null,
        reasoning_content: "Two files.",
        tool_calls: [call("read", '{"n":12345678901234567890}'), call("list", '{"p":"é"}')],
      },
      logprobs: null,
      finish_reason: "tool_calls",
    },
  ]);
  assert.deepEqual(answer.counted, {
    promptTokens: 100,
    completionTokens: 40,
    totalTokens: 140,
    cachedTokens: 60,
  });
  assert.deepEqual(answer.usage.completion_tokens_details, { reasoning_tokens: 15 });
  assert.deepEqual([answer.id, answer.created, answer.model], ["resp_1", 1_767_225_600, "gpt-6-2026"]);
});

test("a refusal, log probabilities and an answer that was cut short have their places", () => {
  const choiceOf = (content: object[], more: object = {}) =>
    completed({ ...wholeResponse, output: [{ type: "message", content }], ...more }).choices[0];
  const refused = choiceOf([{ type: "refusal", refusal: "No." }]);
  assert.deepEqual([refused.message.content, refused.message.refusal], [null, "No."]);
  const logprobs = [{ token: "Hi", logprob: -0.5, bytes: [72, 105], top_logprobs: [] }];
  const text = choiceOf([{ type: "output_text", text: "Hi", logprobs }]);
  assert.deepEqual([text.logprobs.content, text.finish_reason], [logprobs, "stop"]);
  const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  assert.equal(choiceOf([], cut).finish_reason, "length");
});

test("what is no answer is a failure", () => {
  for (const value of [
    [],
    { output: [] },
    { ...wholeResponse, status: "in_progress" },
    { status: "completed" },
  ])
    assert.equal(read(value).kind, "failure", JSON.stringify(value));
  const failed = read({ status: "failed", error: { code: "server_error", message: "Sorry." } });
  assert.equal(failed.kind === "failure" && failed.failure.kind, "upstream_error");
});

test("errors name parameters as chat completions do", () => {
  const error = {
    message: "Unsupported value: 'reasoning.effort' does not support 'minimal' with this model.",
    type: "invalid_request_error",
    param: "reasoning.effort",
    code: "unsupported_value",
  };
  const failure = overResponsesFailure(400, {}, JSON.stringify({ error }), 0);
  assert.deepEqual(
    [failure.kind, failure.error.param, failure.refused],
    ["unsupported", "reasoning_effort", { name: "reasoning_effort", valueOnly: true }],
  );
});
