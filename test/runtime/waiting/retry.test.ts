// Waits before another try: how they grow, their bound, and what randomness does to them.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { retryDelay } from "#runtime/waiting/retry.ts";

const rule = { firstMs: 1000, maxMs: 6000 };
const attempts = [1, 2, 3, 4, 5000];

test("waits double up to the longest", () => {
  assert.deepEqual(
    attempts.map((attempt) => retryDelay(rule, attempt, "none")),
    [1000, 2000, 4000, 6000, 6000],
  );
});

test("each jitter has its bounds", () => {
  const bounds = (jitter: "tenth" | "half" | "above_first") =>
    attempts.map((attempt) => [0, 1].map((random) => retryDelay(rule, attempt, jitter, random)));
  assert.deepEqual(bounds("tenth"), [
    [900, 1100],
    [1800, 2200],
    [3600, 4400],
    [5400, 6600],
    [5400, 6600],
  ]);
  assert.deepEqual(bounds("half"), [
    [500, 1000],
    [1000, 2000],
    [2000, 4000],
    [3000, 6000],
    [3000, 6000],
  ]);
  assert.deepEqual(bounds("above_first"), [
    [1000, 2000],
    [1000, 4000],
    [1000, 6000],
    [1000, 6000],
    [1000, 6000],
  ]);
});

const standard = { firstMs: 5_000, maxMs: 900_000 };

test("the ceiling doubles from try to try, up to the longest wait", () => {
  const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) =>
    retryDelay(standard, attempt, "above_first", 1),
  );
  assert.deepEqual(ceilings, [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 900_000, 900_000]);
});

test("a wait is never shorter than the first nor longer than the longest, however often it was tried", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const delay = retryDelay(standard, attempt, "above_first", random);
        assert.ok(delay >= standard.firstMs && delay <= standard.maxMs, String(delay));
      },
    ),
  );
});

test("a longest wait below the first one does not make a wait shorter than the first", () => {
  assert.equal(retryDelay({ firstMs: 5_000, maxMs: 100 }, 3, "above_first", 0.5), 5_000);
});
