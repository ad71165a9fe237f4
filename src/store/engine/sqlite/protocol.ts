// Messages between the event loop and a SQLite thread: one request, one reply.

import type { Changes } from "#store/changes.ts";
import type { StorageFault } from "#store/database.ts";

export interface Call {
  name: string;
  inputs: unknown[];
}

export type Access = "read" | "write";

/**
 * `crashAt`: `commit.before:N` or `commit.after:N`, the commit of the opened file at which the process kills itself. After a `close`
 * another file can be opened.
 */
export type Work =
  | { kind: "open"; path: string; access: Access; crashAt: string | null }
  | { kind: "run"; calls: Call[] }
  | { kind: "close" };

export type Answer = { ok: true; value: unknown } | { ok: false; fault: StorageFault; message: string };

/** A `Work` as JSON, alone or with its long texts. */
export type Posted = string | { work: string; texts: Uint8Array };

/** One list of answers per call, one answer per input. */
export interface Reply {
  answers: Answer[][];
  /** The changes of those calls that were committed. */
  changes?: readonly Changes[];
}
