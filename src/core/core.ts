// What nearly every component depends on. `system.ts` makes one for the process; a function takes the `Pick` that it
// needs, and a test passes exactly that.

import type { Metrics } from "#runtime/metrics.ts";
import type { Runtime } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import type { Sealer } from "#store/seal.ts";

export interface Core extends Runtime {
  database: Database;
  /** A new id with the prefix; sorts after all ids that this process made before. */
  newId(prefix: string): string;
  newIds(prefix: string, count: number): string[];
  sealer: Sealer;
  metrics: Metrics;
}
