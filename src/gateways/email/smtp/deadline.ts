// Ends what takes too long: one sleeper for an exchange of several steps, of which each has its own time.
// Making a step's time longer or shorter costs nothing while the exchange goes on.

import type { Clock } from "#runtime/runtime.ts";

/** Given, because the reason that is made otherwise carries a stack trace, which costs 25 µs for every mail. */
const stopped = "stopped";

export class Watchdog {
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #deadline: number;

  /** `bark` is called once, when a step has taken longer than it may. */
  constructor(clock: Clock, ms: number, bark: () => void) {
    this.#clock = clock;
    this.#deadline = clock.monotonic() + ms;
    void this.#watch(bark);
  }

  /** A new step begins, which may take `ms`. */
  startStep(ms: number): void {
    this.#deadline = this.#clock.monotonic() + ms;
  }

  stop(): void {
    this.#stop.abort(stopped);
  }

  async #watch(bark: () => void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const left = this.#deadline - this.#clock.monotonic();
      if (left <= 0) {
        this.#stop.abort(stopped);
        bark();
        return;
      }
      await this.#clock.sleep(left, this.#stop.signal);
    }
  }
}
