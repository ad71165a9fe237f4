// When a device reconnects after its connection ended: sooner after a connection that lasted, and not at all if another process keeps
// taking the link, or WhatsApp keeps refusing the keys.

import type { Clock, Random } from "#runtime/runtime.ts";
import { retryDelay } from "#runtime/waiting/retry.ts";

const maxBackOffMs = 60_000;
/** A connection that lasted this long resets the back-off, ms. */
const healthyMs = 60_000;
/** If another process takes the link twice within this time, it is left to that process, ms. */
const conflictWindowMs = 10 * 60_000;
/** This many in a row mean that the keys are damaged. */
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

  /** Another process took the link; true if it already did so shortly before. */
  isConflict(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#replacedAt < conflictWindowMs) return true;
    this.#replacedAt = now;
    return false;
  }

  /**
   * How long to wait before the next attempt, ms; null if the keys are damaged. `firstMs`: for the first attempt after a good connection.
   */
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
