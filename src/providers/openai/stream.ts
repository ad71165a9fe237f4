// Reads streams and messages in OpenAI's form: which chunk contains real output, finishes a choice, or reports usage. The chunks themselves
// are passed on as text.

import { type Fields, isObject } from "#contract/normalise.ts";
import { badFrame } from "#providers/failure/vendor-failure.ts";
import type { ChatRequest, StreamPiece, StreamReader, Usage } from "#providers/provider.ts";
import { brokenOff, isFinish, meaningOf } from "#providers/translate/finish-reasons.ts";
import { parseAnswerExactly, parseJson } from "#providers/translate/json.ts";
import { outputTokens } from "#providers/translate/output-tokens.ts";
import { CalledStream } from "./called.ts";
import { openaiFailure } from "./failure.ts";

/** No vendor bills more in one call; a larger count is wrong. */
const maxTokens = 1_000_000_000;

const count = (value: unknown): number =>
  typeof value === "number" && value >= 0 && value <= maxTokens ? Math.floor(value) : 0;

/** OpenAI's usage object; null for anything else. */
export function readUsage(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const promptTokens = count(value.prompt_tokens);
  const total = count(value.total_tokens);
  const details = isObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const output = isObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const completionTokens = outputTokens(
    promptTokens,
    count(value.completion_tokens),
    total,
    count(output.reasoning_tokens),
  );
  // DeepSeek uses its own name.
  const cachedTokens = count(details.cached_tokens) || count(value.prompt_cache_hit_tokens);
  // OpenRouter's name, and LiteLLM's.
  const cacheWriteTokens = count(details.cache_write_tokens) || count(details.cache_creation_tokens);
  const written = isObject(details.cache_creation_token_details) ? details.cache_creation_token_details : {};
  const cacheWriteHourTokens = count(written.ephemeral_1h_input_tokens);
  return {
    promptTokens,
    completionTokens,
    totalTokens: total || promptTokens + completionTokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
    ...(cacheWriteHourTokens > 0 ? { cacheWriteHourTokens } : {}),
  };
}

const outputFields = [
  "content",
  "refusal",
  "reasoning_content",
  "reasoning",
  "tool_calls",
  "function_call",
  "audio",
  "images",
] as const;

/** Finish reasons of answers that may be empty. */
const emptyReasons: readonly string[] = ["length", "content_filter", "tool_calls"];

/** Whether a message, or a delta, contains real output: text, reasoning, a tool call, a refusal, an image. */
export function hasOutput(message: unknown, finishReason: unknown): boolean {
  if (isFinish(finishReason) && emptyReasons.includes(meaningOf(finishReason))) return true;
  if (!isObject(message)) return false;
  return outputFields.some((field) => {
    const value = message[field];
    return typeof value === "string" || Array.isArray(value) ? value.length > 0 : isObject(value);
  });
}

const deltaOf = (choice: Fields): unknown => choice.delta;

/**
 * Reads a stream in OpenAI's form. Nothing is read after `[DONE]` or an error. `contentOf`: the content of a choice in a chunk, as a
 * message.
 */
export function openaiStream(request: Pick<ChatRequest, "body">, contentOf = deltaOf): StreamReader {
  const choiceCount = typeof request.body.n === "number" ? request.body.n : 1;
  const finished = new Map<unknown, boolean>();
  const called = new CalledStream();
  let done = false;
  let tokens = 0;
  return {
    push: ({ event, data }) => {
      // Proxies keep connections alive with empty events.
      if (done || data.trim() === "") return [];
      done = data.trim() === "[DONE]";
      if (done) return [{ kind: "done" }];
      const piece = read(event, data, finished, called, contentOf);
      if (piece.kind === "failure") done = true;
      if (piece.kind === "chunk") tokens = piece.usage?.completionTokens ?? tokens;
      return [piece];
    },
    // As in a whole answer.
    mayBeEmpty: () => tokens > 0,
    // After `[DONE]` no more choices follow: some vendors send one choice and ignore `n`.
    missing: () => [...finished.values()].includes(false) || (!done && finished.size < choiceCount),
    ...(contentOf === deltaOf && { allowsRuns: true }),
  };
}

/** Maximum number of choices whose state is kept. */
const maxChoices = 1024;

function read(
  event: string | null,
  data: string,
  finished: Map<unknown, boolean>,
  called: CalledStream,
  contentOf: typeof deltaOf,
): StreamPiece {
  const hasCalls = data.includes('"tool_calls"');
  const value = hasCalls ? parseAnswerExactly(data) : parseJson(data);
  if (value === undefined)
    return badFrame("The provider sent a frame that is not JSON, or too large to read.");
  if (!isObject(value)) return badFrame("The provider sent a frame that is no object.");
  if (event === "error" || (value.error !== undefined && value.error !== null)) {
    return { kind: "failure", failure: openaiFailure(200, {}, data, 0) };
  }
  const choices = Array.isArray(value.choices) ? value.choices.filter(isObject) : [];
  const failed = choices.find((choice) => isObject(choice.error));
  if (failed) return { kind: "failure", failure: openaiFailure(200, {}, JSON.stringify(failed), 0) };
  for (const { index = 0, finish_reason: reason } of choices) {
    const failure = brokenOff(reason);
    if (failure !== null) return { kind: "failure", failure };
    if (finished.size >= maxChoices && !finished.has(index)) break;
    if (isFinish(reason)) finished.set(index, true);
    else if (!finished.has(index)) finished.set(index, false);
  }
  const usage = readUsage(value.usage);
  const righted = hasCalls ? called.righted(choices) : null;
  let units = 0;
  for (const choice of righted ?? choices) units += outputUnits(contentOf(choice));
  return {
    kind: "chunk",
    // Joins an event of several lines: line ends are between values, because no JSON string contains one.
    text: righted
      ? JSON.stringify({ ...value, choices: righted })
      : data.includes("\n")
        ? data.replaceAll("\n", " ")
        : data,
    output: choices.some((choice) => hasOutput(contentOf(choice), choice.finish_reason)),
    finish: choices.some((choice) => isFinish(choice.finish_reason)),
    usage,
    usageOnly: usage !== null && choices.length === 0,
    units,
  };
}

/** The size of an image: about the 1,600 tokens for which vendors bill one. */
const unitsPerPicture = 6400;

/**
 * UTF-16 units of output in a message or a delta: text, reasoning, a refusal, tool calls, and a fixed number for each image. Runs for every
 * chunk, so it reads only the fields that are present.
 */
export function outputUnits(message: unknown): number {
  if (!isObject(message)) return 0;
  let units = 0;
  let reasoning = 0;
  for (const key in message) {
    const value = message[key];
    if (key === "content" || key === "refusal") units += unitsIn(value);
    // Some servers send the same reasoning under both names.
    else if (key === "reasoning_content" || key === "reasoning")
      reasoning = Math.max(reasoning, unitsIn(value));
    else if (key === "tool_calls" && Array.isArray(value)) {
      for (const call of value) if (isObject(call)) units += unitsCalled(call.function);
    } else if (key === "images" && Array.isArray(value)) units += value.length * unitsPerPicture;
    else if (key === "function_call") units += unitsCalled(value);
  }
  return units + reasoning;
}

/** Units of a text, or of the texts in a list of parts. */
function unitsIn(content: unknown): number {
  if (typeof content === "string") return content.length;
  let units = 0;
  if (Array.isArray(content))
    for (const part of content)
      if (isObject(part) && typeof part.text === "string") units += part.text.length;
  return units;
}

function unitsCalled(called: unknown): number {
  if (!isObject(called)) return 0;
  const { name, arguments: args } = called;
  return (typeof name === "string" ? name.length : 0) + (typeof args === "string" ? args.length : 0);
}
