// Repeated work: when its turns come, when it rests, what a failure does to it, and its end.

import assert from "node:assert/strict";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { Interval, type IntervalOptions } from "#runtime/waiting/interval.ts";
import { memoryLog } from "../../log.ts";

/** An interval of one second whose turns are recorded by their time; `turn` gets the number of the turn, from 1. */
function repeating(
  turn: (count: number) => ReturnType<IntervalOptions["turn"]>,
  options?: Partial<IntervalOptions>,
) {
  const clock = movableClock();
  const log = memoryLog();
  const stopping = new AbortController();
  const times: number[] = [];
  const interval = new Interval({
    clock,
    log,
    signal: stopping.signal,
    ms: 1000,
    turn: async () => {
      times.push(clock.monotonic());
      return turn(times.length);
    },
    failure: { event: "work.failed", message: "The work failed." },
    ...options,
  });
  return { clock, log, stopping, times, interval };
}

test("turns come once an interval after the last one's end; a second start adds none", async () => {
  const { clock, interval, stopping, times } = repeating(async () => clock.sleep(300));
  interval.start();
  interval.start(0);
  await clock.advance(4000);
  assert.deepEqual(times, [1000, 2300, 3600]);
  stopping.abort();
  await clock.advance(300);
  await interval.ended();
  await clock.advance(10_000);
  assert.equal(times.length, 3);
  assert.equal(clock.sleeping(), 0);
});

test("the first wait and the next one can be another; a wake ends one", async () => {
  const { clock, interval, stopping, times } = repeating((count) => (count === 1 ? 0 : 5000), {
    ms: () => 7000,
  });
  interval.start(0);
  await clock.advance(4999);
  assert.deepEqual(times, [0, 0]);
  interval.wake();
  await clock.settle();
  assert.deepEqual(times, [0, 0, 4999]);
  stopping.abort();
  await interval.ended();
  assert.equal(clock.sleeping(), 0);
});

test("an interval that is not needed rests until it is started, and a start at its last moment is kept", async () => {
  let work = 2;
  const { clock, interval, stopping, times } = repeating(
    () => {
      work -= 1;
      // In the microtask right after the turn, as a caller with new work would.
      if (work === 0 && times.length === 2) {
        queueMicrotask(() => {
          work += 1;
          interval.start();
        });
      }
    },
    { isNeeded: () => work > 0 },
  );
  interval.start();
  await clock.advance(10_000);
  assert.deepEqual(times, [1000, 2000, 3000]);
  assert.equal(clock.sleeping(), 0);
  work = 1;
  interval.start();
  await clock.advance(1000);
  assert.deepEqual(times, [1000, 2000, 3000, 11_000]);
  stopping.abort();
  await interval.ended();
});

test("a failed turn is logged; the next one comes after the usual wait, which no wake shortens", async () => {
  const { clock, log, interval, stopping, times } = repeating((count) => {
    if (count <= 2) throw new Error("no storage");
  });
  interval.start(0);
  await clock.settle();
  interval.wake();
  await clock.advance(999);
  assert.deepEqual(times, [0]);
  await clock.advance(1001);
  assert.deepEqual(times, [0, 1000, 2000, 2000], "the wake was kept for the first wait after a success");
  assert.equal(log.text().match(/"event":"work\.failed"/g)?.length, 2);
  stopping.abort();
  await interval.ended();
});

test("with a retry rule the waits after failures double, and a success begins them anew", async () => {
  const { clock, interval, stopping, times } = repeating(
    (count) => {
      if (count !== 4) throw new Error("no storage");
    },
    { retry: { firstMs: 100, maxMs: 300 } },
  );
  interval.start(0);
  await clock.advance(1700);
  assert.deepEqual(times, [0, 100, 300, 600, 1600, 1700]);
  stopping.abort();
  await interval.ended();
  assert.equal(clock.sleeping(), 0);
});

test("nothing begins after the signal", async () => {
  const { clock, interval, stopping, times } = repeating(() => {});
  stopping.abort();
  interval.start(0);
  await interval.ended();
  await clock.advance(10_000);
  assert.deepEqual(times, []);
});
