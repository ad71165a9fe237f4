// A background loop that is a lane, so that one process of the installation runs it at a time: fan-out, maintenance and
// rerouting. A turn that fails is repeated after a wait that grows; `wake` begins the next turn before its time.

import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import type { RetryRule } from "#runtime/waiting/retry.ts";
import type { OpenLane } from "./open-lane.ts";
import { storageRetry } from "./retry-storage.ts";

export interface LoopOptions {
  clock: Clock;
  log: Log;
  /** One turn. Returns how long to wait before the next, ms; 0: none. It should end soon after `signal` aborts. */
  turn(signal: AbortSignal): Promise<number>;
  /** The log message for a failed turn. */
  failure: { event: string; message: string };
  /** How long to wait after a failed turn. Default: as after a failed storage call. */
  retry?: RetryRule;
}

/** Starts the loop under the lane's fence. */
export function openLoop({ id, fence }: { id: string; fence: number }, options: LoopOptions): OpenLane {
  const { clock, log, turn, failure, retry = storageRetry } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const interval = new Interval({
    clock,
    log,
    signal,
    ms: 0,
    turn: () => turn(signal),
    failure: { ...failure, lane: id },
    retry,
  });
  interval.start();
  return {
    id,
    fence,
    inFlight: 0,
    wake: () => interval.wake(),
    stop: async () => {
      stopping.abort();
      await interval.ended();
    },
    abort: () => stopping.abort(),
  };
}
