// Adapts the rate of PDUs when the SMSC reports throttling: nothing for a while, then half as many, and slowly more again. While it waits,
// messages keep their order: a throttled one is sent first, or it would be overtaken.

import type { Clock } from "#runtime/runtime.ts";

/** The longest pause after one `ESME_RTHROTTLED`, ms. */
const maxHoldMs = 30_000;
/** After this long without another one, ms, the rate rises by a tenth, and the next pause is short again. */
const easeMs = 5_000;
/** Removed once it is this many times what the SMSC refused. */
const forgetAt = 2;

export class SubmitRate {
  readonly #clock: Clock;
  readonly #firstHoldMs: number;
  readonly #waiting: (() => void)[] = [];
  #pumping = false;
  #holdMs = 0;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #throttledAt = Number.NEGATIVE_INFINITY;
  /** PDUs a second; null for as fast as answers arrive. */
  #limit: number | null = null;
  #refusedRate = 0;
  /** The current second, and the count of the last whole one. */
  #second = { startedAt: Number.NEGATIVE_INFINITY, count: 0, last: 0 };

  constructor(clock: Clock, throttleMs: number) {
    this.#clock = clock;
    this.#firstHoldMs = throttleMs;
  }

  /** Resolves when one PDU may be sent. `isFirst`: before all that wait. Null if it may be sent at once. */
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

  /** Records that the SMSC accepted a PDU. */
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

  /** The SMSC refused a PDU because it is too fast. Returns how long nothing is sent now, ms. */
  throttled(): number {
    const now = this.#clock.monotonic();
    // Messages in flight are refused with it: one signal, not several.
    if (now < this.#heldUntil) return this.#heldUntil - now;
    this.#holdMs = Math.min(maxHoldMs, this.#holdMs === 0 ? this.#firstHoldMs : 2 * this.#holdMs);
    this.#heldUntil = now + this.#holdMs;
    this.#throttledAt = now;
    this.#refusedRate = Math.max(1, this.#second.last, this.#second.count);
    this.#limit = Math.max(1, Math.min(this.#limit ?? Number.POSITIVE_INFINITY, this.#refusedRate) / 2);
    return this.#holdMs;
  }

  /** Releases all that wait: the session ends. */
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
