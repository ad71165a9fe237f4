// What an HTTP provider's answer means for a message, where the provider has no table of its own.
// It decides between "certainly not sent" and "may have been sent": a wrong `deferred` here is a
// person who gets the message twice, a wrong `rejected` one who never gets it.

import { z } from "zod";
import { type Json, parseJson, textAt } from "#gateways/sms/http-api/json-path.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { oneLine, withoutSecrets } from "#runtime/text.ts";
import type { Outcome } from "./gateway.ts";

/** The settings field that every HTTP gateway has. */
export const timeoutField = z
  .int()
  .min(1000)
  .max(120_000)
  .default(30_000)
  .describe(
    "Milliseconds that one request may take, from the start of the connection to the end of the answer.",
  );

export interface FailureContext {
  /** Status codes with which this provider certainly has not taken the message: they become `deferred`. */
  notAcceptedStatuses?: readonly number[];
  /** Texts that must not stand in a reason. Asked for only when there is a reason to write. */
  secrets: () => readonly string[];
  /** Epoch ms, for a `Retry-After` that is a date. */
  now: number;
}

/** Answers with which a server refuses the gateway as it is set up, whatever the message. */
const gatewayFaults = new Set([401, 402, 403, 404, 405, 406, 407, 410, 411, 415, 421, 426, 428]);

/**
 * 408 and 409 are no certain refusal: some servers answer 408 when their own backend is slow, and 409
 * may mean that they have this message already.
 */
const doubtful = new Set([408, 409]);

/**
 * The outcome of a request that did not end in a 2xx (a 2xx given here is `unknown`: the adapter could
 * not make sense of it).
 * - never left this machine: `deferred`; the lane's trouble unless we ourselves stopped
 * - no answer, 5xx, 408, 409 and nonsense: `unknown`, but for `notAcceptedStatuses`
 * - 429 and 425 (RFC 8470, not processed): `deferred`
 * - 401, 402, 403, 404, 3xx (never followed) and other faults of the set-up: `deferred`, trouble `refused`
 * - any other 4xx (400, 413, 422, …): `rejected`
 */
export function outcomeOfFailure(result: OutboundResult, reading: FailureContext): Outcome {
  if (result.kind === "not_sent") {
    const reason = cleanText(result.reason, reading.secrets()) || "The request was not sent.";
    if (result.code === "aborted") return { kind: "deferred", code: "aborted", reason };
    if (result.code === "url_not_allowed") {
      return { kind: "deferred", code: "url_not_allowed", reason, gatewayFault: "refused" };
    }
    return { kind: "deferred", code: "unreachable", reason, gatewayFault: "unreachable" };
  }
  if (result.kind === "no_answer") {
    const reason = cleanText(result.reason, reading.secrets()) || "The provider gave no answer.";
    return { kind: "unknown", code: "no_answer", reason };
  }
  const { status } = result;
  const code = `http_${status}`;
  const text = providerText(result.body, reading.secrets());
  const reason = `The provider answered ${status}${text === "" ? "." : `: ${text}`}`;
  if (status === 429 || status === 425 || reading.notAcceptedStatuses?.includes(status)) {
    return { kind: "deferred", code, reason, ...retryAfter(result.headers["retry-after"], reading.now) };
  }
  if (gatewayFaults.has(status) || (status >= 300 && status < 400)) {
    return { kind: "deferred", code, reason, gatewayFault: "refused" };
  }
  if (status >= 400 && status < 500 && !doubtful.has(status)) return { kind: "rejected", code, reason };
  return { kind: "unknown", code, reason };
}

/**
 * `Retry-After` (RFC 9110, 10.2.3) as whole seconds or an IMF-fixdate, kept between 1 s and `mostMs` (1 h).
 * Anything else is as if it were not there (`Date.parse` alone would read a year out of most garbage).
 */
export function retryAfter(
  header: string | undefined,
  now: number,
  mostMs = 3_600_000,
): { retryAfterMs?: number } {
  const text = header?.trim() ?? "";
  const isDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const wait = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : isDate ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(wait) ? {} : { retryAfterMs: Math.min(Math.max(wait, 1000), mostMs) };
}

/** Where providers put the words of an error, the most telling place first. */
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

/** The provider's own words in an answer, cleaned; empty for a page of HTML or no words at all. */
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

/** Cleaning a MiB of blanks and soft hyphens takes 60 ms. */
const longestRead = 64 * 1024;

/**
 * Text from outside on one line: no control or format characters, no secret, at most `max` characters.
 * The order matters: a secret is looked for in the text as it will be shown, and before it is cut,
 * because half a secret is one too. Of a very long text the beginning is read.
 */
export function cleanText(text: string, secrets: readonly string[], max = 200): string {
  const long = text.length > longestRead;
  const line = withoutSecrets(oneLine(long ? text.slice(0, longestRead) : text), secrets);
  // Half a secret may stand at the end of what was read: of blanks and secrets alone too little is left to hide that.
  if (long && line.length < longestRead / 2) return "";
  const characters = Array.from(line.slice(0, 2 * max + 2));
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`;
}
