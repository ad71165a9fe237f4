// What Anthropic means by an error: its type first, then the status, and, where several things share one type, the
// sentence that the message begins with. Source: platform.claude.com/docs/en/api/errors and the SDK's error codes.

import { classify, type VendorErrorRules } from "#providers/failure/classify.ts";
import { vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { Failure } from "#providers/provider.ts";
import { fieldsIn, isFields, parseJson, textOf } from "#providers/translate/json.ts";
import { retryAfterMs } from "#settings/retry-after.ts";

/** Spending limits and organizations on hold, as `error_code` in the details of any type. */
const accountCodes = /_spend_limit_reached$|^organization_on_hold$|^linked_organization_|^cmek_key_disabled$/;

const words: VendorErrorRules = {
  codes: { billing_error: "denied", authentication_error: "denied", overloaded_error: "broken" },
  types: {
    invalid_request_error: "caller",
    request_too_large: "caller",
    permission_error: "denied",
    not_found_error: "no_model",
    rate_limit_error: "limited",
    timeout_error: "broken",
    api_error: "broken",
  },
  openings: [
    [/^your credit balance is too low/i, "denied"],
    [/^you have reached your (specified )?(\w+ )?api usage limits/i, "denied"],
    [/^this (organization|account|workspace) (has been|is) (disabled|on hold)/i, "denied"],
    [/^prompt is too long: \d/i, "context"],
    [/^input length and `max_tokens` exceed context limit: \d/i, "context"],
    [
      /^(this request|the input) (exceeds|would exceed) the (model's )?(maximum )?context (window|length)/i,
      "context",
    ],
    [/^(output|input) blocked by content filtering policy/i, "policy"],
    [/^model: ?[\w.:@/-]{1,200}$/i, "no_model"],
  ],
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
  return anthropicError(status, parseJson(text), retryAfterMs(headers, now));
}

/** An error object, wherever it stood; `status` 200 for one inside a 200. */
export function anthropicError(status: number, value: unknown, rest: number | null): Failure {
  const error = isFields(value) && isFields(value.error) ? value.error : {};
  const said = textOf(error.message);
  const details = isFields(error.details) ? [error.details] : fieldsIn(error.details);
  const codes = details.map(({ error_code: code }) => textOf(code));
  if (codes.some((code) => accountCodes.test(code))) codes.push("billing_error");
  const kind = classify({ status, codes: [...codes, textOf(error.type)], param: null, message: said }, words);
  const message = said === "" ? `Anthropic answered ${status} without an error that could be read.` : said;
  return vendorFailure(kind, status, message, { retryAfterMs: rest, param: paramOf(kind, said) });
}

function paramOf(kind: Failure["kind"], said: string): string | null {
  if (kind === "no_model") return "model";
  if (kind === "context") return "messages";
  if (kind !== "caller") return null;
  const first = /^`?([a-z_]+)\b/.exec(said)?.[1] ?? "";
  return Object.hasOwn(params, first) ? (params[first] ?? null) : null;
}
