// How fast a lane may go. Exact, because a lane has one owner.

/** After a stall (a slow disk, a busy loop) a lane catches up by this much at the most. */
const catchUpMs = 100;

export class Pacer {
  readonly #intervalMs: number;
  readonly #jitterMs: number;
  readonly #fraction: () => number;
  #next = Number.NEGATIVE_INFINITY;

  /** `perSecond` null: no bound. `jitterMs`: up to this much longer between two sends. */
  constructor(options: { perSecond: number | null; jitterMs: number; fraction: () => number }) {
    this.#intervalMs = options.perSecond === null ? 0 : 1000 / options.perSecond;
    this.#jitterMs = options.jitterMs;
    this.#fraction = options.fraction;
  }

  /** How many may go at `now` (monotonic ms), and how long until the next one may when that is none. */
  available(now: number): { count: number; waitMs: number } {
    if (this.#intervalMs === 0 && this.#jitterMs === 0) return { count: Number.POSITIVE_INFINITY, waitMs: 0 };
    if (this.#next > now) return { count: 0, waitMs: this.#next - now };
    // With jitter each gap is drawn on its own, so one at a time.
    if (this.#jitterMs > 0 || this.#next === Number.NEGATIVE_INFINITY) return { count: 1, waitMs: 0 };
    const from = Math.max(this.#next, now - catchUpMs);
    return { count: Math.floor((now - from) / this.#intervalMs) + 1, waitMs: 0 };
  }

  /** Notes that `count` went at `now`. */
  consume(count: number, now: number): void {
    const from = Math.max(
      this.#next,
      this.#jitterMs > 0 ? now : now - Math.min(catchUpMs, this.#intervalMs === 0 ? 0 : catchUpMs),
    );
    const start = this.#next === Number.NEGATIVE_INFINITY ? now : from;
    this.#next = start + count * this.#intervalMs + this.#fraction() * this.#jitterMs;
  }
}
