// How long to wait before something is tried again.

export interface RetryRule {
  firstMs: number;
  maxMs: number;
}

/**
 * What randomness does to a wait. `none`: nothing. `tenth`: 90 to 110 % of it. `half`: 50 to 100 %. `above_first`: anything
 * from the first wait to twice this one, but not over the longest.
 */
export type Jitter = "none" | "tenth" | "half" | "above_first";

/**
 * How long to wait after attempt number `attempt` (from 1) failed, ms. The wait doubles with each attempt, up to `maxMs`.
 * `random` is in [0, 1).
 */
export function retryDelay(
  { firstMs, maxMs }: RetryRule,
  attempt: number,
  jitter: Jitter,
  random = 0,
): number {
  const delayMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  switch (jitter) {
    case "none":
      return delayMs;
    case "tenth":
      return Math.round(delayMs * (0.9 + 0.2 * random));
    case "half":
      return delayMs * (0.5 + random / 2);
    case "above_first":
      return Math.round(firstMs + random * Math.max(0, Math.min(maxMs, 2 * delayMs) - firstMs));
  }
}
