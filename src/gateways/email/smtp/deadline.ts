// A deadline for an exchange of several steps, each with its own time limit. One sleeping timer serves the whole exchange,
// so that changing the limit at each step costs nothing.

import type { Clock } from "#runtime/runtime.ts";

/** A reason is passed to `abort` because the default one carries a stack trace, which costs 25 µs for every mail. */
const stopped = "stopped";

export class Watchdog {
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #deadline: number;

  /** Calls `onTimeout` once, if a step takes longer than its limit. `ms`: the limit of the first step. */
  constructor(clock: Clock, ms: number, onTimeout: () => void) {
    this.#clock = clock;
    this.#deadline = clock.monotonic() + ms;
    void this.#watch(onTimeout);
  }

  /** Begins the next step, which may take `ms`. */
  startStep(ms: number): void {
    this.#deadline = this.#clock.monotonic() + ms;
  }

  stop(): void {
    this.#stop.abort(stopped);
  }

  async #watch(onTimeout: () => void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const left = this.#deadline - this.#clock.monotonic();
      if (left <= 0) {
        this.#stop.abort(stopped);
        onTimeout();
        return;
      }
      await this.#clock.sleep(left, this.#stop.signal);
    }
  }
}
