// The system's clock against the real event loop, and the promises of the clock that other tests stand on.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { systemClock } from "#runtime/clock.ts";
import { movableClock } from "#runtime/movable-clock.ts";

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

describe("the system's clock", () => {
  const clock = systemClock();

  test("a sleep lasts at least its time, and leaves no listener behind", async () => {
    const controller = new AbortController();
    // A timer of Node alone wakes up to a millisecond early now and then.
    for (let i = 0; i < 30; i++) {
      const before = clock.monotonic();
      await clock.sleep(2.5, controller.signal);
      assert.ok(clock.monotonic() - before >= 2.5);
    }
    assert.equal(getEventListeners(controller.signal, "abort").length, 0);
  });

  for (const ms of [2 ** 31, 2 ** 31 + 5, 2 ** 40, Number.POSITIVE_INFINITY]) {
    test(`a sleep of ${ms} ms does not end at once, and an abort ends it and its timer`, async () => {
      const before = timers();
      const controller = new AbortController();
      let ended = false;
      const sleep = clock.sleep(ms, controller.signal).then(() => {
        ended = true;
      });
      // A delay over 2^31-1 handed to setTimeout fires after 1 ms.
      await clock.sleep(10);
      assert.equal(ended, false);
      controller.abort();
      await sleep;
      assert.equal(timers(), before);
      assert.equal(getEventListeners(controller.signal, "abort").length, 0);
    });
  }

  test("with an aborted signal it ends at once, and a time that has passed needs no abort", async () => {
    const before = timers();
    await clock.sleep(60_000, AbortSignal.abort());
    assert.equal(timers(), before);
    await clock.sleep(-5);
    await clock.sleep(Number.NaN);
    await clock.sleep(0);
  });

  test("steady is epoch milliseconds, and does not follow a clock that is set", (t) => {
    assert.ok(Math.abs(clock.steady() - Date.now()) < 60_000);
    const before = clock.steady();
    t.mock.method(Date, "now", () => 0);
    assert.ok(clock.steady() >= before);
    assert.ok(Number.isInteger(clock.steady()));
  });

  test("now is epoch milliseconds", () => {
    assert.ok(Math.abs(clock.now() - Temporal.Now.instant().epochMilliseconds) < 1000);
  });
});

describe("the movable clock", () => {
  test("does not move until it is moved, and both times follow", async () => {
    const clock = movableClock(1000);
    assert.deepEqual([clock.now(), clock.monotonic()], [1000, 0]);
    await clock.advance(250);
    assert.deepEqual([clock.now(), clock.monotonic()], [1250, 250]);
    await clock.advanceTo(2000);
    assert.deepEqual([clock.now(), clock.monotonic()], [2000, 1000]);
    await assert.rejects(clock.advanceTo(1999), RangeError);
  });

  test("wakes in due order, equal ones in the order of their making, at their own instants", async () => {
    const clock = movableClock(0);
    const woken: string[] = [];
    for (const [name, ms] of [
      ["c", 30],
      ["a", 10],
      ["b1", 20],
      ["b2", 20],
      ["late", 31],
    ] as const) {
      void clock.sleep(ms).then(() => woken.push(`${name}@${clock.now()}`));
    }
    assert.equal(clock.sleeping(), 5);
    assert.equal(clock.nextDue(), 10);
    await clock.advance(30);
    assert.deepEqual(woken, ["a@10", "b1@20", "b2@20", "c@30"]);
    assert.equal(clock.sleeping(), 1);
  });

  test("a loop that sleeps again inside the window is woken again, also across setImmediate", async () => {
    const clock = movableClock(0);
    const ticks: number[] = [];
    void (async () => {
      for (;;) {
        await clock.sleep(60_000);
        await new Promise((resolve) => setImmediate(resolve));
        ticks.push(clock.now());
      }
    })();
    await clock.advance(3 * 24 * 3600 * 1000);
    assert.equal(ticks.length, 3 * 24 * 60);
    assert.deepEqual(ticks.slice(0, 3), [60_000, 120_000, 180_000]);
  });

  test("two runs of interleaving loops are the same", async () => {
    const run = async () => {
      const clock = movableClock(0);
      const seen: string[] = [];
      const loop = async (name: string, ms: number) => {
        for (;;) {
          await clock.sleep(ms);
          seen.push(`${name}@${clock.now()}`);
        }
      };
      void loop("x", 7);
      void loop("y", 5);
      void loop("z", 35);
      await clock.advance(700);
      return seen;
    };
    assert.deepEqual(await run(), await run());
  });

  test("an abort wakes at once, without time, and leaves nothing behind", async () => {
    const clock = movableClock(0);
    const controller = new AbortController();
    const sleep = clock.sleep(50, controller.signal);
    controller.abort();
    await sleep;
    assert.deepEqual([clock.now(), clock.sleeping()], [0, 0]);
    assert.equal(getEventListeners(controller.signal, "abort").length, 0);
    await clock.sleep(50, AbortSignal.abort());
    await clock.sleep(0);
  });

  test("setting the wall clock moves neither monotonic time nor a sleeper", async () => {
    const clock = movableClock(100_000);
    let wokenAt = -1;
    void clock.sleep(50).then(() => {
      wokenAt = clock.monotonic();
    });
    await clock.advance(10);
    clock.setNow(5000);
    assert.deepEqual([clock.now(), clock.monotonic(), clock.nextDue()], [5000, 10, 5040]);
    await clock.advance(40);
    assert.deepEqual([wokenAt, clock.now()], [50, 5040]);
  });

  test("waits for real work outside the thread between two sleepers", async () => {
    const worker = new Worker(
      "require('node:worker_threads').parentPort.on('message', (n) => require('node:worker_threads').parentPort.postMessage(n * 2))",
      { eval: true },
    );
    const open: Promise<void>[] = [];
    const clock = movableClock(0, { idle: async () => void (await Promise.all(open.splice(0))) });
    const seen: string[] = [];
    const double = (n: number) => {
      const { promise, resolve } = Promise.withResolvers<number>();
      worker.once("message", resolve);
      worker.postMessage(n);
      open.push(promise.then(() => {}));
      return promise;
    };
    void (async () => {
      for (let n = 1; ; n++) {
        await clock.sleep(100);
        const doubled = await double(n);
        seen.push(`${doubled}@${clock.now()}`);
      }
    })();
    await clock.advance(300);
    await worker.terminate();
    assert.deepEqual(seen, ["2@100", "4@200", "6@300"]);
  });
});
