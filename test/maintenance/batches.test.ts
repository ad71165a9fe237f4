// The pacing of maintenance: how many batches a turn has, and where a scan begins.

import assert from "node:assert/strict";
import test from "node:test";
import { Batches, batchSize, minBatchSize } from "#maintenance/batches.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../log.ts";

const hourMs = 3_600_000;

function batchesOf(cursors = new Map()) {
  const clock = movableClock();
  const controller = new AbortController();
  const log = memoryLog();
  return { clock, log, controller, batches: new Batches({ clock, log }, cursors, controller.signal) };
}

test("batches end with the first that returns false, after a hundred, or with the signal", async () => {
  for (const [end, expected] of [
    ["done", 3],
    ["never", 100],
    ["aborted", 2],
  ] as const) {
    const { clock, controller, batches } = batchesOf();
    let count = 0;
    const run = batches.run(async () => {
      count += 1;
      if (end === "aborted" && count === 2) controller.abort();
      return end !== "done" || count < 3;
    });
    await clock.advance(10_000);
    await run;
    assert.equal(count, expected, end);
  }
});

test("the steps of one thing end when one returns true", async () => {
  const { clock, batches } = batchesOf();
  let count = 0;
  const run = batches.steps(async () => ++count === 4);
  await clock.advance(1_000);
  await run;
  assert.equal(count, 4);
});

test("a scan goes on where it stopped, and starts over after an hour with the size that it had", async () => {
  const cursors = new Map();
  const { clock, batches } = batchesOf(cursors);
  const first = batches.scan("rows");
  assert.deepEqual(first, {
    cursor: { after: "", startedAt: clock.monotonic(), limit: batchSize },
    isNew: true,
  });
  Object.assign(first.cursor, { after: "row 7", limit: minBatchSize });
  await clock.advance(hourMs - 1);
  assert.deepEqual(batches.scan("rows"), { cursor: first.cursor, isNew: false });
  await clock.advance(1);
  const { cursor, isNew } = batches.scan("rows");
  assert.deepEqual([cursor.after, cursor.limit, isNew], ["", minBatchSize, true]);
});

test("what was removed is logged once, and nothing is said of nothing", async () => {
  const { clock, log, batches } = batchesOf();
  const removed = [500, 20, 0];
  const run = (async () => {
    await batches.remove("rows", async () => ({
      deleted: removed.shift() ?? 0,
      next: removed.length > 1 ? "r" : null,
    }));
    await batches.remove("others", async () => ({ deleted: 0, next: null }));
  })();
  await clock.advance(1_000);
  await run;
  const lines = log.lines().filter(({ event }) => event === "maintenance.removed");
  assert.deepEqual(
    lines.map(({ what, removed: count }) => [what, count]),
    [["rows", 520]],
  );
});
