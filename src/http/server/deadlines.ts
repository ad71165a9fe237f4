// A time limit for many things at the cost of a set entry each: one timer for all of them instead of one per request. This works because
// all entries of one instance have the same limit, so the oldest is always the next to expire.

import type { Clock } from "#runtime/runtime.ts";

export interface Deadlines {
  /** Calls `expired` after the limit, unless the returned function was called before. */
  watch(expired: () => void): () => void;
  /** Forgets everything and ends the sleeper. */
  stop(): void;
}

/** Deadlines `limitMs` after each `watch`. */
export function createDeadlines(clock: Clock, limitMs: number): Deadlines {
  const waiting = new Set<{ at: number; expired: () => void }>();
  const stopping = new AbortController();
  let asleep = false;

  async function sweep(): Promise<void> {
    asleep = true;
    for (;;) {
      const [next] = waiting;
      if (next === undefined || stopping.signal.aborted) break;
      const left = next.at - clock.monotonic();
      if (left > 0) {
        await clock.sleep(left, stopping.signal);
        continue;
      }
      waiting.delete(next);
      next.expired();
    }
    asleep = false;
  }

  return {
    watch(expired) {
      const entry = { at: clock.monotonic() + limitMs, expired };
      waiting.add(entry);
      if (!asleep) void sweep();
      return () => waiting.delete(entry);
    },
    stop() {
      waiting.clear();
      stopping.abort();
    },
  };
}
