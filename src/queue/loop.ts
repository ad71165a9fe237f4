// A background loop that is a lane, so that one process of the installation runs it at a time: fan-out, maintenance and
// rerouting. A turn that fails is repeated after a wait that grows; `wake` begins the next turn before its time.

import type { Clock, Log } from "#runtime/runtime.ts";
import { AutoResetEvent } from "#runtime/waiting/auto-reset-event.ts";
import type { OpenLane } from "./open-lane.ts";

const defaultRetryMs = { min: 500, max: 10_000 };

export interface LoopOptions {
  clock: Clock;
  log: Log;
  /** One turn. Returns how long to wait before the next, ms; 0: none. It should end soon after `signal` aborts. */
  turn(signal: AbortSignal): Promise<number>;
  /** What the log says when a turn fails. */
  failure: { event: string; message: string };
  /** How long to wait after a failed turn, ms; it doubles with each failure, and `wake` does not shorten it. */
  retryMs?: { min: number; max: number };
}

/** Starts the loop under the lane's fence. */
export function openLoop({ id, fence }: { id: string; fence: number }, options: LoopOptions): OpenLane {
  const { clock, log, turn, failure, retryMs = defaultRetryMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const wait = new AutoResetEvent();
  const abort = () => {
    stopping.abort();
    wait.set();
  };

  async function run(): Promise<void> {
    let nextRetryMs = retryMs.min;
    while (!signal.aborted) {
      try {
        const waitMs = await turn(signal);
        nextRetryMs = retryMs.min;
        if (waitMs > 0 && !signal.aborted) await wait.wait(clock, waitMs);
      } catch (error) {
        log.warn({ event: failure.event, lane: id, error }, failure.message);
        await clock.sleep(nextRetryMs, signal);
        nextRetryMs = Math.min(nextRetryMs * 2, retryMs.max);
      }
    }
  }

  const ended = run();
  return {
    id,
    fence,
    inFlight: 0,
    wake: () => wait.set(),
    stop: async () => {
      abort();
      await ended;
    },
    abort,
  };
}
