// The log of requests that fail because storage is unavailable. The first one is logged immediately, then a count every few seconds: an
// outage of 12 s under load would otherwise write thousands of identical lines.

import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import type { StorageError } from "#store/database.ts";

/** Time between two log lines during an outage. */
const logIntervalMs = 5_000;

export interface StorageLog {
  /** Counts a request that failed because of storage. */
  record(where: { requestId: string; route: string; error: StorageError }): void;
  /** Logs the requests that were counted since the last line, and stops the timer. */
  stop(): void;
}

/** Logs the first failure immediately; while failures continue, one line every 5 s has their number. */
export function createStorageLog(clock: Clock, log: Log): StorageLog {
  const stopping = new AbortController();
  let last: Parameters<StorageLog["record"]>[0] | null = null;
  let requests = 0;
  /** Requests in the last line. */
  let logged = 0;

  function write(): void {
    logged = 0;
    if (last === null) return;
    const { requestId, route, error } = last;
    log.error(
      { event: "storage.failed", requests, requestId, route, fault: error.fault, error },
      "Requests failed because the storage failed.",
    );
    logged = requests;
    requests = 0;
    last = null;
  }

  const lines = new Interval({
    clock,
    log,
    signal: stopping.signal,
    ms: logIntervalMs,
    isNeeded: () => requests + logged > 0,
    turn: write,
    failure: { event: "storage.log_failed", message: "Requests without storage could not be counted." },
  });

  return {
    record(where) {
      requests += 1;
      last = where;
      if (stopping.signal.aborted) write();
      else lines.start(0);
    },
    stop() {
      stopping.abort();
      write();
    },
  };
}
