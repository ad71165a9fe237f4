// The shape of Anthropic's errors, with the statuses and phrases that its clients react to.

import type { ErrorShape } from "#ai/apis/client-api.ts";
import { anthropicErrorReply } from "./shapes.ts";

const anthropicTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Anthropic's error type for a status. */
export function anthropicType(status: number): string {
  return anthropicTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

/** Codes of errors that a retry cannot fix. Without this hint, Claude Code retries a wrong key for minutes. */
const lasting: readonly (string | null)[] = ["invalid_api_key", "insufficient_quota"];

/** The header in which Anthropic clients read the request id: `_request_id` in its official client. */
export const requestIdHeader = "request-id";

/** Our own message describes where OpenAI clients put the key. */
const wrongKey =
  "The pool key is missing or not valid. Send it in the x-api-key header, or as a Bearer token in the Authorization header.";

export const anthropicErrors: ErrorShape = {
  name: "Anthropic",
  schema: anthropicErrorReply,
  shaped: ({ status, headers, body }, { code, message: openAiMessage }, requestId) => {
    const tooLong = code === "context_length_exceeded";
    const type = tooLong ? "invalid_request_error" : anthropicType(status);
    const own = code === "invalid_api_key" ? wrongKey : openAiMessage;
    const message = tooLong ? promptTooLong(openAiMessage) : own;
    const { error: _error, ...beside } = body as { error: unknown };
    return {
      problem: true,
      status: tooLong ? 400 : status,
      headers: {
        ...headers,
        [requestIdHeader]: requestId,
        ...(lasting.includes(code) ? { "x-should-retry": "false" } : {}),
      },
      body: { type: "error", error: { type, message }, request_id: requestId, ...beside },
    };
  },
};

/** The phrase by which Anthropic clients detect that a prompt is too long, independent of the vendor. */
export function promptTooLong(message: string): string {
  if (/prompt is too long/i.test(message)) return message;
  const numbers = [...message.matchAll(/\d[\d,]{2,}/g)].map(([number]) => Number(number.replaceAll(",", "")));
  const [largest = 0, smaller = 0] = [...new Set(numbers)].sort((a, b) => b - a);
  return smaller === 0
    ? `prompt is too long: ${message}`
    : `prompt is too long: ${largest} tokens > ${smaller} maximum (${message})`;
}
