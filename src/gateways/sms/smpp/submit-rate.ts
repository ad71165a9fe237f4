// How fast PDUs are submitted when the SMSC says that it is too fast: nothing for a while, then half as many, and slowly
// more again. While it waits, messages keep their order: a throttled one goes first again, or it would be overtaken.

import type { Clock } from "#runtime/runtime.ts";

/** The longest pause after one `ESME_RTHROTTLED`, ms. */
const maxHoldMs = 30_000;
/** Without another one for so long, ms, a tenth is given back, and the next pause is short again. */
const easeMs = 5_000;
/** Given up when it is this many times what the SMSC refused. */
const forgetAt = 2;

export class SubmitRate {
  readonly #clock: Clock;
  readonly #firstHoldMs: number;
  readonly #waiting: (() => void)[] = [];
  #pumping = false;
  #holdMs = 0;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #throttledAt = Number.NEGATIVE_INFINITY;
  /** PDUs a second; null: as fast as answers come. */
  #limit: number | null = null;
  #refusedRate = 0;
  /** The present second, and what the last whole one took. */
  #second = { startedAt: Number.NEGATIVE_INFINITY, count: 0, last: 0 };

  constructor(clock: Clock, throttleMs: number) {
    this.#clock = clock;
    this.#firstHoldMs = throttleMs;
  }

  /** Resolves when one PDU may go. `isFirst`: before all that wait. Null: it may go at once. */
  admit(isFirst: boolean): Promise<void> | null {
    if (this.#limit === null && this.#waiting.length === 0) {
      if (this.#heldUntil <= this.#clock.monotonic()) return null;
    }
    return new Promise((resolve) => {
      if (isFirst) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
      if (!this.#pumping) void this.#pump();
    });
  }

  /** Notes that the SMSC accepted a PDU. */
  accepted(): void {
    const now = this.#clock.monotonic();
    const elapsed = now - this.#second.startedAt;
    if (elapsed >= 1000) {
      const last = elapsed < 2000 ? this.#second.count : 0;
      this.#second = { startedAt: now, count: 0, last };
    }
    this.#second.count += 1;
    if (this.#limit === null || now - this.#throttledAt < easeMs) return;
    this.#limit *= 1.1;
    this.#throttledAt = now;
    this.#holdMs = 0;
    if (this.#limit > forgetAt * this.#refusedRate) this.#limit = null;
  }

  /** The SMSC refused a PDU because it is too fast. Returns how long nothing goes now, ms. */
  throttled(): number {
    const now = this.#clock.monotonic();
    // What was in flight is refused with it: one sign, not several.
    if (now < this.#heldUntil) return this.#heldUntil - now;
    this.#holdMs = Math.min(maxHoldMs, this.#holdMs === 0 ? this.#firstHoldMs : 2 * this.#holdMs);
    this.#heldUntil = now + this.#holdMs;
    this.#throttledAt = now;
    this.#refusedRate = Math.max(1, this.#second.last, this.#second.count);
    this.#limit = Math.max(1, Math.min(this.#limit ?? Number.POSITIVE_INFINITY, this.#refusedRate) / 2);
    return this.#holdMs;
  }

  /** Lets all that wait go on: the session ends. */
  stop(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    while (this.#waiting.length > 0) {
      const now = this.#clock.monotonic();
      if (now < this.#heldUntil) {
        await this.#clock.sleep(this.#heldUntil - now);
        continue;
      }
      this.#waiting.shift()?.();
      if (this.#limit !== null) await this.#clock.sleep(1000 / this.#limit);
    }
    this.#pumping = false;
  }
}
