// Whether storage works, judged by the outcome of its calls; readiness reports it. A check performs a read, and fails if that fails. After
// a fault of any call it also performs a write, until one has succeeded that began after the fault: a server that became read-only still
// answers reads. A broken connection among working ones is not a fault of storage: a call that fails for lack of a connection is retried on
// another one. A full or failing disk is also reported for `diskFaultShownMs`, since small writes succeed on it between large ones that
// fail.

import type { Clock } from "#runtime/runtime.ts";
import { type Database, type Operation, StorageError, type StorageFault } from "#store/database.ts";
import { probeRead, probeWrite } from "./probe.ts";

const diskFaultShownMs = 2_000;
/** Storage that takes longer to answer a check does not work. */
const maxCheckMs = 5_000;

/** Disk faults, which depend on the size of the write. */
const ofDisk: ReadonlySet<StorageFault> = new Set(["full", "io"]);

interface Fault {
  fault: StorageFault;
  /** Monotonic ms. */
  at: number;
  /** A write that began after the fault has succeeded. */
  over: boolean;
}

/**
 * Tracks whether storage works from the outcomes of the calls that are made anyway. `check`: "ok", or a fault in plain words; concurrent
 * checks share one run.
 */
export function watchStorage(
  database: Database,
  clock: Clock,
): { database: Database; check(): Promise<string> } {
  let last: Fault | null = null;
  const run = async <I, O>(operation: Operation<I, O>, input: I): Promise<O> => {
    const before = last;
    try {
      const output = await database.run(operation, input);
      if (before !== null && operation.access === "write") before.over = true;
      return output;
    } catch (error) {
      if (error instanceof StorageError && error.fault !== "failed")
        last = { fault: error.fault, at: clock.monotonic(), over: false };
      throw error;
    }
  };
  const ask = async () => {
    await run(probeRead, null);
    if (last !== null && !last.over) await run(probeWrite, clock.now());
  };
  const runCheck = async (): Promise<string> => {
    try {
      await ask().catch((error) => {
        if (error instanceof StorageError && ofDisk.has(error.fault)) throw error;
        return ask();
      });
    } catch (error) {
      return `storage is ${error instanceof StorageError ? error.fault : "failed"}`;
    }
    const shown = last !== null && ofDisk.has(last.fault) && clock.monotonic() - last.at < diskFaultShownMs;
    return last !== null && shown ? `storage is ${last.fault}` : "ok";
  };
  let currentCheck: Promise<string> | null = null;
  return {
    database: { ...database, run },
    check: async () => {
      currentCheck ??= runCheck().finally(() => {
        currentCheck = null;
      });
      const patience = new AbortController();
      const late = clock.sleep(maxCheckMs, patience.signal).then(() => "storage does not answer");
      const result = await Promise.race([currentCheck, late]);
      patience.abort();
      return result;
    },
  };
}
