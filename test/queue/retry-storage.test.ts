// Calls that are repeated while the storage is away.

import assert from "node:assert/strict";
import test from "node:test";
import { retryStorage } from "#queue/retry-storage.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../log.ts";

const failure = { event: "lane.storage_failed", message: "The call failed.", call: "settle", lane: "gw_1" };

test("a call is repeated after 500 ms, doubling to 10 s, until it succeeds; each failure is logged", async () => {
  const clock = movableClock();
  const log = memoryLog();
  const times: number[] = [];
  const result = retryStorage({ clock, log }, new AbortController().signal, failure, async () => {
    times.push(clock.monotonic());
    if (times.length < 8) throw new Error("no storage");
    return "stored";
  });
  await clock.advance(60_000);
  assert.equal(await result, "stored");
  assert.deepEqual(times, [0, 500, 1500, 3500, 7500, 15_500, 25_500, 35_500]);
  assert.equal(log.text().match(/"event":"lane\.storage_failed".*"lane":"gw_1"/g)?.length, 7);
});

test("once the signal aborts there is one last try, and then the error", async () => {
  for (const succeedsLast of [true, false]) {
    const clock = movableClock();
    const stopping = new AbortController();
    let calls = 0;
    const result = retryStorage({ clock, log: memoryLog() }, stopping.signal, failure, async () => {
      calls += 1;
      if (calls === 2 && succeedsLast) return "stored";
      throw new Error("no storage");
    });
    const settled = result.catch((error: Error) => error.message);
    await clock.advance(100);
    stopping.abort();
    assert.equal(await settled, succeedsLast ? "stored" : "no storage");
    assert.equal(calls, 2);
    assert.equal(clock.sleeping(), 0);
  }
});
