// The meaning of an HTTP provider's status for a message, if the provider's own codes do not decide. It separates "certainly not sent" from
// "may have been sent": after a wrong `deferred` a person gets the message twice, after a wrong `rejected` a person never gets it.

import type { OutboundResult } from "#runtime/runtime.ts";
import { cleanText } from "#settings/redact.ts";
import { retryAfter } from "#settings/retry-after.ts";
import { type Json, parseJson, textAt } from "./json-path.ts";
import type { Outcome } from "./outcome.ts";

interface FailureContext {
  /** Statuses with which this provider has certainly not accepted the message: they become `deferred`. */
  notAcceptedStatuses?: readonly number[];
  /** Texts that must not appear in a reason. Called only if there is a reason to write. */
  secrets: () => readonly string[];
  /** Epoch ms, for a `Retry-After` that is a date. */
  now: number;
}

/** Statuses that a server answers to every message because of the gateway's configuration. */
const configurationStatuses = new Set([401, 402, 403, 404, 405, 406, 407, 410, 411, 415, 421, 426, 428]);

/** The message is too long under any settings. */
const messageStatuses = new Set([413, 414]);

/**
 * 408 and 409 are not certain refusals: some servers answer 408 when their own backend is slow, and 409
 * may mean that they already have this message.
 */
const ambiguousStatuses = new Set([408, 409]);

/**
 * The outcome of a request that did not end in a 2xx (a 2xx becomes `unknown`: the adapter could not read it).
 * - never left this machine: `deferred`; a fault of the gateway unless we aborted it ourselves
 * - no answer, 5xx, 408, 409 and invalid statuses: `unknown`, except for `notAcceptedStatuses`
 * - 429 and 425 (RFC 8470, not processed): `deferred`
 * - 401, 402, 403, 404, 3xx (never followed) and other faults of the configuration: `deferred`, gateway fault `refused`
 * - 413 and 414: `rejected`, because the message is too long
 * - any other 4xx (400, 422, …): `rejected`, and perhaps a fault of the gateway
 */
export function outcomeOfFailure(result: OutboundResult, context: FailureContext): Outcome {
  if (result.kind === "not_sent") {
    const reason = cleanText(result.reason, context.secrets()) || "The request was not sent.";
    if (result.code === "aborted") return { kind: "deferred", code: "aborted", reason };
    if (result.code === "url_not_allowed") {
      return { kind: "deferred", code: "url_not_allowed", reason, gatewayFault: "refused" };
    }
    return { kind: "deferred", code: "unreachable", reason, gatewayFault: "unreachable" };
  }
  if (result.kind === "no_answer") {
    const reason = cleanText(result.reason, context.secrets()) || "The provider gave no answer.";
    return { kind: "unknown", code: "no_answer", reason };
  }
  const { status } = result;
  const code = `http_${status}`;
  const text = providerText(result.body, context.secrets());
  const reason = `The provider answered ${status}${text === "" ? "." : `: ${text}`}`;
  if (status === 429 || status === 425 || context.notAcceptedStatuses?.includes(status)) {
    return { kind: "deferred", code, reason, ...retryAfter(result.headers["retry-after"], context.now) };
  }
  if (configurationStatuses.has(status) || (status >= 300 && status < 400)) {
    return { kind: "deferred", code, reason, gatewayFault: "refused" };
  }
  if (status >= 400 && status < 500 && !ambiguousStatuses.has(status)) {
    return {
      kind: "rejected",
      code,
      reason,
      ...(!messageStatuses.has(status) && { mayBeGatewayFault: true }),
    };
  }
  return { kind: "unknown", code, reason };
}

/** Where providers put the text of an error, the most specific place first. */
const errorPaths = [
  "$.error.message",
  "$.error_message",
  "$.errorMessage",
  "$.message",
  "$.Message",
  "$.detail",
  "$.error_description",
  "$.error.description",
  "$.errors[0].message",
  "$.errors[0].detail",
  "$.errors[0].title",
  "$.errors[0]",
  "$.description",
  "$.title",
  "$.reason",
  "$.error",
];

/** The provider's own words in an answer, cleaned; empty for an HTML page or an answer without words. */
export function providerText(body: Buffer, secrets: readonly string[]): string {
  const raw = body.toString("utf8").trim();
  if (raw.startsWith("<")) return "";
  const json = raw.startsWith("{") || raw.startsWith("[") || raw.startsWith('"') ? parseJson(raw) : undefined;
  return cleanText(json === undefined ? raw : (errorText(json) ?? raw), secrets);
}

function errorText(json: Json): string | null {
  for (const path of errorPaths) {
    const text = textAt(json, path);
    if (text !== null && text !== "") return text;
  }
  return null;
}
