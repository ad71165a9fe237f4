// What OpenAI's completions, chunks and errors look like, written down a second time: tests hold every adapter's
// output against it, and the flags beside the text against the text.

import assert from "node:assert/strict";
import { z } from "zod";
import type { Chunk, Failure, ParsedAnswer } from "#providers/provider.ts";

const usage = z.looseObject({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
});

const call = z.looseObject({
  id: z.string().min(1).max(64),
  type: z.literal("function"),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

const completion = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int().min(0),
  model: z.string().min(1),
  choices: z.array(
    z.looseObject({
      index: z.int().min(0),
      finish_reason: z.string().min(1),
      message: z.looseObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.string().nullable().optional(),
        tool_calls: z.array(call).min(1).optional(),
      }),
    }),
  ),
  usage: usage.optional(),
});

const callDelta = z.looseObject({
  index: z.int().min(0),
  id: z.string().min(1).max(64).optional(),
  type: z.literal("function").optional(),
  function: z.looseObject({ name: z.string().min(1).optional(), arguments: z.string().optional() }),
});

const delta = z.looseObject({
  role: z.literal("assistant").optional(),
  content: z.string().nullable().optional(),
  reasoning_content: z.string().nullable().optional(),
  reasoning_details: z.array(z.record(z.string(), z.unknown())).optional(),
  thinking_blocks: z.array(z.record(z.string(), z.unknown())).optional(),
  refusal: z.string().nullable().optional(),
  images: z.array(z.looseObject({ image_url: z.looseObject({ url: z.string() }) })).optional(),
  tool_calls: z.array(callDelta).optional(),
});

const chunkShape = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int().min(0),
  model: z.string().min(1),
  choices: z.array(
    z.looseObject({ index: z.int().min(0), delta, finish_reason: z.string().nullable().optional() }),
  ),
  usage: usage.nullable().optional(),
});

export type ParsedChunk = z.infer<typeof chunkShape>;

function usageOf(value: z.infer<typeof usage> | null | undefined) {
  if (!value) return null;
  const { cached_tokens = 0, cache_write_tokens = 0 } = (value.prompt_tokens_details ?? {}) as {
    cached_tokens?: number;
    cache_write_tokens?: number;
  };
  return {
    promptTokens: value.prompt_tokens,
    completionTokens: value.completion_tokens,
    totalTokens: value.total_tokens,
    ...(cached_tokens > 0 ? { cachedTokens: cached_tokens } : {}),
    ...(cache_write_tokens > 0 ? { cacheWriteTokens: cache_write_tokens } : {}),
  };
}

/** The completion, after its shape and its usage were found right. */
export function checkedCompletion(
  answer: Extract<ParsedAnswer, { kind: "answer" }>,
): z.infer<typeof completion> {
  const value = completion.parse(JSON.parse(answer.text));
  assert.deepEqual(usageOf(value.usage), answer.usage);
  return value;
}

/** The chunk, after its shape and every flag were found right. */
export function checkedChunk(chunk: Chunk): ParsedChunk {
  const value = chunkShape.parse(JSON.parse(chunk.text));
  assert.deepEqual(usageOf(value.usage), chunk.usage);
  assert.equal(chunk.usageOnly, value.choices.length === 0 && chunk.usage !== null);
  const finishes = value.choices.some((choice) => typeof choice.finish_reason === "string");
  assert.equal(chunk.finish, finishes);
  const says = value.choices.some(({ delta: own }) =>
    [own.content, own.reasoning_content, own.refusal, own.images, own.tool_calls].some(
      (part) => (part?.length ?? 0) > 0,
    ),
  );
  // A finish of its own may count: an answer can rightly be empty. Nothing else can.
  if (says || !finishes) assert.equal(chunk.output, says, chunk.text);
  return value;
}

/** The failure, fit for a caller: all four fields, one line, a sane rest. */
export function checkedFailure(failure: Failure): Failure {
  const { error, retryAfterMs } = failure;
  assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"]);
  assert.ok(error.message.length > 0 && error.message.length <= 2000);
  assert.doesNotMatch(error.message, /[\p{Cc}]/u);
  assert.ok(error.type.length > 0);
  assert.ok(retryAfterMs === null || (retryAfterMs >= 0 && retryAfterMs <= 3_600_000));
  return failure;
}
