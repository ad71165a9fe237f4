// What configuring needs, on a fresh SQLite store, with a clock that a test moves and an outbound guard that
// judges URLs as the real one does.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConfigureDeps } from "#configure/resource.ts";
import { createIds } from "#runtime/ids.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { systemRandom } from "#runtime/random.ts";
import type { Random } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { createSealer } from "#store/seal.ts";
import { onChanges } from "../changes.ts";
import { type MemoryLog, memoryLog } from "../log.ts";
import { openCopied } from "../sqlite.ts";

export const masterKey = "a master key for these tests alone";

export interface TestDeps extends ConfigureDeps {
  clock: MovableClock;
  random: Random;
  log: MemoryLog;
  showApiKeys: boolean;
  /** How often accounts, lanes and pools were said to have changed. */
  notified: { accounts: number; lanes: number; pools: number };
}

export interface Configuring {
  deps: TestDeps;
  /** Every value of every column of every table, as text. */
  dump(): string;
  query(text: string, ...values: (string | number)[]): Record<string, unknown>[];
  close(): Promise<void>;
}

export async function openConfiguring(
  options: { allow?: string; showApiKeys?: boolean } = {},
): Promise<Configuring> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-configure-"));
  const path = join(folder, "trunkline.db");
  const database: Database = await openCopied(path);
  const raw = new DatabaseSync(path, { readOnly: true });
  const clock = movableClock();
  const random = systemRandom();
  const outbound = createOutbound({ allow: readAllowList(options.allow ?? "") });
  const notified = { accounts: 0, lanes: 0, pools: 0 };
  onChanges(database, {
    accounts: () => {
      notified.accounts += 1;
    },
    lanes: () => {
      notified.lanes += 1;
    },
    pools: () => {
      notified.pools += 1;
    },
  });
  const query: Configuring["query"] = (text, ...values) => raw.prepare(text).all(...values);
  return {
    deps: {
      database,
      clock,
      random,
      outbound,
      sealer: createSealer(masterKey, random),
      log: memoryLog(),
      showApiKeys: options.showApiKeys ?? true,
      newId: createIds(clock, random),
      notified,
    },
    query,
    dump: () =>
      query("select name from sqlite_master where type = 'table'")
        .flatMap(({ name }) => query(`select * from "${name}"`))
        .flatMap((row) => Object.values(row))
        .join("\n"),
    close: async () => {
      raw.close();
      await outbound.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
