// Which refusals are about the length of the answer, and the number that they name.

import assert from "node:assert/strict";
import test from "node:test";
import { anthropicFailure } from "#providers/anthropic/failure.ts";
import { outputLimit } from "#providers/failure/output-limit.ts";
import { geminiFailure } from "#providers/gemini/failure.ts";
import { openaiFailure } from "#providers/openai/failure.ts";

const of = (message: string, param: string | null = null, codes: readonly string[] = []) =>
  outputLimit({ param, codes, message });

test("the number is read from the vendors' sentences", () => {
  const sentences: [string, number][] = [
    [
      "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
      16_384,
    ],
    [
      "Invalid 'max_completion_tokens': integer above maximum value. Expected a value <= 16384, but got 32000 instead.",
      16_384,
    ],
    [
      "The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.",
      12_288,
    ],
    ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192],
    ["<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", 8192],
    [
      "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model",
      16_384,
    ],
    ["max_tokens (current value: 4096) must be between 0 and 4000 ", 4000],
    [
      "max_tokens: 64000 > 8,192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022",
      8192,
    ],
    [
      "Unable to submit request because it has a maxOutputTokens value of 655360 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.",
      8192,
    ],
  ];
  for (const [sentence, max] of sentences) assert.equal(of(sentence), max, sentence);
});

test("a number out of range, or none, is no limit, and a field of its own comes first", () => {
  assert.equal(of("max_tokens is too large: 32000."), null);
  assert.equal(of("It is too much.", "max_tokens", ["integer_above_max_value"]), null);
  assert.equal(of("max_tokens must be less than or equal to 0"), null);
  assert.equal(outputLimit({ param: "max_tokens", codes: [], message: "x <= 5", max: 9 }), 9);
  assert.equal(outputLimit({ param: "max_tokens", codes: [], message: "x", max: 0.5 }), null);
});

test("what is about something else, or quotes the request, is no such refusal", () => {
  assert.equal(
    of("Invalid 'temperature': expected a value <= 2, but got 3 instead.", "temperature"),
    undefined,
  );
  assert.equal(of("Unknown name: max_tokens is too large: 9. This model supports at most 1"), undefined);
  assert.equal(of("max_tokens is too large: 9. At most 1", "metadata"), undefined);
  assert.equal(of("max_tokens: Field required"), undefined);
  assert.equal(
    of("Invalid 'max_tokens': expected a value >= 1, but got 0 instead.", "max_tokens"),
    undefined,
  );
});

test("each format's refusal is one that another member may not have, with the number", () => {
  const openai = (message: string, more: object) =>
    openaiFailure(400, {}, JSON.stringify({ error: { message, type: "invalid_request_error", ...more } }), 0);
  const tooLarge = "max_tokens is too large: 9. This model supports at most 5 completion tokens.";
  const detail = [
    {
      type: "less_than_equal",
      loc: ["body", "max_tokens"],
      msg: "Input should be less than or equal to 5",
      ctx: { le: 5 },
    },
  ];
  const claude = {
    type: "error",
    error: { type: "invalid_request_error", message: "max_tokens: 9 > 5, which" },
  };
  const google = {
    error: {
      code: 400,
      message:
        "Unable to submit request because it has a maxOutputTokens value of 9 but the supported range is from 1 (inclusive) to 6 (exclusive).",
      status: "INVALID_ARGUMENT",
    },
  };
  for (const failure of [
    openai(tooLarge, { param: "max_tokens", code: "invalid_value" }),
    openai("max_output_tokens: expected <= 5", {
      param: "max_output_tokens",
      code: "integer_above_max_value",
    }),
    openaiFailure(422, {}, JSON.stringify({ detail }), 0),
    anthropicFailure(400, {}, JSON.stringify(claude), 0),
    geminiFailure(400, {}, JSON.stringify(google), 0),
  ])
    assert.deepEqual([failure.kind, failure.outputLimit], ["unsupported", 5], failure.error.message);
});

test("a context that is too small for the answer stays one", () => {
  const message =
    "'max_tokens' or 'max_completion_tokens' is too large: 9. This model's maximum context length is 8 tokens and your request has 1 input tokens.";
  const failure = openaiFailure(400, {}, JSON.stringify({ error: { message, type: "BadRequestError" } }), 0);
  assert.equal(failure.kind, "context_length");
});
