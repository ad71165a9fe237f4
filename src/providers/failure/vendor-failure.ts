// Failures with OpenAI's types and codes, for adapters whose vendor has its own: each kind has one type and one code. A vendor's message
// about the member's key, balance or permission is only for the pool's owner; the client, whose own key is valid, gets one sentence and one
// code for all of these.

import type { Failure, StreamPiece } from "#providers/provider.ts";
import { isWithinBounds } from "#providers/translate/json.ts";
import { apiError } from "./api-error.ts";
import { scrub } from "./scrub.ts";

const words: Readonly<Record<Failure["kind"], readonly [type: string, code: string | null]>> = {
  invalid_request: ["invalid_request_error", null],
  context_length: ["invalid_request_error", "context_length_exceeded"],
  content_policy: ["invalid_request_error", "content_filter"],
  unsupported: ["invalid_request_error", null],
  rate_limited: ["requests", "rate_limit_exceeded"],
  unauthorized: ["server_error", "provider_denied"],
  model_not_found: ["invalid_request_error", "model_not_found"],
  upstream_error: ["server_error", null],
};

/** Replaces the vendor's message, which reads as if it meant the client's own key or budget. */
const unauthorizedMessage =
  "The provider refused the pool's own access to it (key, balance or permission); only the pool's owner can change that.";

/**
 * The member's credentials were refused. `status`: the vendor's. `reason`: its message, for the pool's owner.
 */
export function unauthorizedFailure(
  status: number,
  reason: string,
  retryAfterMs: number | null = null,
): Failure {
  const [type, code] = words.unauthorized;
  const error = apiError(unauthorizedMessage, type, code);
  return { kind: "unauthorized", status, retryAfterMs, error, detail: scrub(reason) };
}

/**
 * `status`: the vendor's, 200 for an error inside a 200. `message` is scrubbed; clients do not see that of
 * `unauthorized`.
 */
export function vendorFailure(
  kind: Failure["kind"],
  status: number,
  message: string,
  more: { retryAfterMs?: number | null; param?: string | null; code?: string } = {},
): Failure {
  if (kind === "unauthorized") return unauthorizedFailure(status, message, more.retryAfterMs);
  const [type, code] = words[kind];
  const error = apiError(message, type, more.code ?? code, more.param ?? null);
  return { kind, status, retryAfterMs: more.retryAfterMs ?? null, error };
}

/** The request allows a longer answer than the model gives. `limit`: the model's maximum, tokens; null if the vendor states none. */
export function lengthRefused(failure: Failure, limit: number | null): Failure {
  const unable: Failure = { ...failure, kind: "unsupported" };
  return limit === null ? unable : { ...unable, outputLimit: limit };
}

/** The failure of an answer whose cause may be its request. */
export const ignoredByHealth = (failure: Failure): Failure => ({ ...failure, ignoredByHealth: true });

/** The failure to read `text`: a text beyond the limits may still be well-formed. */
export const unreadable = (failure: Failure, text: string): Failure =>
  failure.kind === "upstream_error" && !isWithinBounds(text) ? ignoredByHealth(failure) : failure;

/** A 200 whose body is not an answer. */
export function badAnswer(message: string): { kind: "failure"; failure: Failure } {
  return {
    kind: "failure",
    failure: vendorFailure("upstream_error", 200, message, { code: "bad_upstream_answer" }),
  };
}

/** An event that cannot be parsed. */
export function badFrame(message: string): StreamPiece {
  return {
    kind: "failure",
    failure: vendorFailure("upstream_error", 200, message, { code: "malformed_frame" }),
  };
}
