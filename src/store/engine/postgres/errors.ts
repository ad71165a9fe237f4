// Classifies errors of PostgreSQL, its driver or an operation for the caller.

import { StorageError, type StorageFault } from "#store/database.ts";

/** Errors that came from the server or the connection. Any other error of an operation is a bug, even if it resembles these. */
const fromConnection = new WeakSet<object>();

/** Marks an error as coming from the server or the connection. */
export function recordConnectionError(error: unknown): void {
  if (typeof error === "object" && error !== null) fromConnection.add(error);
}

/**
 * PostgreSQL's codes: five characters, of classes that begin with a digit, F, H, P or X (appendix A of its manual).
 * Codes of sockets may have five characters as well: EPIPE.
 */
const isState = (code: string) => /^[0-9FHPX][0-9A-Z]{4}$/.test(code);

/** Classes that mean that the server is unreachable or has no room: nothing was stored, and it is safe to retry. */
const awayClasses = /^(08|53|57)/;
const awayStates = new Set([
  "25006", // read-only: a standby, or a failover in progress
  "25P03", // ended by the server because this process stalled inside a transaction
  "25P04", // the same, for a transaction that took too long
  "55P03", // a lock could not be obtained within lock_timeout
]);

/** The fault of an error that was thrown while an operation ran. */
export function faultOf(error: unknown): StorageFault {
  if (error instanceof StorageError) return error.fault;
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  if (isState(code)) {
    if (code === "53100") return "full";
    if (code.startsWith("58") || code === "XX001" || code === "XX002") return "io";
    return awayClasses.test(code) || awayStates.has(code) ? "unavailable" : "failed";
  }
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)
    return "failed";
  // The rest are socket errors (ECONNRESET), or have no code at all (the driver's "Connection terminated").
  return typeof error === "object" && error !== null && fromConnection.has(error) ? "unavailable" : "failed";
}

/** The fault when no connection could be obtained: the caller cannot do anything about it, and nothing was stored. */
export function connectFaultOf(error: unknown): StorageFault {
  const fault = faultOf(error);
  return fault === "failed" ? "unavailable" : fault;
}

/**
 * Whether the statement has a name on its connection, and a newer release has changed its table since it was planned ("cached plan must not
 * change result type"): another connection plans it anew.
 */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown };
  return code === "0A000" && routine === "RevalidateCachedQuery";
}

/** Whether the server is reachable but refuses this connection for now: it has too many, or is starting or stopping. */
export function isTemporaryRefusal(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  return code === "53300" || code === "57P03";
}

/** Socket and DNS codes for a server that is not reachable: it may not have started yet. */
const absentCodes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT", // a Unix socket
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
]);

/**
 * Whether a start should wait for a connection: the server refuses for now, or is not reachable yet. Waiting does not help against a wrong
 * password or a missing database.
 */
export function mayComeUp(error: unknown): boolean {
  return isTemporaryRefusal(error) || absentCodes.has((error as { code?: unknown } | null)?.code);
}

export function storageError(error: unknown, what: string, fault = faultOf(error)): StorageError {
  if (error instanceof StorageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(fault, `${what}: ${message}`, { cause: error });
}
