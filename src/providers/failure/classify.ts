// Classifies vendor errors by one set of rules. Codes, type and status decide, because only the vendor writes them. A message counts only
// by its opening sentence: the rest may quote the client ("Unrecognized request argument supplied: insufficient_quota"), and one client
// must not be able to put a member into a cooldown for all others. Whether a member lacks what the request needs may be read from more of
// the message, because it has no effect on others.

import type { Failure } from "#providers/provider.ts";
import { cannotServe, isUnknownForm } from "./member-cannot.ts";
import { withoutPrefixes } from "./prefixes.ts";
import { isTooLong } from "./too-long.ts";

type Kind = Failure["kind"];

/** The parts of a vendor's error. */
interface VendorError {
  /** The HTTP status; 200 for an error inside a 200. */
  status: number;
  /** Codes, types and reasons, the most specific first. */
  codes: readonly string[];
  /** The parameter that the vendor names in a separate field; null if it names no parameter. */
  param: string | null;
  message: string;
}

/** How to interpret a vendor's errors. */
export interface VendorErrorRules {
  /** Codes with one meaning, independent of status and message. */
  codes: Readonly<Record<string, Kind>>;
  /** Codes and types with several meanings; the opening of the message may decide. */
  types: Readonly<Record<string, Kind>>;
  /** The vendor's known sentences, each anchored with `^`. */
  openings: readonly (readonly [RegExp, Kind])[];
  /** Patterns for the whole message of a 403 or a 429: neither status is about the request's text. */
  anywhere?: readonly (readonly [RegExp, Kind])[];
}

/** Statuses that a retry may change; the body does not matter. */
const retryableStatuses: readonly number[] = [408, 409, 425, 499];

/** Which kinds the opening of the message may replace with which. */
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
  // A 403 may also concern a single request: its content, or a file that it names.
  unauthorized: ["content_policy", "invalid_request"],
  // llama.cpp, Ollama and gateways answer 500 if the request needs something that they lack.
  upstream_error: ["unauthorized", "context_length", "unsupported"],
  context_length: [],
  content_policy: [],
};

/**
 * Validators put the client's own key first ("KEY: Extra inputs are not permitted"): such a message begins with text that the client chose.
 */
const startsWithCallerKey = /: (field required|input should )/i;
/** The same validators, for a key that they do not know: this member cannot serve the request. */
const unknownKey = /: (extra inputs are not permitted|extra fields? not permitted)/i;

/** The kind of failure that an error means. */
export function classify({ status, codes, param, message }: VendorError, words: VendorErrorRules): Kind {
  for (const code of codes)
    if (Object.hasOwn(words.codes, code)) {
      const known = words.codes[code]!;
      return known === "invalid_request" && cannotServe(message, false) ? "unsupported" : known;
    }
  const type = codes.find((code) => Object.hasOwn(words.types, code));
  const meant = type === undefined ? classifyStatus(status) : words.types[type]!;
  if (meant === "invalid_request" && retryableStatuses.includes(status)) return "upstream_error";
  if (meant === "model_not_found" && param !== null)
    return param === "model" ? "model_not_found" : "invalid_request";
  if (unknownKey.test(message)) return meant === "invalid_request" ? "unsupported" : meant;
  const opening = openingOf(message, words.openings, meant === "invalid_request");
  if (opening !== null && refinements[meant].includes(opening)) return opening;
  if (status === 403 || status === 429) {
    const within = firstMatch(message, words.anywhere ?? []);
    if (within !== null && refinements[meant].includes(within)) return within;
  }
  // A 404 without the model's name says only that something is missing.
  return meant === "model_not_found" ? "unsupported" : meant;
}

/** Kinds that have no effect on other callers: they may be read from behind the prefixes that a server puts before the vendor's message. */
const aboutRequest: readonly Kind[] = ["context_length", "content_policy", "unsupported", "invalid_request"];

/** The meaning of the opening of the message, in the vendor's own phrases or in those of any other vendor. */
function openingOf(message: string, known: VendorErrorRules["openings"], refused: boolean): Kind | null {
  if (isUnknownForm(message)) return "unsupported";
  if (startsWithCallerKey.test(message)) return null;
  const own = firstMatch(message, known);
  if (own !== null) return own;
  const { text, kind } = withoutPrefixes(message);
  if (kind !== null) return kind;
  const quoted = text === message ? null : firstMatch(text, known);
  if (quoted !== null && aboutRequest.includes(quoted)) return quoted;
  if (isTooLong(text)) return "context_length";
  return cannotServe(text, refused) ? "unsupported" : null;
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
  // An unusual 4xx, perhaps from a proxy that rejects this one request. Another member may serve it.
  return "unsupported";
}
