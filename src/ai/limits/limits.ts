// A key's rate limits: requests and tokens per minute as token buckets that refill continuously, and concurrent requests. Admission is one
// atomic step, so that exactly the allowed number of a hundred simultaneous requests is admitted; a refusal consumes nothing. Pure: the
// caller passes the time in.

import type { KeyRules } from "#contract/manage/pools/keys.ts";

export type KeyLimits = KeyRules["limits"];

/** The state of one limit, for the `x-ratelimit` headers. */
interface BucketState {
  limit: number;
  remaining: number;
  /** Time until the bucket is full again, ms. */
  resetMs: number;
}

export interface RateLimitState {
  requests: BucketState | null;
  tokens: BucketState | null;
}

/** What is left of a key's limits. `underWay`: concurrent requests, counted for a key that has a limit for them. */
export interface KeyLevels extends RateLimitState {
  underWay: number;
}

export type Admission =
  | { kind: "admitted"; levels: RateLimitState }
  | {
      kind: "refused";
      by: "requests" | "tokens" | "concurrency";
      retryAfterMs: number;
      levels: RateLimitState;
    };

const minute = 60_000;
/** `Retry-After` of a concurrency refusal: the end of a running request is unknown. */
const concurrencyRetryMs = 1_000;

/**
 * A bucket may go below zero: a request that used more than its estimate delays the next one. Levels are
 * counted in 60,000ths, so that a limit per minute gains that many of them per ms: whole numbers, without a
 * rounding error that could refuse an affordable request.
 */
class Bucket {
  #level: number;
  #at: number;
  #limit: number;

  constructor(limit: number, now: number) {
    this.#level = limit * minute;
    this.#limit = limit;
    this.#at = Math.floor(now);
  }

  refill(limit: number, now: number): void {
    // A changed limit moves the level by the difference.
    if (limit !== this.#limit) this.#level += (limit - this.#limit) * minute;
    this.#limit = limit;
    const nowMs = Math.floor(now);
    // A clock that goes backwards refills nothing.
    this.#level = Math.min(limit * minute, this.#level + Math.max(0, nowMs - this.#at) * limit);
    this.#at = Math.max(this.#at, nowMs);
  }

  /** Time until `amount` is available, ms; 0 if it is available now. An amount above the limit counts as the limit. */
  waitMs(amount: number): number {
    const missing = Math.min(amount, this.#limit) * minute - this.#level;
    return missing <= 0 ? 0 : Math.ceil(missing / this.#limit);
  }

  take(amount: number): void {
    this.#level -= amount * minute;
  }

  copy(): Bucket {
    const copied = new Bucket(this.#limit, this.#at);
    copied.#level = this.#level;
    return copied;
  }

  state(): BucketState {
    return {
      limit: this.#limit,
      remaining: Math.max(0, Math.floor(this.#level / minute)),
      resetMs: Math.max(0, Math.ceil((this.#limit * minute - this.#level) / this.#limit)),
    };
  }
}

/** The meters of one key. */
export class KeyMeter {
  #requests: Bucket | null = null;
  #tokens: Bucket | null = null;
  #inFlight = 0;

  get idle(): boolean {
    return this.#inFlight === 0;
  }

  /** Admits a request with an estimate of `tokens`; checks the limits with the cheapest retry first. */
  admit(limits: KeyLimits, tokens: number, now: number): Admission {
    this.#requests = refilled(this.#requests, limits.requests_per_minute, now);
    this.#tokens = refilled(this.#tokens, limits.tokens_per_minute, now);
    const refused = (by: "requests" | "tokens" | "concurrency", retryAfterMs: number): Admission => ({
      kind: "refused",
      by,
      retryAfterMs,
      levels: this.levels(),
    });
    if (limits.concurrency !== null && this.#inFlight >= limits.concurrency)
      return refused("concurrency", concurrencyRetryMs);
    const requestWaitMs = this.#requests?.waitMs(1) ?? 0;
    if (requestWaitMs > 0) return refused("requests", requestWaitMs);
    const tokenWaitMs = this.#tokens?.waitMs(tokens) ?? 0;
    if (tokenWaitMs > 0) return refused("tokens", tokenWaitMs);
    this.#requests?.take(1);
    this.#tokens?.take(tokens);
    this.#inFlight += 1;
    return { kind: "admitted", levels: this.levels() };
  }

  /** Counts a request that was admitted elsewhere, even beyond the limits; it ends like any other. */
  count(limits: KeyLimits, tokens: number, now: number): void {
    this.#requests = refilled(this.#requests, limits.requests_per_minute, now);
    this.#tokens = refilled(this.#tokens, limits.tokens_per_minute, now);
    this.#requests?.take(1);
    this.#tokens?.take(tokens);
    this.#inFlight += 1;
  }

  /** A request ended: `estimated` tokens were reserved for it, and it used `used`. */
  settle(estimated: number, used: number): void {
    this.#inFlight -= 1;
    this.#tokens?.take(used - estimated);
  }

  /** What is currently left of the limits, and the number of requests in progress. Changes nothing. */
  levelsAt(limits: KeyLimits, now: number): KeyLevels {
    const left = (bucket: Bucket | null, limit: number | null) =>
      refilled(bucket?.copy() ?? null, limit, now)?.state() ?? null;
    return {
      requests: left(this.#requests, limits.requests_per_minute),
      tokens: left(this.#tokens, limits.tokens_per_minute),
      underWay: this.#inFlight,
    };
  }

  levels(): RateLimitState {
    return { requests: this.#requests?.state() ?? null, tokens: this.#tokens?.state() ?? null };
  }
}

function refilled(bucket: Bucket | null, limit: number | null, now: number): Bucket | null {
  if (limit === null) return null;
  const current = bucket ?? new Bucket(limit, now);
  current.refill(limit, now);
  return current;
}

/** A duration in OpenAI's form: `12ms`, `1s`, `6m0s`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole < 1000) return `${whole}ms`;
  const seconds = Math.ceil(whole / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds % 60}s`;
}
