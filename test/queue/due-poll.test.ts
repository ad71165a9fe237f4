// The look at what is due on all lanes: once a poll, at once when asked, and again when storage was away.

import assert from "node:assert/strict";
import test from "node:test";
import { DuePoll } from "#queue/due-poll.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { Database } from "#store/database.ts";
import type { DueLane } from "#store/lanes/due.ts";
import { memoryLog } from "../log.ts";

function polling(answer: () => Promise<DueLane[]>) {
  const clock = movableClock();
  const asked: { at: number; until: number }[] = [];
  const notified: [string, number][] = [];
  const started = clock.now();
  const run = (_: unknown, { until }: { until: number }) => {
    asked.push({ at: clock.now() - started, until: until - clock.now() });
    return answer();
  };
  const poll = new DuePoll({
    database: { run } as unknown as Database,
    clock,
    log: memoryLog(),
    pollMs: 1000,
    due: (id, dueAt) => notified.push([id, dueAt]),
  });
  poll.start();
  return { clock, poll, asked, notified, times: () => asked.map(({ at }) => at) };
}

test("asks once a poll for what is due before the next but one, and tells it", async () => {
  const { clock, poll, asked, notified, times } = polling(async () => [{ id: "gw_1", dueAt: 7 }]);
  await clock.advance(2500);
  assert.deepEqual(times(), [0, 1000, 2000]);
  assert.ok(asked.every(({ until }) => until === 2000));
  assert.deepEqual(notified[0], ["gw_1", 7]);
  await poll.stop();
  await clock.advance(5000);
  assert.equal(asked.length, 3);
  assert.equal(clock.sleeping(), 0);
});

test("looks at once for lanes that were just opened, also when a look is under way", async () => {
  let answer: (rows: DueLane[]) => void = () => {};
  const { clock, poll, times } = polling(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await clock.settle();
  poll.pollNow();
  poll.pollNow();
  await clock.settle();
  assert.deepEqual(times(), [0], "one at a time");
  answer([]);
  await clock.settle();
  assert.deepEqual(times(), [0, 0], "and once more after it");
  answer([]);
  await clock.advance(500);
  poll.pollNow();
  await clock.settle();
  assert.deepEqual(times(), [0, 0, 500]);
  const stopped = poll.stop();
  answer([]);
  await stopped;
});

test("asks again soon when storage was away, and not more and more often than once a poll", async () => {
  let away = true;
  const { clock, poll, times } = polling(async () => {
    if (away) throw new Error("away");
    return [];
  });
  await clock.advance(3600);
  assert.deepEqual(times(), [0, 500, 1500, 2500, 3500]);
  away = false;
  await clock.advance(2900);
  assert.deepEqual(times().slice(5), [4500, 5500, 6500]);
  await poll.stop();
});
