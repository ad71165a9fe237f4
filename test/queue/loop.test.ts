// A background loop: turns, waits, failed turns, and its end.

import assert from "node:assert/strict";
import test from "node:test";
import { type LoopOptions, openLoop } from "#queue/loop.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../log.ts";

const lane = { id: "reroute", fence: 3 };

/** A loop whose turns are recorded by their time; `turn` gets the number of the turn, from 1. */
function looping(
  turn: (count: number, signal: AbortSignal) => Promise<number>,
  options?: Partial<LoopOptions>,
) {
  const clock = movableClock();
  const log = memoryLog();
  const turns: number[] = [];
  const loop = openLoop(lane, {
    clock,
    log,
    turn: (signal) => {
      turns.push(clock.monotonic());
      return turn(turns.length, signal);
    },
    failure: { event: "loop.failed", message: "The turn failed." },
    ...options,
  });
  const startedAt = clock.monotonic();
  return { clock, log, loop, at: () => turns.map((time) => time - startedAt) };
}

test("the first turn begins at once, each further one after the wait that the turn returned; 0 is no wait", async () => {
  const { clock, loop, at } = looping(async (count) => [0, 0, 1000, 5000][count - 1] ?? 60_000);
  await clock.advance(6000);
  assert.deepEqual(at(), [0, 0, 0, 1000, 6000]);
  assert.deepEqual([loop.id, loop.fence, loop.inFlight], ["reroute", 3, 0]);
  await loop.stop();
});

test("wake begins the next turn before its time, also when it comes during a turn", async () => {
  let finish: () => void = () => {};
  const { clock, loop, at } = looping(async (count) => {
    if (count === 2)
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    return 60_000;
  });
  await clock.advance(10);
  loop.wake();
  await clock.settle();
  assert.deepEqual(at(), [0, 10]);
  loop.wake();
  await clock.advance(5);
  finish();
  await clock.settle();
  assert.deepEqual(at(), [0, 10, 15]);
  await clock.advance(59_999);
  assert.equal(at().length, 3);
  await clock.advance(1);
  assert.equal(at().length, 4);
  await loop.stop();
});

test("a failed turn is logged and repeated after a wait that doubles up to a bound, and that wake does not shorten", async () => {
  const { clock, log, loop, at } = looping(
    async (count) => {
      if (count <= 4 || count === 6) throw new Error("no storage");
      return 100;
    },
    { retry: { firstMs: 500, maxMs: 1500 } },
  );
  await clock.settle();
  loop.wake();
  await clock.advance(499);
  assert.deepEqual(at(), [0]);
  await clock.advance(4500);
  // The wake was remembered: the turn after the first that succeeds begins at once. Its failure starts at the least wait.
  assert.deepEqual(at().slice(0, 7), [0, 500, 1500, 3000, 4500, 4500, 5000].slice(0, at().length));
  await clock.advance(1);
  assert.deepEqual(at(), [0, 500, 1500, 3000, 4500, 4500, 5000]);
  assert.match(log.text(), /"event":"loop\.failed"/);
  assert.match(log.text(), /The turn failed\./);
  assert.match(log.text(), /no storage/);
  await loop.stop();
});

test("stop ends a wait, a retry and a turn that listens to its signal, and no turn begins after it", async () => {
  for (const turn of [
    async () => 60_000,
    async () => {
      throw new Error("no storage");
    },
    (_: number, signal: AbortSignal) =>
      new Promise<number>((resolve) => signal.addEventListener("abort", () => resolve(0))),
  ]) {
    const { clock, loop, at } = looping(turn);
    await clock.settle();
    await loop.stop();
    assert.equal(clock.sleeping(), 0);
    await clock.advance(600_000);
    assert.deepEqual(at(), [0]);
  }
});
