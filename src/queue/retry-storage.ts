// Retries calls of the storage, because outages end: 500 ms after the first failure, then after twice as long each time, up to 10 s.

import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { type RetryRule, retryDelay } from "#runtime/waiting/retry.ts";

export const storageRetry: RetryRule = { firstMs: 500, maxMs: 10_000 };

/**
 * Retries a call of the storage until it succeeds, because only this process knows what happened. Once `signal` aborts, it makes one last
 * try and throws the error of that. `failure`: the log message for each failure.
 */
export async function retryStorage<T>(
  { clock, log }: { clock: Clock; log: Log },
  signal: LightAbortSignal,
  { message, ...fields }: { event: string; message: string; call: string; lane?: string; gateway?: string },
  run: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      log.warn({ ...fields, error }, message);
      if (signal.aborted) throw error;
      await clock.sleep(retryDelay(storageRetry, attempt, "none"), signal);
    }
  }
}
