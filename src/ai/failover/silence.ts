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
 * Deadline for a member's whole answer, monotonic ms. A whole answer shows no progress before its end: while another member is left, this
 * one gets four times its slowest response times (`ownLimitMs`), but at most half of the remaining time, so that the other gets as much. A
 * member whose times are unknown gets that half: 5 minutes with the default deadline, which a thinking model may need. Streams have a
 * first-token timeout instead.
 */
export function answerDeadline(
  { deadlineAt, pool }: FailoverCall,
  now: number,
  ownLimitMs: number | null,
  elsewhere: () => boolean,
): number {
  const halfMs = (deadlineAt - now) / 2;
  const limitMs = pool.timeouts.answer_ms ?? Math.min(halfMs, ownLimitMs ?? halfMs);
  return elsewhere() ? Math.min(deadlineAt, now + limitMs) : deadlineAt;
}

/** A member with output within this time is alive: an empty answer then suggests that its request is the cause. */
const recentOutputMs = 10_000;

/**
 * Whether the request may be the cause of a failure: it takes too long, or requests empty output, while the member answers other requests.
 * Such a request must not take the member down for them.
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
