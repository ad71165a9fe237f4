// A failure in OpenAI's words, for adapters whose vendor has other ones: each kind has one type and one code.

import { apiError } from "./api-error.ts";
import type { Failure, StreamPiece } from "./provider.ts";

const words: Readonly<Record<Failure["kind"], readonly [type: string, code: string | null]>> = {
  caller: ["invalid_request_error", null],
  context: ["invalid_request_error", "context_length_exceeded"],
  policy: ["invalid_request_error", "content_filter"],
  limited: ["requests", "rate_limit_exceeded"],
  denied: ["server_error", "provider_denied"],
  no_model: ["invalid_request_error", "model_not_found"],
  broken: ["server_error", null],
};

/** `status`: the vendor's, 200 for an error inside a 200. `message` is scrubbed here. */
export function vendorFailure(
  kind: Failure["kind"],
  status: number,
  message: string,
  more: { retryAfterMs?: number | null; param?: string | null; code?: string } = {},
): Failure {
  const [type, code] = words[kind];
  const error = apiError(message, type, more.code ?? code, more.param ?? null);
  return { kind, status, retryAfterMs: more.retryAfterMs ?? null, error };
}

/** A 200 that is no answer. */
export function badAnswer(message: string): { kind: "failure"; failure: Failure } {
  return { kind: "failure", failure: vendorFailure("broken", 200, message, { code: "bad_upstream_answer" }) };
}

/** An event of a stream that makes no sense. */
export function badFrame(message: string): StreamPiece {
  return { kind: "failure", failure: vendorFailure("broken", 200, message, { code: "malformed_frame" }) };
}

/** Statuses that another try may change, whatever the body says. */
export const fleetingStatuses: readonly number[] = [408, 409, 425, 499];
