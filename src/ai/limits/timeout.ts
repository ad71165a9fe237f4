// Waits for the storage no longer than a call can: what hangs is as good as away, and there is something to go on by.

import { LightAbortController } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";

export const timedOut = Symbol("late");

/** What `work` comes to, or `late` when that takes longer than `ms`. The work goes on; its failure is then nobody's. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | typeof timedOut> {
  const patience = new LightAbortController();
  const overdue = clock.sleep(ms, patience).then(async (): Promise<typeof timedOut> => {
    // A process that stood still itself hears what has arrived meanwhile.
    if (!patience.aborted) await clock.sleep(0, patience);
    return timedOut;
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    patience.abort();
  }
}
