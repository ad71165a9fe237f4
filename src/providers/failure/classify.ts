// What a vendor's error means, read in one way for every vendor. What the vendor alone can have written decides: its
// codes, its type, its status. Its message decides only by the sentence that it begins with, because further on it
// may quote the caller ("Unrecognized request argument supplied: insufficient_quota"), and one caller must not be
// able to rest a member for all the others.

import type { Failure } from "#providers/provider.ts";

type Kind = Failure["kind"];

/** A vendor's error, taken apart. */
export interface VendorError {
  /** HTTP's; 200 for an error inside a 200. */
  status: number;
  /** The vendor's words for it that are no sentences (codes, types, reasons), the most exact one first. */
  codes: readonly string[];
  /** The parameter that the vendor names in a field of its own; null: none. */
  param: string | null;
  message: string;
}

/** What a vendor's words mean. */
export interface VendorErrorRules {
  /** Codes that mean one thing, whatever the status and the message say. */
  codes: Readonly<Record<string, Kind>>;
  /** Codes and types that cover several things; the beginning of the message may tell which. */
  types: Readonly<Record<string, Kind>>;
  /** The vendor's known sentences, each anchored with `^`. */
  openings: readonly (readonly [RegExp, Kind])[];
  /** Words that count anywhere in the message of a 403 or a 429: neither status is about what the caller wrote. */
  anywhere?: readonly (readonly [RegExp, Kind])[];
}

/** Statuses that another try may change, whatever the body says. */
const retryableStatuses: readonly number[] = [408, 409, 425, 499];

/** What the beginning of the message may make of what codes, type and status say. */
const refinements: Readonly<Record<Kind, readonly Kind[]>> = {
  invalid_request: ["unauthorized", "context_length", "content_policy", "model_not_found", "unsupported"],
  unsupported: ["unauthorized", "context_length", "content_policy", "invalid_request", "model_not_found"],
  model_not_found: [
    "unauthorized",
    "context_length",
    "content_policy",
    "invalid_request",
    "model_not_found",
    "unsupported",
  ],
  rate_limited: ["unauthorized", "unsupported"],
  // A 403 is also said of one request: of its content, or of a file that it names.
  unauthorized: ["content_policy", "invalid_request"],
  upstream_error: ["unauthorized"],
  context_length: [],
  content_policy: [],
};

/**
 * How validators write a fault: the caller's own key comes first ("KEY: Extra inputs are not permitted"), so that
 * such a message begins with words that the caller chose.
 */
const startsWithCallerKey =
  /: (extra inputs are not permitted|extra fields? not permitted|field required|input should )/i;

/** What the error means for the request and for the member. */
export function classify({ status, codes, param, message }: VendorError, words: VendorErrorRules): Kind {
  for (const code of codes) if (Object.hasOwn(words.codes, code)) return words.codes[code]!;
  const type = codes.find((code) => Object.hasOwn(words.types, code));
  const meant = type === undefined ? classifyStatus(status) : words.types[type]!;
  if (meant === "invalid_request" && retryableStatuses.includes(status)) return "upstream_error";
  if (meant === "model_not_found" && param !== null)
    return param === "model" ? "model_not_found" : "invalid_request";
  const opening = startsWithCallerKey.test(message) ? null : firstMatch(message, words.openings);
  if (opening !== null && refinements[meant].includes(opening)) return opening;
  if (status === 403 || status === 429) {
    const within = firstMatch(message, words.anywhere ?? []);
    if (within !== null && refinements[meant].includes(within)) return within;
  }
  // A 404 says that something is not there. Only one that names the model says that the model is not.
  return meant === "model_not_found" ? "unsupported" : meant;
}

function firstMatch(message: string, known: VendorErrorRules["openings"]): Kind | null {
  for (const [pattern, kind] of known) if (pattern.test(message)) return kind;
  return null;
}

function classifyStatus(status: number): Kind {
  if (status === 401 || status === 402 || status === 403) return "unauthorized";
  if (status === 404) return "model_not_found";
  if (status === 429) return "rate_limited";
  if (status === 400 || status === 413 || status === 422) return "invalid_request";
  if (status < 400 || status >= 500 || retryableStatuses.includes(status)) return "upstream_error";
  // A 4xx that is no vendor's: perhaps a proxy that does not like this one request. Another member may.
  return "unsupported";
}
