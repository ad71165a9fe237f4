// What Google means by an error: a canonical status (google.rpc.Code), its details (RetryInfo, ErrorInfo), and, where
// one status means several things, the words that it is known to use. A wrong key comes as 400 INVALID_ARGUMENT.
// Source: ai.google.dev/gemini-api/docs/troubleshooting and google/rpc/error_details.proto

import type { Failure } from "./provider.ts";
import { clampedRest, retryAfterMs } from "./retry-after.ts";
import { fleetingStatuses, vendorFailure } from "./vendor-failure.ts";
import { type Fields, fieldsIn, isFields, parsedExactly, textOf } from "./vendor-json.ts";

const kinds: Readonly<Record<string, Failure["kind"]>> = {
  INVALID_ARGUMENT: "caller",
  OUT_OF_RANGE: "caller",
  // No billing, or not served in this country: nothing that the caller could change.
  FAILED_PRECONDITION: "denied",
  UNAUTHENTICATED: "denied",
  PERMISSION_DENIED: "denied",
  NOT_FOUND: "no_model",
  RESOURCE_EXHAUSTED: "limited",
  INTERNAL: "broken",
  UNKNOWN: "broken",
  UNAVAILABLE: "broken",
  ABORTED: "broken",
  CANCELLED: "broken",
  DEADLINE_EXCEEDED: "broken",
  DATA_LOSS: "broken",
  UNIMPLEMENTED: "broken",
};

/** Reasons of google.rpc.ErrorInfo that mean the key or the project. */
const deniedReason =
  /^(API_KEY_|SERVICE_DISABLED|BILLING_DISABLED|CONSUMER_|ACCESS_TOKEN_|CREDENTIALS_MISSING|USER_PROJECT_DENIED)/;
/** Only as the beginning of a message: further on it may quote the caller. */
const deniedWords =
  /^(api key (not valid|expired|not found)|(your |the )?api key was reported|your prepa(id|yment) credits?)/i;
const tooLong =
  /token count .{0,40}exceeds|exceeds the maximum (number of )?(input )?tokens|input .{0,20}too long/i;
const policy =
  /(blocked|rejected|violat\w{0,20}) .{0,60}(safety|policy|policies|prohibited)|prohibited content/i;

/** An answer that is no 2xx. `now`: epoch ms. */
export function geminiFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): Failure {
  return geminiError(status, parsedExactly(text), retryAfterMs(headers, now));
}

/** An error object, wherever it stood; `status` 200 for one inside a 200. A list of one is what streams begin with. */
export function geminiError(status: number, value: unknown, rest: number | null): Failure {
  const top = Array.isArray(value) ? value[0] : value;
  const error = isFields(top) && isFields(top.error) ? top.error : {};
  const said = textOf(error.message);
  const details = fieldsIn(error.details);
  const kind = kindOf(status, textOf(error.status), said, details);
  const message = said === "" ? `Gemini answered ${status} without an error that could be read.` : said;
  const retryMs = rest ?? (kind === "limited" || kind === "broken" ? retryOf(details, said) : null);
  const param = kind === "no_model" ? "model" : kind === "context" ? "messages" : null;
  return vendorFailure(kind, status, message, { retryAfterMs: retryMs, param });
}

function kindOf(
  status: number,
  canonical: string,
  said: string,
  details: readonly Fields[],
): Failure["kind"] {
  if (details.some(({ reason }) => deniedReason.test(textOf(reason))) || deniedWords.test(said))
    return "denied";
  const kind = Object.hasOwn(kinds, canonical) ? kinds[canonical] : undefined;
  const meant = kind ?? kindOfStatus(status);
  if (meant !== "caller") return meant;
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

/** RetryInfo's `retryDelay` ("37s", "0.5s"), or the words "Please retry in 37.8s.". */
function retryOf(details: readonly Fields[], said: string): number | null {
  const told = details.map(({ retryDelay }) => textOf(retryDelay)).find((delay) => delay !== "");
  const seconds =
    /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(told ?? "")?.[1] ??
    /retry in (\d{1,9}(?:\.\d{1,9})?)s/i.exec(said)?.[1];
  return seconds === undefined ? null : clampedRest(Number(seconds) * 1000);
}
