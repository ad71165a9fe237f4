// How long a member may take for a whole answer, and what its silence says about its health.

import type { MemberHealth } from "#ai/health/health.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Failure } from "#providers/provider.ts";
import type { FailoverCall } from "./call.ts";

/** The reason reported for a member that answers no request. */
export const silenceFailure: Failure = {
  kind: "upstream_error",
  status: 504,
  retryAfterMs: null,
  error: apiError("The provider is silent.", "server_error", "upstream_timeout"),
};

/**
 * Deadline for a member's whole answer, monotonic ms. A whole answer shows no progress before its end: while
 * another member is left, this one gets half of the remaining time, so that the other gets as much. With the
 * default deadline that is 5 minutes, which a thinking model may need. Streams have a first-token timeout
 * instead.
 */
export function answerDeadline(
  { deadlineAt, pool }: FailoverCall,
  now: number,
  elsewhere: () => boolean,
): number {
  const limitAt = Math.min(deadlineAt, now + (pool.timeouts.answer_ms ?? (deadlineAt - now) / 2));
  return elsewhere() ? limitAt : deadlineAt;
}

/** A member with output within this time is alive: an empty answer then points to its request. */
const recentOutputMs = 10_000;

/**
 * Whether the request may be the cause of a failure: it takes too long, or asks for empty output, while the
 * member answers other requests. Such a request must not take the member down for them.
 */
export function mayBeRequestFault(
  health: MemberHealth,
  { error }: Failure,
  timeout: boolean,
  startedAt: number,
  now: number,
): boolean {
  if (timeout) return health.respondedSince(startedAt);
  return error.code === "empty_answer" && health.respondedSince(now - recentOutputMs);
}
