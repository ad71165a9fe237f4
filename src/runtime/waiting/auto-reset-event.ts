// Lets a loop wait until a time has passed, or until another part of the process sets the event.

import type { Clock } from "#runtime/runtime.ts";

/** An event that releases one wait. A `set` before the wait releases the next one, so that none is lost. */
export class AutoResetEvent {
  #isSet = false;
  #timer: AbortController | null = null;
  #release: (() => void) | null = null;

  set(): void {
    this.#isSet = true;
    this.#timer?.abort();
    this.#release?.();
    this.#release = null;
  }

  /** Waits for `ms`, or until `set`; Infinity waits for `set` only and needs no timer. */
  async wait(clock: Clock, ms: number): Promise<void> {
    if (!this.#isSet) {
      if (ms === Number.POSITIVE_INFINITY) await this.#untilSet();
      else {
        this.#timer = new AbortController();
        await clock.sleep(ms, this.#timer.signal);
        this.#timer = null;
      }
    }
    this.#isSet = false;
  }

  #untilSet(): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }
}
