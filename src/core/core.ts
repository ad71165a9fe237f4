// What nearly every component depends on. `system.ts` makes one for the process; a function takes the `Pick` that it
// needs, and a test passes exactly that.

import type { Metrics } from "#runtime/metrics.ts";
import type { Runtime } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import type { Sealer } from "#store/seal.ts";
import type { Signals } from "./signals.ts";

export interface Core extends Runtime {
  database: Database;
  /** A new id with the prefix; `many` makes several in ascending order. */
  newId: NewId;
  sealer: Sealer;
  metrics: Metrics;
  signals: Signals;
}

export interface NewId {
  (prefix: string): string;
  many(prefix: string, count: number): string[];
}
