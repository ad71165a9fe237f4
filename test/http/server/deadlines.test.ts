// Many limits of time on one sleeper.

import assert from "node:assert/strict";
import test from "node:test";
import { createDeadlines } from "#http/server/deadlines.ts";
import { movableClock } from "#runtime/movable-clock.ts";

test("each expires after its own time, unless it was taken back", async () => {
  const clock = movableClock();
  const deadlines = createDeadlines(clock, 30_000);
  const expired: string[] = [];
  deadlines.watch(() => expired.push("a"));
  await clock.advance(10_000);
  const takeBack = deadlines.watch(() => expired.push("b"));
  deadlines.watch(() => expired.push("c"));
  await clock.advance(19_999);
  assert.deepEqual(expired, []);
  await clock.advance(1);
  assert.deepEqual(expired, ["a"]);
  takeBack();
  await clock.advance(10_000);
  assert.deepEqual(expired, ["a", "c"]);
});

test("one sleeper serves all, and none is left when there is nothing to wait for", async () => {
  const clock = movableClock();
  const deadlines = createDeadlines(clock, 1_000);
  const takeBacks = Array.from({ length: 100 }, () => deadlines.watch(() => assert.fail("expired")));
  assert.equal(clock.sleeping(), 1);
  for (const takeBack of takeBacks) takeBack();
  await clock.advance(1_000);
  assert.equal(clock.sleeping(), 0);
  let late = false;
  deadlines.watch(() => {
    late = true;
  });
  await clock.advance(1_000);
  assert.equal(late, true);
});

test("stopping ends the sleeper and forgets the rest", async () => {
  const clock = movableClock();
  const deadlines = createDeadlines(clock, 1_000);
  deadlines.watch(() => assert.fail("expired"));
  deadlines.stop();
  await clock.advance(2_000);
  assert.equal(clock.sleeping(), 0);
});
