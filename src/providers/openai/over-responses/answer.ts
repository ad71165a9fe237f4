// Translates the items and the end of a response to chat completions. Source: platform.openai.com/docs/api-reference/responses/object

import { type Fields, isObject } from "#contract/normalise.ts";
import { openaiFailure } from "#providers/openai/failure.ts";
import { failureIn } from "#providers/openai/responses.ts";
import type { ChatRequest, Failure } from "#providers/provider.ts";
import type { CompletionHead, TokenCounts, ToolCall } from "#providers/translate/completion.ts";
import { argumentsText, fieldsIn, textOf } from "#providers/translate/json.ts";
import { outputTokens } from "#providers/translate/output-tokens.ts";

/** The separator of two messages of one answer. */
export const messageGap = "\n\n";

/** Whether a message announces what the model is about to do instead of answering (GPT-5.4 and later). */
export const isPreamble = ({ phase }: Fields): boolean => phase === "commentary";

export const textsOf = ({ content }: Fields): string =>
  joined(fieldsIn(content).filter(({ type }) => type === "output_text"));

export const refusalsOf = ({ content }: Fields): string =>
  fieldsIn(content)
    .map(({ type, refusal }) => (type === "refusal" ? textOf(refusal) : ""))
    .join("");

const joined = (parts: readonly Fields[]) => parts.map(({ text }) => textOf(text)).join("");

/** The summary of a reasoning item, or its text if the model returns it. */
export const thoughtsOf = ({ type, summary, content }: Fields) =>
  type === "reasoning" ? joined(fieldsIn(summary)) || joined(fieldsIn(content)) : "";

/** The sealed thoughts of a reasoning item, which the next request sends back; at most one. */
export const sealsOf = ({ type, encrypted_content: seal }: Fields): string[] =>
  type === "reasoning" && typeof seal === "string" && seal !== "" ? [seal] : [];

/** The call of an item of type `function_call`. */
export const callOf = ({ call_id: callId, id, name, arguments: text }: Fields): ToolCall => ({
  id: textOf(callId) || textOf(id),
  name: textOf(name),
  arguments: argumentsText(text),
});

/** The head of the completion, with the answer's own model if it names one. */
export const headOf = ({ id, created_at: at, model }: Fields, request: ChatRequest): CompletionHead => ({
  id: textOf(id),
  created: typeof at === "number" ? Math.floor(at) : 0,
  model: textOf(model) || request.model,
});

/** Why the answer ended; null if it has not. */
export function finishOf({ status, incomplete_details: details }: Fields, called: boolean): string | null {
  if (status === "incomplete")
    return isObject(details) && details.reason === "content_filter" ? "content_filter" : "length";
  if (status !== "completed") return null;
  return called ? "tool_calls" : "stop";
}

/** No vendor bills more in one call; a larger count is wrong. */
const maxTokens = 1_000_000_000;

const count = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= maxTokens ? Math.floor(value) : null;

/** The counts of an answer, cached and reasoning tokens included. */
export function countsOf({ usage }: Fields): TokenCounts | null {
  if (!isObject(usage)) return null;
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  const promptTokens = count(usage.input_tokens) ?? 0;
  const reasoningTokens = isObject(output) ? count(output.reasoning_tokens) : null;
  const total = count(usage.total_tokens) ?? 0;
  return {
    promptTokens,
    completionTokens: outputTokens(
      promptTokens,
      count(usage.output_tokens) ?? 0,
      total,
      reasoningTokens ?? 0,
    ),
    cachedTokens: isObject(input) ? count(input.cached_tokens) : null,
    reasoningTokens,
  };
}

/** Parameters of the Responses API that have another name in chat completions. */
const chatNames: Readonly<Record<string, string>> = {
  input: "messages",
  max_output_tokens: "max_completion_tokens",
  "reasoning.effort": "reasoning_effort",
  "text.format": "response_format",
  "text.verbosity": "verbosity",
};

/** The failure with the names that the client knows. */
function inChatWords(failure: Failure): Failure {
  const { refused, error } = failure;
  const named = (name: string) => (Object.hasOwn(chatNames, name) ? (chatNames[name] ?? name) : name);
  return {
    ...failure,
    error: { ...error, param: error.param === null ? null : named(error.param) },
    ...(refused === undefined ? {} : { refused: { ...refused, name: named(refused.name) } }),
  };
}

/** Interprets an answer outside 2xx. `now`: epoch ms. */
export const overResponsesFailure = (
  ...[status, headers, text, now]: Parameters<typeof openaiFailure>
): Failure => inChatWords(openaiFailure(status, headers, text, now));

/** Interprets an error inside a stream. */
export const failureInEvent = (value: Fields): Failure => inChatWords(failureIn(value));
