// Reasoning that a vendor counts beside the tokens of its answer is output, in each form in which answers are read.

import assert from "node:assert/strict";
import test from "node:test";
import { readChat } from "#ai/apis/chat-answer.ts";
import { countsOf } from "#providers/openai/over-responses/answer.ts";
import { readUsage } from "#providers/openai/stream.ts";

/** prompt, completion, total, reasoning; and what the output is. */
const cases = [
  // xAI, and Google's OpenAI-compatible API.
  [10_120, 1_499, 14_428, 2_809, 4_308],
  // OpenAI.
  [100, 50, 150, 30, 50],
  [100, 50, 0, 30, 50],
  // A total of something else.
  [100, 50, 1_000, 30, 80],
  [100, 50, 60, 30, 50],
  [100, 50, 400, 0, 50],
] as const;

test("reasoning beside the answer is known by the total", () => {
  for (const [prompt, completion, total, reasoning, output] of cases) {
    const chat = {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: total,
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
    const response = {
      input_tokens: prompt,
      output_tokens: completion,
      total_tokens: total,
      output_tokens_details: { reasoning_tokens: reasoning },
    };
    assert.equal(readUsage(chat)?.completionTokens, output);
    assert.equal(countsOf({ usage: response })?.completionTokens, output);
    assert.equal(readChat(JSON.stringify({ choices: [], usage: chat })).counts?.output, output);
  }
});
