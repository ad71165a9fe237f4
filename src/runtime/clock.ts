// The operating system's clock. A sleep may be longer than a Node timer can hold (2^31 ms, 24.8 days: a
// longer delay silently becomes 1 ms), and an abort leaves neither a timer nor a listener behind.

import type { LightAbortSignal } from "./light-abort-controller.ts";
import type { Clock } from "./runtime.ts";

/** The longest delay that setTimeout honours. */
const maxTimerMs = 2 ** 31 - 1;

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    steady: () => Math.floor(performance.timeOrigin + performance.now()),
    sleep,
  };
}

/** Measured on the monotonic clock, so that a step of the wall clock neither shortens nor extends it. */
function sleep(ms: number, signal?: LightAbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  // A sleep of zero is one turn of the event loop; Node would make it a millisecond.
  if (ms <= 0) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const dueAt = performance.now() + ms;
    let timer: NodeJS.Timeout | undefined;
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    // A timer may also fire up to a millisecond early, because the event loop counts whole ones; no sleep may end early, so the rest is
    // waited for too.
    const wait = () => {
      const left = dueAt - performance.now();
      if (!(left > 0)) wake();
      else timer = setTimeout(wait, Math.min(maxTimerMs, Math.ceil(left)));
    };
    signal?.addEventListener("abort", wake, { once: true });
    timer = setTimeout(wait, Math.min(maxTimerMs, Math.max(0, Math.ceil(ms))));
  });
}
