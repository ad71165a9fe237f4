// Limits the wait for the storage: a call falls back to what is cached instead of hanging.

import { LightAbortController } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";

export const timedOut = Symbol("late");

/** The result of `work`, or `timedOut` after `ms`. The work continues; if it fails later, the error is ignored. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | typeof timedOut> {
  const timer = new LightAbortController();
  const overdue = clock.sleep(ms, timer).then(async (): Promise<typeof timedOut> => {
    // After a pause of the whole process, results that arrived in the meantime are delivered first.
    if (!timer.aborted) await clock.sleep(0, timer);
    return timedOut;
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    timer.abort();
  }
}
