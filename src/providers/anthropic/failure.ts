// Interprets Anthropic's errors: the type first, then the status, and, for types with several meanings, the opening
// of the message. Source: platform.claude.com/docs/en/api/errors and the SDK's error codes.

import { isObject } from "#contract/normalise.ts";
import { classify, type VendorErrorRules } from "#providers/failure/classify.ts";
import { outputLimit } from "#providers/failure/output-limit.ts";
import { lengthRefused, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { Failure } from "#providers/provider.ts";
import { fieldsIn, parseJson, textOf } from "#providers/translate/json.ts";
import { retryAfterMs } from "#settings/retry-after.ts";

/** Spending limits and organizations on hold: `error_code` in the details of any type. */
const accountCodes = /_spend_limit_reached$|^organization_on_hold$|^linked_organization_|^cmek_key_disabled$/;

const words: VendorErrorRules = {
  codes: {
    billing_error: "unauthorized",
    authentication_error: "unauthorized",
    overloaded_error: "upstream_error",
  },
  types: {
    invalid_request_error: "invalid_request",
    request_too_large: "invalid_request",
    permission_error: "unauthorized",
    not_found_error: "model_not_found",
    rate_limit_error: "rate_limited",
    timeout_error: "upstream_error",
    api_error: "upstream_error",
  },
  openings: [
    [/^your credit balance is too low/i, "unauthorized"],
    [/^you have reached your (specified )?(\w+ )?api usage limits/i, "unauthorized"],
    [/^this (organization|account|workspace) (has been|is) (disabled|on hold)/i, "unauthorized"],
    [/^(output|input) blocked by content filtering policy/i, "content_policy"],
    [/^model: ?[\w.:@/-]{1,200}$/i, "model_not_found"],
    // `tool_choice: type "tool" and "any" are not supported for this model.`
    [/^[a-z_][\w.]{0,100}: .{0,200}\b(not|n't) supported?\b.{0,40}\b(this|the) model/i, "unsupported"],
  ],
};

/** Parameters that open Anthropic's messages ("max_tokens: 9 > 8"), by the client's names for them. */
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

/** Interprets an answer outside 2xx. `now`: epoch ms. */
export function anthropicFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): Failure {
  return anthropicError(status, parseJson(text), retryAfterMs(headers, now));
}

/** Interprets an error object; `status` 200 for one inside a 200. */
export function anthropicError(status: number, value: unknown, rest: number | null): Failure {
  const error = isObject(value) && isObject(value.error) ? value.error : {};
  const vendorMessage = textOf(error.message);
  const details = isObject(error.details) ? [error.details] : fieldsIn(error.details);
  const codes = details.map(({ error_code: code }) => textOf(code));
  if (codes.some((code) => accountCodes.test(code))) codes.push("billing_error");
  const kind = classify(
    { status, codes: [...codes, textOf(error.type)], param: null, message: vendorMessage },
    words,
  );
  const message =
    vendorMessage === ""
      ? `Anthropic answered ${status} without an error that could be read.`
      : vendorMessage;
  const param = paramOf(kind, vendorMessage);
  const failure = vendorFailure(kind, status, message, { retryAfterMs: rest, param });
  if (kind === "invalid_request") {
    const limit = outputLimit({ param: null, codes: [], message: vendorMessage });
    if (limit !== undefined) return lengthRefused(failure, limit);
  }
  if (kind !== "unsupported" || param === null) return failure;
  // "temperature: Extra inputs are not permitted", or a value that this model does not accept.
  return { ...failure, refused: { name: param, valueOnly: !/extra inputs/i.test(vendorMessage) } };
}

function paramOf(kind: Failure["kind"], message: string): string | null {
  if (kind === "model_not_found") return "model";
  if (kind === "context_length") return "messages";
  if (kind !== "invalid_request" && kind !== "unsupported") return null;
  const first = /^`?([a-z_]+)\b/.exec(message)?.[1] ?? "";
  return Object.hasOwn(params, first) ? (params[first] ?? null) : null;
}
