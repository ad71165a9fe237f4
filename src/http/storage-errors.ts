// What a caller is answered while storage is away, full or broken: 503 with `Retry-After`, in the shape of the
// endpoint's family. `endpoint()` sends every handler's and every gate's StorageError here, so that no route can
// answer 500 for an outage. The log gets one line at the start and then a count every few seconds: an outage of
// 12 s under load would otherwise write thousands of lines that all say the same.

import { aiProblem } from "#contract/ai/openai-error.ts";
import { problem } from "#contract/problem.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { StorageError, type StorageFault } from "#store/database.ts";
import type { Head } from "./endpoint.ts";
import type { Reply } from "./response.ts";

const retryAfterMs = 5_000;
/** Between two lines of the log while the trouble lasts. */
const countedMs = 5_000;

const away = "The storage is not available at the moment.";
const unsure = "The storage failed. It is not known whether this was done; look before you repeat it.";

/** Whether the error is lost infrastructure; a StorageError with the fault `failed` is a bug of ours, and is not. */
export function isStorageOutage(error: unknown): error is StorageError {
  return error instanceof StorageError && error.fault !== "failed";
}

/** The 503 for a request to this endpoint that met the fault. */
export function storageErrorReply(head: Head, fault: StorageFault): Reply {
  const { family, method, unavailable, problems } = head;
  if (family === "pool") return aiProblem("unavailable", { retryAfterMs });
  if (unavailable !== undefined) {
    const headers = { ...unavailable.headers, "Retry-After": String(retryAfterMs / 1_000) };
    return { ...unavailable, headers };
  }
  if (method === "GET") return problem("unavailable", { message: away, retryAfterMs });
  // A send finds out by itself what became of its commit, and answers that; whatever reaches us came before it.
  if (problems.includes("commit_unknown")) return problem("unavailable", { retryAfterMs });
  // Any other change may be more than one transaction, so none of them may say that nothing was done.
  return problem(fault === "commit_unknown" ? "commit_unknown" : "unavailable", {
    message: unsure,
    retryAfterMs,
  });
}

export interface StorageLog {
  /** Notes that a request met storage trouble. */
  record(where: { requestId: string; route: string; error: StorageError }): void;
  /** Writes the count that is left, and ends. */
  stop(): void;
}

/** The first trouble is written at once; while it lasts, one line every 5 s says how many requests met it since. */
export function createStorageLog(clock: Clock, log: Log): StorageLog {
  const stopping = new AbortController();
  let last: Parameters<StorageLog["record"]>[0] | null = null;
  let requests = 0;
  let counting = false;

  function write(): void {
    if (requests === 0 || last === null) return;
    const { requestId, route, error } = last;
    log.error({ requests, requestId, route, fault: error.fault, error }, "storage failed");
    requests = 0;
    last = null;
  }

  async function count(): Promise<void> {
    counting = true;
    while (requests > 0 && !stopping.signal.aborted) {
      write();
      await clock.sleep(countedMs, stopping.signal);
    }
    counting = false;
  }

  return {
    record(where) {
      requests += 1;
      last = where;
      if (stopping.signal.aborted) write();
      else if (!counting) void count();
    },
    stop() {
      stopping.abort();
      write();
    },
  };
}
