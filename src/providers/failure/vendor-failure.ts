// A failure in OpenAI's words, for adapters whose vendor has other ones: each kind has one type and one code. What a
// vendor says of a member's own key, balance or permission is for the pool's owner; the caller, whose own key works,
// gets one sentence and one code for all of it.

import type { Failure, StreamPiece } from "#providers/provider.ts";
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

/** In place of the vendor's words, which read as if the caller's own key or budget were meant. */
const unauthorizedMessage =
  "The provider refused the pool's own access to it (key, balance or permission); only the pool's owner can change that.";

/** The member's own access was refused. `status`: the vendor's. `said`: its words, for the pool's owner. */
export function unauthorizedFailure(
  status: number,
  said: string,
  retryAfterMs: number | null = null,
): Failure {
  const [type, code] = words.unauthorized;
  const error = apiError(unauthorizedMessage, type, code);
  return { kind: "unauthorized", status, retryAfterMs, error, detail: scrub(said) };
}

/** `status`: the vendor's, 200 for an error inside a 200. `message` is scrubbed here, and of `unauthorized` kept from callers. */
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

/** A 200 that is no answer. */
export function badAnswer(message: string): { kind: "failure"; failure: Failure } {
  return {
    kind: "failure",
    failure: vendorFailure("upstream_error", 200, message, { code: "bad_upstream_answer" }),
  };
}

/** An event of a stream that makes no sense. */
export function badFrame(message: string): StreamPiece {
  return {
    kind: "failure",
    failure: vendorFailure("upstream_error", 200, message, { code: "malformed_frame" }),
  };
}
