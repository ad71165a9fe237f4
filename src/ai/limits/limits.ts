// A key's limits: requests and tokens a minute as buckets that refill continuously, and requests under way at
// once. Admission is one step, so that a hundred requests at the same moment get exactly as many places as there
// are, and a refusal takes nothing. Pure: time comes in.

export interface KeyLimits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  concurrency: number | null;
}

/** What is left of a limit, for the `x-ratelimit` headers. */
export interface BucketState {
  limit: number;
  remaining: number;
  /** Until the bucket is full again, ms. */
  resetMs: number;
}

export interface RateLimitState {
  requests: BucketState | null;
  tokens: BucketState | null;
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
/** How long to wait for a place when as many are under way as may be: nobody knows when one ends. */
const concurrencyRetryMs = 1_000;

/**
 * Buckets may hold less than nothing: a request that cost more than was reckoned is paid off before the next.
 * Counted in 60,000ths, of which a limit of so many a minute gains as many each ms: whole numbers, so that no
 * rounding ever refuses what there is room for.
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
    // A changed limit moves what is left by the difference.
    if (limit !== this.#limit) this.#level += (limit - this.#limit) * minute;
    this.#limit = limit;
    const whole = Math.floor(now);
    // Time that goes backwards refills nothing.
    this.#level = Math.min(limit * minute, this.#level + Math.max(0, whole - this.#at) * limit);
    this.#at = Math.max(this.#at, whole);
  }

  /** How long until `amount` is there, ms; 0: it is. More than the bucket holds counts as all of it. */
  waitMs(amount: number): number {
    const short = Math.min(amount, this.#limit) * minute - this.#level;
    return short <= 0 ? 0 : Math.ceil(short / this.#limit);
  }

  take(amount: number): void {
    this.#level -= amount * minute;
  }

  state(): BucketState {
    return {
      limit: this.#limit,
      remaining: Math.max(0, Math.floor(this.#level / minute)),
      resetMs: Math.max(0, Math.ceil((this.#limit * minute - this.#level) / this.#limit)),
    };
  }
}

/** The state of one key. */
export class KeyMeter {
  #requests: Bucket | null = null;
  #tokens: Bucket | null = null;
  #underWay = 0;

  get idle(): boolean {
    return this.#underWay === 0;
  }

  /** Admits a request that will take about `tokens`; the cheapest reason to refuse comes first. */
  admit(limits: KeyLimits, tokens: number, now: number): Admission {
    this.#requests = refilled(this.#requests, limits.requestsPerMinute, now);
    this.#tokens = refilled(this.#tokens, limits.tokensPerMinute, now);
    const refused = (by: "requests" | "tokens" | "concurrency", retryAfterMs: number): Admission => ({
      kind: "refused",
      by,
      retryAfterMs,
      levels: this.levels(),
    });
    if (limits.concurrency !== null && this.#underWay >= limits.concurrency)
      return refused("concurrency", concurrencyRetryMs);
    const forRequest = this.#requests?.waitMs(1) ?? 0;
    if (forRequest > 0) return refused("requests", forRequest);
    const forTokens = this.#tokens?.waitMs(tokens) ?? 0;
    if (forTokens > 0) return refused("tokens", forTokens);
    this.#requests?.take(1);
    this.#tokens?.take(tokens);
    this.#underWay += 1;
    return { kind: "admitted", levels: this.levels() };
  }

  /** A request ended: `reckoned` tokens were taken for it, `used` it took. */
  settle(reckoned: number, used: number): void {
    this.#underWay -= 1;
    this.#tokens?.take(used - reckoned);
  }

  levels(): RateLimitState {
    return { requests: this.#requests?.state() ?? null, tokens: this.#tokens?.state() ?? null };
  }
}

function refilled(bucket: Bucket | null, limit: number | null, now: number): Bucket | null {
  if (limit === null) return null;
  const one = bucket ?? new Bucket(limit, now);
  one.refill(limit, now);
  return one;
}

/** OpenAI's form of a duration: `12ms`, `1s`, `6m0s`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole < 1000) return `${whole}ms`;
  const seconds = Math.ceil(whole / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds % 60}s`;
}
