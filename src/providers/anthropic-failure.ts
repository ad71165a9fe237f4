// What Anthropic means by an error: its type first, then the status, and, where several things share one type, the
// words that it is known to use. Source: platform.claude.com/docs/en/api/errors and the SDK's error codes.

import type { Failure } from "./provider.ts";
import { retryAfterMs } from "./retry-after.ts";
import { fleetingStatuses, vendorFailure } from "./vendor-failure.ts";
import { fieldsIn, isFields, parsedExactly, textOf } from "./vendor-json.ts";

const tooLong =
  /prompt is too long|exceeds? (the )?context|context (window|limit|length)|input (is )?too long/i;
const policy = /content filtering policy|violates? .{0,40}polic/i;
/**
 * Balance, spending limits, organisations on hold: as 400, 402, 403 or 429. Only as the beginning of a message: further
 * on it may quote the caller, and nobody shall be able to talk a member into a long rest.
 */
const account =
  /^(your credit balance|you have reached your (specified )?(\w+ )?api usage limits|this (organization|account|workspace) (has been|is) (disabled|on hold))/i;
const accountCodes = /_spend_limit_reached$|^organization_on_hold$|^linked_organization_|^cmek_key_disabled$/;

const kinds: Readonly<Record<string, Failure["kind"]>> = {
  invalid_request_error: "caller",
  request_too_large: "caller",
  authentication_error: "denied",
  billing_error: "denied",
  permission_error: "denied",
  not_found_error: "no_model",
  rate_limit_error: "limited",
  timeout_error: "broken",
  api_error: "broken",
  overloaded_error: "broken",
};

/** The parameters that Anthropic names first in a message ("max_tokens: 9 > 8"), as the caller knows them. */
const params: Readonly<Record<string, string>> = {
  messages: "messages",
  system: "messages",
  max_tokens: "max_tokens",
  temperature: "temperature",
  top_p: "top_p",
  tools: "tools",
  tool_choice: "tool_choice",
  stop_sequences: "stop",
  output_config: "response_format",
  thinking: "reasoning_effort",
  model: "model",
};

/** An answer that is no 2xx. `now`: epoch ms. */
export function anthropicFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): Failure {
  return anthropicError(status, parsedExactly(text), retryAfterMs(headers, now));
}

/** An error object, wherever it stood; `status` 200 for one inside a 200. */
export function anthropicError(status: number, value: unknown, rest: number | null): Failure {
  const error = isFields(value) && isFields(value.error) ? value.error : {};
  const type = textOf(error.type);
  const said = textOf(error.message);
  const details = isFields(error.details) ? [error.details] : fieldsIn(error.details);
  const kind = kindOf(
    status,
    type,
    said,
    details.map(({ error_code: code }) => textOf(code)),
  );
  const message = said === "" ? `Anthropic answered ${status} without an error that could be read.` : said;
  return vendorFailure(kind, status, message, { retryAfterMs: rest, param: paramOf(kind, said) });
}

function kindOf(status: number, type: string, said: string, codes: readonly string[]): Failure["kind"] {
  if (account.test(said) || codes.some((code) => accountCodes.test(code))) return "denied";
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  const meant = kind ?? kindOfStatus(status);
  if (meant !== "caller" || status === 413) return meant;
  if (fleetingStatuses.includes(status)) return "broken";
  if (tooLong.test(said)) return "context";
  return policy.test(said) ? "policy" : "caller";
}

function kindOfStatus(status: number): Failure["kind"] {
  if (status === 401 || status === 402 || status === 403) return "denied";
  if (status === 404) return "no_model";
  if (status === 429) return "limited";
  const callers = status >= 400 && status < 500 && !fleetingStatuses.includes(status);
  return callers ? "caller" : "broken";
}

function paramOf(kind: Failure["kind"], said: string): string | null {
  if (kind === "no_model") return "model";
  if (kind === "context") return "messages";
  if (kind !== "caller") return null;
  const first = /^`?([a-z_]+)\b/.exec(said)?.[1] ?? "";
  return Object.hasOwn(params, first) ? (params[first] ?? null) : null;
}
