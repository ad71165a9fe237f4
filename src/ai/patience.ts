// Waits for the storage no longer than a call can: what hangs is as good as away, and there is something to go on by.

import type { Clock } from "#runtime/runtime.ts";

export const late = Symbol("late");

/** One reason for all: by itself each abort makes a DOMException with a stack. */
const enough = new Error("no longer waited for");

/** What `work` comes to, or `late` when that takes longer than `ms`. The work goes on; its failure is then nobody's. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | typeof late> {
  const patience = new AbortController();
  const overdue = clock.sleep(ms, patience.signal).then(async (): Promise<typeof late> => {
    // A process that stood still itself hears what has arrived meanwhile.
    if (!patience.signal.aborted) await clock.sleep(0, patience.signal);
    return late;
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    patience.abort(enough);
  }
}
