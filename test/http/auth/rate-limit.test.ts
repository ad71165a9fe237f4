// The token bucket, on a clock that is moved by hand.

import assert from "node:assert/strict";
import test from "node:test";
import { createRateLimit } from "#http/auth/rate-limit.ts";
import { movableClock } from "#runtime/movable-clock.ts";

test("a burst of a minute's worth passes, then one per interval", async () => {
  const clock = movableClock();
  const take = createRateLimit(clock);
  for (let at = 0; at < 60; at++) assert.equal(take("a", 60), 0);
  assert.equal(take("a", 60), 1_000);
  await clock.advance(400);
  assert.equal(take("a", 60), 600);
  await clock.advance(600);
  assert.equal(take("a", 60), 0);
  assert.equal(take("a", 60), 1_000);
});

test("a refused request costs nothing", async () => {
  const clock = movableClock();
  const take = createRateLimit(clock);
  take("a", 1);
  for (let at = 0; at < 100; at++) assert.equal(take("a", 1), 60_000);
  await clock.advance(60_000);
  assert.equal(take("a", 1), 0);
});

test("never more than a minute's worth is saved up, and never more passes in an hour than the rate", async () => {
  const clock = movableClock();
  const take = createRateLimit(clock);
  let passed = 0;
  for (let at = 0; at < 3_600; at++) {
    if (take("a", 10) === 0) passed++;
    await clock.advance(1_000);
  }
  assert.equal(passed, 10 + 599);
  await clock.advance(3_600_000);
  for (let at = 0; at < 10; at++) assert.equal(take("a", 10), 0);
  assert.notEqual(take("a", 10), 0);
});

test("accounts do not share", () => {
  const take = createRateLimit(movableClock());
  assert.equal(take("a", 1), 0);
  assert.equal(take("b", 1), 0);
  assert.notEqual(take("a", 1), 0);
});

test("a changed rate counts at once", () => {
  const take = createRateLimit(movableClock());
  for (let at = 0; at < 100; at++) take("a", 100);
  assert.equal(take("a", 100), 600);
  assert.equal(take("a", 1_000), 60);
  assert.equal(take("a", 0), 60_000);
});

test("the account unused for longest is forgotten first", () => {
  const take = createRateLimit(movableClock(), 2);
  take("a", 1);
  take("b", 1);
  take("a", 1);
  take("c", 1);
  assert.notEqual(take("a", 1), 0);
  assert.equal(take("b", 1), 0);
});

test("looking costs nothing and says what taking would", () => {
  const take = createRateLimit(movableClock());
  for (let at = 0; at < 10; at++) assert.equal(take("a", 1, 0), 0);
  assert.equal(take("a", 1), 0);
  assert.equal(take("a", 1, 0), 60_000);
});
