// How long a member may take, and what it says about it that somebody got nothing from it.

import type { MemberHealth } from "#ai/health/health.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Failure } from "#providers/provider.ts";

/** Why a member is down that nobody gets an answer from. */
export const silenceFailure: Failure = {
  kind: "upstream_error",
  status: 504,
  retryAfterMs: null,
  error: apiError("The provider is silent.", "server_error", "upstream_timeout"),
};

/**
 * Until when a member may take for a whole answer, monotonic ms. Such an answer shows no sign of life before its end:
 * while another member is left, this one gets half of the time that is left, so that the other has as much. With the
 * usual deadline that is 5 minutes, which a model that thinks may need. A stream has a limit of its own until its
 * first word.
 */
export function answerDeadline(
  { deadlineAt, answerMs }: { deadlineAt: number; answerMs: number | null },
  now: number,
  elsewhere: () => boolean,
): number {
  const limitAt = Math.min(deadlineAt, now + (answerMs ?? (deadlineAt - now) / 2));
  return elsewhere() ? limitAt : deadlineAt;
}

/** A member that said something within this is there: an empty answer then says more about its request. */
const recentOutputMs = 10_000;

/**
 * Whether a failure may be its request's own: it takes for ever, or asks for nothing to be said, while the member
 * answers others. It must not take down for them what serves them.
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
