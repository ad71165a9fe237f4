// The rate limit of a lane. Exact, because a lane has one owner.

/** After a stall (a slow disk, a busy event loop) a lane catches up by at most this much. */
const maxCatchUpMs = 100;

export class Pacer {
  readonly #intervalMs: number;
  readonly #jitterMs: number;
  readonly #random: () => number;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** `perSecond`: null for no limit. `jitterMs`: adds up to this much between two sends. */
  constructor(options: { perSecond: number | null; jitterMs: number; random: () => number }) {
    this.#intervalMs = options.perSecond === null ? 0 : 1000 / options.perSecond;
    this.#jitterMs = options.jitterMs;
    this.#random = options.random;
  }

  /** How many messages may be sent at `now` (monotonic ms), or how long until the next one if none may. */
  available(now: number): { count: number; waitMs: number } {
    if (this.#intervalMs === 0 && this.#jitterMs === 0) return { count: Number.POSITIVE_INFINITY, waitMs: 0 };
    if (this.#nextAt > now) return { count: 0, waitMs: this.#nextAt - now };
    // With jitter, each gap is random, so messages are sent one at a time.
    if (this.#jitterMs > 0 || this.#nextAt === Number.NEGATIVE_INFINITY) return { count: 1, waitMs: 0 };
    const from = Math.max(this.#nextAt, now - maxCatchUpMs);
    return { count: Math.floor((now - from) / this.#intervalMs) + 1, waitMs: 0 };
  }

  /** Records that messages which count as `count` were sent at `now`. */
  consume(count: number, now: number): void {
    const earliest = this.#jitterMs > 0 ? now : now - maxCatchUpMs;
    const start = this.#nextAt === Number.NEGATIVE_INFINITY ? now : Math.max(this.#nextAt, earliest);
    this.#nextAt = start + count * this.#intervalMs + this.#random() * this.#jitterMs;
  }
}
