// A journal that is flushed to disk before anything about its lines is answered: what it holds happened, also when
// the other side got no answer. One flush may serve many lines.

import { fdatasync, openSync, readFileSync, write } from "node:fs";
import { promisify } from "node:util";

const flush = promisify(fdatasync);
const append = promisify(write);

export interface Journal {
  /** Resolves when the line is on disk. */
  add(line: object): Promise<void>;
}

/** Opens (or makes) a journal; `flushed` gets how many lines each flush took. */
export function openJournal(path: string, flushed: (lines: number) => void = () => {}): Journal {
  const descriptor = openSync(path, "a");
  let waiting: { line: string; done: () => void }[] = [];
  let flushing = false;
  async function flushAll(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await append(descriptor, group.map(({ line }) => line).join(""));
      await flush(descriptor);
      flushed(group.length);
      for (const { done } of group) done();
    }
    flushing = false;
  }
  return {
    add: (line) =>
      new Promise((done) => {
        waiting.push({ line: `${JSON.stringify(line)}\n`, done });
        if (!flushing) void flushAll();
      }),
  };
}

/** The whole lines of a journal, in order. */
export function readJournal<T>(path: string): T[] {
  const lines = readFileSync(path, "utf8").split("\n");
  // What follows the last line end is a line being written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as T);
}
