// The meaning of the vendors' finish reasons, including those that OpenAI's format does not have. An unknown reason is passed on unchanged
// and has no meaning. Sources: api-docs.deepseek.com/api/create-chat-completion, docs.z.ai/api-reference/llm/chat-completion,
// docs.mistral.ai/api, vLLM's and SGLang's sources, and users' reports.

import { ignoredByHealth, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { Failure } from "#providers/provider.ts";

type Meaning = "stop" | "tool_calls" | "length" | "content_filter" | "broken" | "malformed";

const all = (meaning: Meaning, reasons: string): [string, Meaning][] =>
  reasons.split(" ").map((reason) => [reason, meaning]);

const meanings: ReadonlyMap<string, Meaning> = new Map([
  ...all("stop", "stop eos eos_token end_turn stop_sequence complete completed done finished"),
  ...all("tool_calls", "tool_calls tool_call tool_use function_call"),
  ...all("length", "length max_tokens max_length max_output_tokens model_length"),
  ...all("length", "model_context_window_exceeded context_length_exceeded"),
  ...all("content_filter", "content_filter content_filtered sensitive safety refusal moderation blocked"),
  ...all("content_filter", "recitation prohibited_content blocklist guardrail_intervened"),
  // DeepSeek, Z.AI, Mistral and OpenRouter, vLLM and SGLang: the vendor itself aborted the answer.
  ...all("broken", "insufficient_system_resource network_error error abort aborted cancelled canceled"),
  ...all("broken", "failed interrupted server_error internal_error upstream_error connection_error timeout"),
  // The model wrote something that its vendor cannot parse.
  ...all("malformed", "malformed_function_call malformed_tool_use malformed_model_output malformed_response"),
]);

/** Google's OpenAI-compatible API writes `function_call_filter: MALFORMED_FUNCTION_CALL`. */
const nameOf = (reason: string): string => (reason.split(": ").at(-1) ?? reason).toLowerCase();

/** Whether the choice has ended: some servers write an empty reason, or the word `null`, into every chunk. */
export const isFinish = (reason: unknown): reason is string =>
  typeof reason === "string" && reason !== "" && reason !== "null";

/** The meaning of a reason, as OpenAI's reason if it has one; an unknown reason unchanged. */
export function meaningOf(reason: string): string {
  return meanings.get(nameOf(reason)) ?? reason;
}

/** The failure of an answer that, according to the vendor, was aborted. Null if it was not. */
export function brokenOff(reason: unknown): Failure | null {
  if (!isFinish(reason)) return null;
  const meaning = meanings.get(nameOf(reason));
  if (meaning !== "broken" && meaning !== "malformed") return null;
  const code = meaning === "broken" ? "upstream_cut" : "bad_upstream_answer";
  const failure = vendorFailure("upstream_error", 200, `The provider broke off its answer: ${reason}.`, {
    code,
  });
  return meaning === "malformed" ? ignoredByHealth(failure) : failure;
}
