// What a member's health records about a failure of an attempt.

import type { HealthTicket } from "#ai/health/health.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import type { Failure } from "#providers/provider.ts";
import type { FailoverDeps } from "./call.ts";
import { ownCodes } from "./request-kind.ts";

/** Whether the vendor itself answered 500, 502 or 503 without a requested wait, so that an immediate retry may succeed. */
export const isTransient = ({ kind, status, retryAfterMs, error }: Failure) =>
  kind === "upstream_error" &&
  retryAfterMs === null &&
  (status === 500 || status === 502 || status === 503) &&
  !ownCodes.includes(error.code ?? "");

/** How long the vendor asked not to be called, ms; null if it did not. Other server errors may concern a single request. */
export const restMs = ({ kind, status, retryAfterMs }: Failure): number | null =>
  kind !== "upstream_error" || status === 503 || status === 529 ? retryAfterMs : null;

/**
 * Faults of the request do not count against the member; a missing model counts only against that model. `keysRestMs`: all of several keys
 * are refused, the first one for that long.
 */
export function updateHealth(
  deps: FailoverDeps,
  { member, model }: Choice<Member>,
  ticket: HealthTicket,
  failure: Failure,
  keysRestMs: number | null,
): void {
  const now = deps.clock.monotonic();
  switch (failure.kind) {
    case "invalid_request":
    case "context_length":
    case "content_policy":
    case "unsupported":
      member.health.dropped(ticket);
      return;
    case "model_not_found":
      member.health.modelMissing(ticket, now, model);
      return;
    case "rate_limited":
    case "unauthorized":
    case "upstream_error": {
      const isDown =
        keysRestMs === null
          ? member.health.failed(ticket, now, failure.kind, restMs(failure), model)
          : member.health.keysRefused(ticket, now, keysRestMs);
      if (isDown) deps.memberDown(member, failure);
    }
  }
}
