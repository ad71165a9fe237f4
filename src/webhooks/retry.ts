// When a delivery is retried: eight attempts over about 28 hours.

import { retryDelay } from "#runtime/waiting/retry.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Delays after the first, second, … failed attempt. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** The longest delay that an endpoint can ask for with `Retry-After`. */
export const maxRetryAfterMs = 10 * hour;

/**
 * How long to wait after attempt number `attempt` (from 1) failed, ms; null if it was the last. `random` in [0, 1) makes
 * the ±10 % that spread deliveries which failed together.
 */
export function nextTryMs(attempt: number, random: number, retryAfterMs = 0): number | null {
  const delay = delays[attempt - 1];
  if (delay === undefined) return null;
  const delayMs = retryDelay({ firstMs: delay, maxMs: delay }, 1, "tenth", random);
  return Math.max(delayMs, Math.min(retryAfterMs, maxRetryAfterMs));
}
