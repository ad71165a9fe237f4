// A clock that does not move until a test moves it. Sleepers wake one at a time, in the order of their due
// times (of their making, when equal), and between two of them everything that can run without time passing
// does run: so a loop that sleeps again inside the window is woken again, and a run repeats exactly.

import type { Clock } from "./runtime.ts";

export interface MovableClock extends Clock {
  /** Moves time by `ms`, waking all that falls due on the way, and settles. */
  advance(ms: number): Promise<void>;
  /** Moves time to an epoch instant, as `advance` does. An instant that has passed is an error. */
  advanceTo(epochMs: number): Promise<void>;
  /** Sets the wall clock as an operator might, backwards too. Monotonic time and sleepers are unmoved. */
  setNow(epochMs: number): void;
  /** How many sleeps are waiting. */
  sleeping(): number;
  /** The epoch instant at which the next sleeper is due, by the present wall clock, or null. */
  nextDue(): number | null;
  /** Lets everything run that needs no time: microtasks, setImmediate, and then `idle`. */
  settle(): Promise<void>;
  /** Takes the place of `idle`, for systems that are built after their clock. */
  settleWith(idle: () => Promise<void>): void;
}

interface MovableClockOptions {
  /** Resolves when real work outside this thread (a worker, a socket) is done; asked whenever the clock settles. */
  idle?: () => Promise<void>;
}

interface Sleeper {
  dueAt: number;
  wake: () => void;
}

/** How many turns of the event loop count as settled: enough for a few steps that each hand over by setImmediate. */
const turns = 4;

/** Starts at `start` (epoch ms; default 2026-01-01T00:00:00Z), with monotonic time at 0. */
export function movableClock(start = 1_767_225_600_000, options: MovableClockOptions = {}): MovableClock {
  let elapsed = 0;
  let epoch = start;
  let idle = options.idle ?? null;
  /** By due time; equal ones in the order of their making. */
  const sleepers: Sleeper[] = [];

  async function settle(): Promise<void> {
    await runTurns();
    if (idle === null) return;
    await idle();
    await runTurns();
  }

  async function advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`A clock advances by 0 ms or more, not ${ms}.`);
    const target = elapsed + ms;
    await settle();
    for (let next = sleepers[0]; next !== undefined && next.dueAt <= target; next = sleepers[0]) {
      elapsed = Math.max(elapsed, next.dueAt);
      next.wake();
      await settle();
    }
    elapsed = target;
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    // As on the system's clock, a sleep of nothing ends by itself.
    if (!(ms > 0)) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        dueAt: elapsed + ms,
        wake: () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1);
          signal?.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      const behind = sleepers.findIndex((other) => other.dueAt > sleeper.dueAt);
      sleepers.splice(behind === -1 ? sleepers.length : behind, 0, sleeper);
      signal?.addEventListener("abort", sleeper.wake);
    });
  }

  return {
    now: () => epoch + elapsed,
    monotonic: () => elapsed,
    steady: () => start + elapsed,
    sleep,
    advance,
    advanceTo: (epochMs) => advance(epochMs - epoch - elapsed),
    setNow: (epochMs) => {
      epoch = epochMs - elapsed;
    },
    sleeping: () => sleepers.length,
    nextDue: () => (sleepers[0] === undefined ? null : epoch + sleepers[0].dueAt),
    settle,
    settleWith: (hook) => {
      idle = hook;
    },
  };
}

async function runTurns(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
