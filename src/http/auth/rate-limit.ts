// How many requests an account may make: one token bucket per account, in this process's memory.

import type { Clock } from "#runtime/runtime.ts";

interface Bucket {
  tokens: number;
  /** Monotonic ms of the last refill. */
  at: number;
}

/** Counts one request of `key` (`cost` 0: only checks); 0 if it may pass, otherwise the ms until it may. */
export type RateLimit = (key: string, perMinute: number, cost?: 0 | 1) => number;

const minute = 60_000;

/**
 * A limit of `perMinute` requests with bursts of the same size. Remembers `maxKeys` keys; the least recently used one is dropped first,
 * which has no effect once it has been idle for a minute.
 */
export function createRateLimit(clock: Clock, maxKeys = 100_000): RateLimit {
  const buckets = new Map<string, Bucket>();
  return (key, perMinute, cost = 1) => {
    if (perMinute <= 0) return minute;
    const now = clock.monotonic();
    const known = buckets.get(key);
    const refilled = known === undefined ? perMinute : known.tokens + ((now - known.at) * perMinute) / minute;
    const tokens = Math.min(perMinute, refilled);
    const passes = tokens >= 1;
    // Deleted first, so that the map's order is the order of use.
    buckets.delete(key);
    buckets.set(key, { tokens: passes ? tokens - cost : tokens, at: now });
    if (buckets.size > maxKeys) {
      const [oldest] = buckets.keys();
      if (oldest !== undefined) buckets.delete(oldest);
    }
    return passes ? 0 : ((1 - tokens) * minute) / perMinute;
  };
}
