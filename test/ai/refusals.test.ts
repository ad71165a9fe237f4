// Refused calls go behind the answers: counted for a second, kept while the storage is away, and written when the process stops.

import assert from "node:assert/strict";
import test from "node:test";
import { createRefusalLog } from "#ai/refusals.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError } from "#store/database.ts";
import type { RefusedCallsTable } from "#store/schema/pools.ts";
import { memoryLog } from "../log.ts";
import { poolKey } from "./pools/pool-keys.ts";

function counting() {
  const clock = movableClock(Date.UTC(2026, 0, 30, 23, 30));
  const written: [string, string, string, number][] = [];
  const last: [string, number | null, number | null][] = [];
  const storage = { isAway: false };
  const database = {
    run: async (_operation: unknown, rows: readonly RefusedCallsTable[]) => {
      if (storage.isAway) throw new StorageError("unavailable", "away");
      for (const { key_id, hour, part, calls, last_at, retry_at } of rows) {
        written.push([key_id, hour, part, calls]);
        last.push([key_id, last_at, retry_at]);
      }
      return null;
    },
  } as unknown as Database;
  const log = memoryLog();
  const refusals = createRefusalLog({ database, clock, log });
  return { clock, written, last, storage, log, refusals };
}

const hour = "2026-01-30T23:00:00.000Z";
// Berlin is an hour ahead.
const budget = '["2026-01-31","budget"]';

test("the refusals of a second are one write, added up by key, hour and what refused them", async () => {
  const { clock, written, last, refusals } = counting();
  const at = clock.now();
  refusals.refused(poolKey(), "budget", at, 60_000);
  refusals.refused(poolKey(), "budget", at + 20, 59_980);
  refusals.refused(poolKey(), "budget", at + 10, 1);
  refusals.refused(poolKey(), "requests", at, 1_500.5);
  refusals.refused(poolKey({ id: "key_2" }), "budget", at, 60_000);
  assert.deepEqual(written, []);
  await clock.advance(1_000);
  assert.deepEqual(written, [
    ["key_1", hour, budget, 3],
    ["key_1", hour, '["2026-01-31","requests"]', 1],
    ["key_2", hour, budget, 1],
  ]);
  assert.deepEqual(last, [
    ["key_1", at + 20, at + 60_000],
    ["key_1", at, at + 1_501],
    ["key_2", at, at + 60_000],
  ]);
  await refusals.stop();
  assert.equal(written.length, 3);
});

test("counts wait for a storage that is away, and the last second is written at the end", async () => {
  const { clock, written, storage, log, refusals } = counting();
  storage.isAway = true;
  refusals.refused(poolKey(), "budget", clock.now(), 60_000);
  await clock.advance(1_000);
  assert.match(log.text(), /usage.refusals_not_written/);
  refusals.refused(poolKey(), "budget", clock.now(), 60_000);
  storage.isAway = false;
  await clock.advance(1_000);
  assert.deepEqual(written, [["key_1", hour, budget, 2]]);
  refusals.refused(poolKey(), "budget", clock.now(), 60_000);
  await refusals.stop();
  assert.deepEqual(written.at(-1), ["key_1", hour, budget, 1]);
});
