// What hangs is waited for up to a moment; what answers, or fails, within it counts as it is, and leaves no sleeper.

import assert from "node:assert/strict";
import test from "node:test";
import { timedOut, withTimeout } from "#ai/limits/timeout.ts";
import { movableClock } from "#runtime/movable-clock.ts";

test("what comes in time counts, with its failure too, and no sleeper remains", async () => {
  const clock = movableClock();
  assert.equal(await withTimeout(clock, 1_000, Promise.resolve("here")), "here");
  await assert.rejects(withTimeout(clock, 1_000, Promise.reject(new Error("away"))), /away/);
  assert.equal(clock.sleeping(), 0);
});

test("what does not is late from that moment on, not before; its failure after that is ignored", async () => {
  const clock = movableClock();
  let fail: (error: Error) => void = () => {};
  const work = new Promise<string>((_, reject) => {
    fail = reject;
  });
  let result: unknown = null;
  const waiting = withTimeout(clock, 1_000, work).then((answer) => {
    result = answer;
  });
  await clock.advance(999);
  assert.equal(result, null);
  await clock.advance(1);
  assert.equal(result, timedOut);
  fail(new Error("away"));
  await clock.settle();
  await waiting;
  assert.equal(clock.sleeping(), 0);
});
