// Standard output for the log when its reader is slow, has stopped, or is gone. The service continues in every case: an unread log must not
// delay messages, and a line that cannot be written must not end the process.

import { writeSync } from "node:fs";

interface StandardOutputOptions {
  /** The line, with its line feed, that reports how many lines were dropped. */
  lost(count: number): string;
  /** Writes some of the bytes and returns how many, as `fs.writeSync` does. Default: to standard output. */
  write?(bytes: Uint8Array): number;
}

/** Bytes that wait while standard output is blocked; some 15,000 lines. Further lines are counted and dropped. */
export const maxWaiting = 4 * 1024 * 1024;
/** How long to wait before the next try, ms. A pipe holds 64 kB, so a slow reader still gets 3 MB a second. */
const pauseMs = 20;
/** How long an exiting process waits for a blocked reader, ms. */
const exitMs = 1_000;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

function toStandardOutput(bytes: Uint8Array): number {
  // Reading it makes a pipe non-blocking: a full one is then an error (EAGAIN), and does not block the thread.
  void process.stdout;
  return writeSync(1, bytes);
}

/**
 * Standard output for whole lines, written at once, so that a crash loses none. Lines that cannot be written now (`EAGAIN`, a full disk)
 * wait, up to a limit, and are written in order later. Once there is no reader (`EPIPE`), lines are dropped. Terminals and files may block.
 */
export function standardOutput({ lost, write = toStandardOutput }: StandardOutputOptions): {
  write(lines: string): void;
} {
  let begun: Uint8Array = new Uint8Array(0);
  let behind = "";
  let behindBytes = 0;
  let leftOut = 0;
  let isPausing = false;
  let isClosed = false;
  let exitsAt: number | null = null;

  const isEmpty = () => begun.length === 0 && behind === "" && leftOut === 0;

  /** The next bytes to write; none if everything is written. */
  function next(): Uint8Array {
    if (begun.length > 0) return begun;
    if (behind === "" && leftOut > 0) {
      behind = lost(leftOut);
      leftOut = 0;
    }
    begun = Buffer.from(behind);
    behind = "";
    behindBytes = 0;
    return begun;
  }

  /** Writes until nothing waits (true) or output is blocked (false). */
  function drain(): boolean {
    while (!isClosed && next().length > 0) {
      try {
        const written = write(begun);
        if (written === 0) return false;
        begun = begun.subarray(written);
      } catch (error) {
        if (codeOf(error) !== "EPIPE") return false;
        isClosed = true;
      }
    }
    return true;
  }

  function drainLater(): void {
    if (isPausing) return;
    isPausing = true;
    setTimeout(() => {
      isPausing = false;
      if (!drain()) drainLater();
    }, pauseMs).unref();
  }

  /** The last thing that the process does. */
  function drainNow(until: number): void {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!drain() && performance.now() < until) Atomics.wait(pause, 0, 0, pauseMs);
  }

  process.once("exit", () => {
    exitsAt = performance.now() + exitMs;
    drainNow(exitsAt);
  });

  return {
    write(lines) {
      if (isClosed) return;
      const bytes = Buffer.byteLength(lines);
      const stalled = !isEmpty();
      if (leftOut > 0 || begun.length + behindBytes + bytes > maxWaiting) {
        leftOut += lines.split("\n").length - 1;
      } else {
        behind += lines;
        behindBytes += bytes;
      }
      if (exitsAt !== null) drainNow(exitsAt);
      else if (stalled || !drain()) drainLater();
    },
  };
}
