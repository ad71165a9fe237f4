// Recurring work: one loop, with one rule for failed turns. It ends with a signal and waits on the process's clock. A loop that is a lane,
// so that only one process runs it, is `queue/loop`.

import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { AutoResetEvent } from "./auto-reset-event.ts";
import { type RetryRule, retryDelay } from "./retry.ts";

export interface IntervalOptions {
  clock: Clock;
  log: Log;
  /** Ends the interval: a wait at once, a turn when it is over. */
  signal: LightAbortSignal;
  /** From the end of one turn to the next, ms. */
  ms: number | (() => number);
  /** One turn. A number that it resolves to is how long to wait for the next, ms; 0 for no wait. */
  turn(): unknown;
  /** Called before and after each turn: while it returns false, the interval rests until `start`. Absent if it never rests. */
  isNeeded?(): boolean;
  /** The log message for a failed turn, and its other fields. */
  failure: { event: string; message: string; lane?: string };
  /** How long to wait after failed turns. Default: as after others. */
  retry?: RetryRule;
}

/** Turns never overlap. A failed one is logged, and the next one begins after a wait that `wake` does not shorten. */
export class Interval {
  readonly #options: IntervalOptions;
  readonly #event = new AutoResetEvent();
  #running: Promise<void> | null = null;

  constructor(options: IntervalOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#event.set(), { once: true });
  }

  /** Starts unless it is already running. `firstMs`: how long to wait for the first turn, ms. */
  start(firstMs = this.#defaultMs()): void {
    this.#running ??= this.#run(firstMs);
  }

  /** Begins the next turn before its time. */
  wake(): void {
    this.#event.set();
  }

  /** Resolves when the interval has ended or rests. */
  async ended(): Promise<void> {
    await this.#running;
  }

  #defaultMs(): number {
    const { ms } = this.#options;
    return typeof ms === "number" ? ms : ms();
  }

  async #run(firstMs: number): Promise<void> {
    const { clock, log, signal, turn, isNeeded, failure, retry } = this.#options;
    const goesOn = () => !signal.aborted && isNeeded?.() !== false;
    let waitMs = firstMs;
    let failures = 0;
    do {
      if (failures > 0) await clock.sleep(waitMs, signal);
      else if (waitMs > 0) await this.#event.wait(clock, waitMs);
      if (!goesOn()) break;
      try {
        const result = await turn();
        waitMs = typeof result === "number" ? result : this.#defaultMs();
        failures = 0;
      } catch (error) {
        const { message, ...fields } = failure;
        log.warn({ ...fields, error }, message);
        failures += 1;
        waitMs = retry ? retryDelay(retry, failures, "none") : this.#defaultMs();
      }
    } while (goesOn());
    // Nothing was awaited since the last check, so no `start` is lost in between.
    this.#running = null;
  }
}
