// How a lane waits: until a time has passed, or until somebody has news for it.

import type { Clock } from "#runtime/runtime.ts";

/** A wait that can be ended early. An end that comes before the wait ends the next one, so that none is missed. */
export class AutoResetEvent {
  #ended = false;
  #timer: AbortController | null = null;
  #resume: (() => void) | null = null;

  set(): void {
    this.#ended = true;
    this.#timer?.abort();
    this.#resume?.();
    this.#resume = null;
  }

  /** Waits for `ms`, or until `end`; Infinity waits for `end` alone and costs no timer. */
  async wait(clock: Clock, ms: number): Promise<void> {
    if (!this.#ended) {
      if (ms === Number.POSITIVE_INFINITY) await this.#untilEnd();
      else {
        this.#timer = new AbortController();
        await clock.sleep(ms, this.#timer.signal);
        this.#timer = null;
      }
    }
    this.#ended = false;
  }

  #untilEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
}
