// What goes between the event loop and a SQLite thread: one message there, one back.

import type { StorageFault } from "#store/database.ts";

export interface Call {
  name: string;
  inputs: unknown[];
}

export type Work = { kind: "open" } | { kind: "run"; calls: Call[] } | { kind: "close" };

export type Answer = { ok: true; value: unknown } | { ok: false; fault: StorageFault; message: string };

/** A `Work` as JSON, alone or with its long texts. */
export type Posted = string | { work: string; texts: Uint8Array };

/** One list of answers a call, one answer an input. */
export interface Reply {
  answers: Answer[][];
}
