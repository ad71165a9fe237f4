// When a delivery is tried again: eight tries over about 28 hours.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits after the first, second, … failed try. */
const waits = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** The longest wait that an endpoint's `Retry-After` is granted. */
export const maxRetryAfterMs = 10 * hour;

/**
 * How long to wait after the `attempt`-th try (from 1) failed, ms; null: that was the last. `fraction` in [0, 1)
 * makes the ±10 % that keep deliveries which failed together from coming back together.
 */
export function retryDelay(attempt: number, fraction: number, retryAfterMs = 0): number | null {
  const wait = waits[attempt - 1];
  if (wait === undefined) return null;
  return Math.max(Math.round(wait * (0.9 + 0.2 * fraction)), Math.min(retryAfterMs, maxRetryAfterMs));
}
