// A wait that news can end, also news that came before it.

import assert from "node:assert/strict";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { AutoResetEvent } from "#runtime/waiting/auto-reset-event.ts";

async function waiting(wait: AutoResetEvent, ms: number) {
  const clock = movableClock();
  let over = false;
  const done = wait.wait(clock, ms).then(() => {
    over = true;
  });
  await clock.settle();
  return { clock, done, over: () => over };
}

test("lasts as long as it was asked to", async () => {
  const { clock, done, over } = await waiting(new AutoResetEvent(), 1000);
  await clock.advance(999);
  assert.equal(over(), false);
  await clock.advance(1);
  assert.equal(over(), true);
  await done;
});

test("ends early, and leaves no sleeper behind", async () => {
  const wait = new AutoResetEvent();
  const { clock, done, over } = await waiting(wait, 1000);
  wait.set();
  await clock.settle();
  assert.equal(over(), true);
  assert.equal(clock.sleeping(), 0);
  await done;
});

test("an end before the wait ends the next one, and only that", async () => {
  const wait = new AutoResetEvent();
  wait.set();
  wait.set();
  assert.equal((await waiting(wait, 1000)).over(), true);
  assert.equal((await waiting(wait, 1000)).over(), false);
});
