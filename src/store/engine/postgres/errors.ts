// What an error of PostgreSQL, of its driver or of an operation means for the caller.

import { StorageError, type StorageFault } from "#store/database.ts";

/** Errors that came from the server or the connection. An operation's own error is a bug, even one that resembles these. */
const fromConnection = new WeakSet<object>();

/** Notes that an error came from the server or the connection. */
export function recordConnectionError(error: unknown): void {
  if (typeof error === "object" && error !== null) fromConnection.add(error);
}

/**
 * PostgreSQL's codes: five characters, of classes that begin with a digit, F, H, P or X (appendix A of its manual).
 * Codes of sockets may have five characters as well: EPIPE.
 */
const isState = (code: string) => /^[0-9FHPX][0-9A-Z]{4}$/.test(code);

/** Classes that say that the server is there no more, not yet, or has no room: nothing was stored, it is safe to repeat. */
const awayClasses = /^(08|53|57)/;
const awayStates = new Set([
  "25006", // read-only: a standby, or a failover in progress
  "25P03", // ended by the server because this process stood still inside a transaction
  "25P04", // the same, for a transaction that took too long
  "55P03", // a lock was not to be had within lock_timeout
]);

/** Which fault an error is that was thrown while an operation ran. */
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
  // The rest are the sockets' (ECONNRESET), or have no code at all (the driver's "Connection terminated").
  return typeof error === "object" && error !== null && fromConnection.has(error) ? "unavailable" : "failed";
}

/** Which fault it is that no connection was to be had: of this the caller can do nothing, and nothing was stored. */
export function connectFaultOf(error: unknown): StorageFault {
  const fault = faultOf(error);
  return fault === "failed" ? "unavailable" : fault;
}

/** Whether the server is there and refuses this connection for now: it has too many, or is starting or stopping. */
export function isTemporaryRefusal(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  return code === "53300" || code === "57P03";
}

/** Sockets' and DNS' codes for a server that is not there: it may not have started yet. */
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
 * Whether waiting may cure that a start gets no connection: the server refuses for now, or is not there yet. A wrong
 * password or a missing database is not cured by waiting.
 */
export function mayComeUp(error: unknown): boolean {
  return isTemporaryRefusal(error) || absentCodes.has((error as { code?: unknown } | null)?.code);
}

export function storageError(error: unknown, what: string, fault = faultOf(error)): StorageError {
  if (error instanceof StorageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(fault, `${what}: ${message}`, { cause: error });
}
