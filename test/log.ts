// A log that a test can read back. It writes through the real one, so what it holds is what an operator
// would see, redactions included.

import { createLog, type LogLevel } from "#runtime/log/log.ts";
import type { Log } from "#runtime/runtime.ts";

export interface LogLine {
  level: string;
  time: string;
  msg: string;
  [field: string]: unknown;
}

export interface MemoryLog extends Log {
  /** The lines so far, oldest first. */
  lines(): LogLine[];
  /** The same, as the bytes that were written: for searches for what must not be there. */
  text(): string;
}

export function memoryLog(level: LogLevel = "debug"): MemoryLog {
  const written: string[] = [];
  const log = createLog({ level, gatherMs: 0, destination: { write: (line) => void written.push(line) } });
  return {
    ...log,
    lines: () => written.map((line) => JSON.parse(line) as LogLine),
    text: () => written.join(""),
  };
}
