// What waits behind the answers is bounded by what the records count for; the oldest go first, and each is counted once.
// `usage.test.ts` has the retries.

import assert from "node:assert/strict";
import test from "node:test";
import { createWriteBehind } from "#ai/write-behind.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { StorageError } from "#store/database.ts";
import { memoryLog } from "../log.ts";

test("records wait within the bound, in their order, in batches", async () => {
  const clock = movableClock();
  const batches: string[][] = [];
  let isAway = true;
  let dropped = 0;
  const writing = createWriteBehind<{ id: string; size: number }>({
    clock,
    log: memoryLog(),
    write: async (rows) => {
      if (isAway) throw new StorageError("unavailable", "away");
      batches.push(rows.map(({ id }) => id));
    },
    dropped: (count) => {
      dropped += count;
    },
    batchSize: 2,
    sizeOf: ({ size }) => size,
    maxPending: 10,
    words: { event: "test", many: "Records", one: "record" },
  });
  for (const [id, size] of [
    ["a", 4],
    ["b", 4],
    ["c", 1],
  ] as const)
    writing.record({ id, size });
  await clock.advance(2_000);
  assert.deepEqual([batches, dropped], [[], 0]);
  writing.record({ id: "d", size: 3 });
  assert.equal(dropped, 1);
  isAway = false;
  await clock.advance(1_000);
  assert.deepEqual(batches, [["b", "c"], ["d"]]);
  writing.record({ id: "e", size: 11 });
  assert.equal(dropped, 2, "one that is larger than the bound");
  writing.record({ id: "f", size: 10 });
  isAway = true;
  await writing.stop();
  assert.equal(dropped, 3);
});
