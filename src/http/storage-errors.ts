// The reply while storage is unavailable, full or broken: 503 with `Retry-After`, in the shape of the endpoint's family.
// `endpoint()` catches the StorageError of every handler and gate, so that no route can answer 500 to an outage.

import { aiProblem } from "#contract/ai/openai-error.ts";
import { problem } from "#contract/problem.ts";
import type { Reply } from "#http/reply/response.ts";
import { StorageError, type StorageFault } from "#store/database.ts";
import type { Head } from "./call.ts";

const retryAfterMs = 5_000;

const unavailableMessage = "The storage is not available at the moment.";
const uncertainMessage =
  "The storage failed. It is not known whether this was done; look before you repeat it.";

/** Whether the error is lost infrastructure. A StorageError with the fault `failed` is a bug of ours, so it is not. */
export function isStorageOutage(error: unknown): error is StorageError {
  return error instanceof StorageError && error.fault !== "failed";
}

/** The 503 of this endpoint for the fault. */
export function storageErrorReply(head: Head, fault: StorageFault): Reply {
  const { family, method, unavailable, problems = [] } = head;
  if (family === "pool") return aiProblem("unavailable", { retryAfterMs });
  if (unavailable !== undefined) {
    const headers = { ...unavailable.headers, "Retry-After": String(retryAfterMs / 1_000) };
    return { ...unavailable, headers };
  }
  if (method === "GET") return problem("unavailable", { message: unavailableMessage, retryAfterMs });
  // A send resolves an uncertain commit itself; an error that arrives here occurred before the commit.
  if (problems.includes("commit_unknown")) return problem("unavailable", { retryAfterMs });
  // Any other change may use several transactions, so its reply must not promise that nothing was done.
  return problem(fault === "commit_unknown" ? "commit_unknown" : "unavailable", {
    message: uncertainMessage,
    retryAfterMs,
  });
}
