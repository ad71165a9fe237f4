// When a device connects again after its connection ended by itself: sooner after a connection that held, and not at all where
// another process takes the link each time, or where WhatsApp refuses the keys again and again.

import type { Clock, Random } from "#runtime/runtime.ts";
import { retryDelay } from "#runtime/waiting/retry.ts";

const maxBackOffMs = 60_000;
/** A connection that lasted this long begins the back-off anew, ms. */
const healthyMs = 60_000;
/** A link that another process takes twice within this time is left to it, ms. */
const conflictWindowMs = 10 * 60_000;
/** In a row they mean that the keys are damaged. */
const maxServerErrors = 3;
const serverError = 500;

export class Reconnects {
  readonly #clock: Clock;
  readonly #random: Random;
  #connectedAt = 0;
  #failures = 0;
  #serverErrors = 0;
  #replacedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  connected(): void {
    this.#serverErrors = 0;
    this.#connectedAt = this.#clock.monotonic();
  }

  /** Another process took the link; true: it did so shortly before, too. */
  isConflict(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#replacedAt < conflictWindowMs) return true;
    this.#replacedAt = now;
    return false;
  }

  /** How long to wait before the next try, ms; null: the keys are damaged. `firstMs`: of the first try after a good connection. */
  waitAfter(
    code: number | null,
    { wasConnected, firstMs }: { wasConnected: boolean; firstMs: number },
  ): number | null {
    this.#serverErrors = code === serverError && !wasConnected ? this.#serverErrors + 1 : 0;
    if (this.#serverErrors >= maxServerErrors) return null;
    const isHealthy = wasConnected && this.#clock.monotonic() - this.#connectedAt >= healthyMs;
    this.#failures = isHealthy ? 0 : this.#failures + 1;
    const rule = { firstMs, maxMs: maxBackOffMs };
    return retryDelay(rule, this.#failures + 1, "half", this.#random.random());
  }
}
