// Interprets Google's errors: the canonical status (google.rpc.Code), its details (RetryInfo, ErrorInfo), and, for
// statuses with several meanings, the opening of the message. A wrong key is a 400 INVALID_ARGUMENT. Source:
// ai.google.dev/gemini-api/docs/troubleshooting and google/rpc/error_details.proto

import { type Fields, isObject } from "#contract/normalise.ts";
import { classify, type VendorErrorRules } from "#providers/failure/classify.ts";
import { outputLimit } from "#providers/failure/output-limit.ts";
import { lengthRefused, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { Failure } from "#providers/provider.ts";
import { fieldsIn, parseJson, textOf } from "#providers/translate/json.ts";
import { clampRetryAfter, retryAfterMs } from "#settings/retry-after.ts";

/** Reasons of google.rpc.ErrorInfo that concern the key or the project. */
const deniedReason =
  /^(API_KEY_|SERVICE_DISABLED|BILLING_DISABLED|CONSUMER_|ACCESS_TOKEN_|CREDENTIALS_MISSING|USER_PROJECT_DENIED)/;

const words: VendorErrorRules = {
  codes: { UNAUTHENTICATED: "unauthorized" },
  types: {
    INVALID_ARGUMENT: "invalid_request",
    OUT_OF_RANGE: "invalid_request",
    // No billing or an unsupported country, but also a client's file that is not ready yet.
    FAILED_PRECONDITION: "unsupported",
    PERMISSION_DENIED: "unauthorized",
    NOT_FOUND: "model_not_found",
    RESOURCE_EXHAUSTED: "rate_limited",
    INTERNAL: "upstream_error",
    UNKNOWN: "upstream_error",
    UNAVAILABLE: "upstream_error",
    ABORTED: "upstream_error",
    CANCELLED: "upstream_error",
    DEADLINE_EXCEEDED: "upstream_error",
    DATA_LOSS: "upstream_error",
    UNIMPLEMENTED: "upstream_error",
  },
  openings: [
    [/^api key (not valid|expired|not found)/i, "unauthorized"],
    [/^(your |the )?api key was reported/i, "unauthorized"],
    [/^your prepa(id|yment) credits?/i, "unauthorized"],
    [/^user location is not supported/i, "unauthorized"],
    [/^(gemini api )?free tier is not available|^please enable billing/i, "unauthorized"],
    // The request names a file that this key may not read.
    [/^you do not have permission to access the (file|cached ?content)/i, "invalid_request"],
    [/^(file|cached ?content) \S{0,200} ?(was |is )?not found/i, "invalid_request"],
    [
      /^(the prompt|the input|your request|request) (was |is )?(blocked|rejected) .{0,60}(safety|polic)/i,
      "content_policy",
    ],
    [/^models?\/[\w.:@-]{1,200} is not (found|supported)/i, "model_not_found"],
    [/^tunedmodels\/[\w.:@-]{1,200} (is|was) not found/i, "model_not_found"],
    [/^(publisher )?model [`'"]?[\w./:@-]{1,300}[`'"]? (is|was) not found/i, "model_not_found"],
    // "Logprobs is not enabled for models/gemini-…"
    [/^[\w ]{1,64} (is|are) not (enabled|supported) (for|by|in|on) /i, "unsupported"],
    [/^unable to submit request because [\w `'.]{1,80} (is|are) not supported/i, "unsupported"],
  ],
};

/** Interprets an answer outside 2xx. `now`: epoch ms. */
export function geminiFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): Failure {
  return geminiError(status, parseJson(text), retryAfterMs(headers, now));
}

/** Interprets an error object, or an array of one; `status` 200 for one inside a 200. */
export function geminiError(status: number, value: unknown, rest: number | null): Failure {
  const top = Array.isArray(value) ? value[0] : value;
  const error = isObject(top) && isObject(top.error) ? top.error : {};
  const vendorMessage = textOf(error.message);
  const details = fieldsIn(error.details);
  const refused = details.some(({ reason }) => deniedReason.test(textOf(reason)));
  const codes = [refused ? "UNAUTHENTICATED" : textOf(error.status)];
  const kind = classify({ status, codes, param: null, message: vendorMessage }, words);
  const message =
    vendorMessage === "" ? `Gemini answered ${status} without an error that could be read.` : vendorMessage;
  const retryMs =
    rest ?? (kind === "rate_limited" || kind === "upstream_error" ? retryOf(details, vendorMessage) : null);
  const param = kind === "model_not_found" ? "model" : kind === "context_length" ? "messages" : null;
  const failure = vendorFailure(kind, status, message, { retryAfterMs: retryMs, param });
  const limit =
    kind === "invalid_request" ? outputLimit({ param: null, codes: [], message: vendorMessage }) : undefined;
  return limit === undefined ? failure : lengthRefused(failure, limit);
}

/** RetryInfo's `retryDelay` ("37s", "0.5s"), or "Please retry in 37.8s." in the message. */
function retryOf(details: readonly Fields[], message: string): number | null {
  const delayText = details.map(({ retryDelay }) => textOf(retryDelay)).find((delay) => delay !== "");
  const seconds =
    /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delayText ?? "")?.[1] ??
    /retry in (\d{1,9}(?:\.\d{1,9})?)s/i.exec(message)?.[1];
  return seconds === undefined ? null : clampRetryAfter(Number(seconds) * 1000);
}
