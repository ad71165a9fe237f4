// Whether storage works, as its own calls tell: readiness goes by it.

import type { Clock } from "#runtime/runtime.ts";
import { countAccounts } from "./accounts.ts";
import { type Database, type Operation, StorageError, type StorageFault } from "./database.ts";

/** After a fault readiness stays red for this long: on a full disk small writes still pass between large ones that do not. */
const faultShownMs = 10_000;

/** Keeps note of whether storage works, by what happens to the calls that are made anyway. `check`: "ok", or a fault in plain words. */
export function watchStorage(
  database: Database,
  clock: Clock,
): { database: Database; check(): Promise<string> } {
  let last: { fault: StorageFault; at: number } | null = null;
  const run = async <I, O>(operation: Operation<I, O>, input: I): Promise<O> => {
    try {
      return await database.run(operation, input);
    } catch (error) {
      if (error instanceof StorageError && error.fault !== "failed") {
        last = { fault: error.fault, at: clock.monotonic() };
      }
      throw error;
    }
  };
  return {
    database: { ...database, run },
    check: async () => {
      // A database that nobody asked for a while shows its faults here.
      await run(countAccounts, null).catch(() => {});
      const red = last !== null && clock.monotonic() - last.at < faultShownMs;
      return last !== null && red ? `storage is ${last.fault}` : "ok";
    },
  };
}
