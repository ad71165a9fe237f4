// The watchdog: barks once, when a step takes longer than it may, and never after it was stopped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Watchdog } from "#gateways/email/smtp/deadline.ts";
import { movableClock } from "#runtime/movable-clock.ts";

test("it barks once when the time is up", async () => {
  const clock = movableClock();
  let barks = 0;
  new Watchdog(clock, 1000, () => (barks += 1));
  await clock.advance(999);
  assert.equal(barks, 0);
  await clock.advance(1);
  assert.equal(barks, 1);
  await clock.advance(10_000);
  assert.equal(barks, 1);
  assert.equal(clock.sleeping(), 0);
});

test("a new step has its own time, counted from when it begins", async () => {
  const clock = movableClock();
  let barks = 0;
  const watchdog = new Watchdog(clock, 1000, () => (barks += 1));
  await clock.advance(900);
  watchdog.startStep(1000);
  await clock.advance(999);
  assert.equal(barks, 0);
  watchdog.startStep(600_000);
  await clock.advance(599_999);
  assert.equal(barks, 0);
  await clock.advance(1);
  assert.equal(barks, 1);
});

test("stopped, it says nothing and leaves nothing behind", async () => {
  const clock = movableClock();
  let barks = 0;
  const watchdog = new Watchdog(clock, 1000, () => (barks += 1));
  watchdog.stop();
  await clock.settle();
  assert.equal(clock.sleeping(), 0);
  await clock.advance(5000);
  assert.equal(barks, 0);
});
