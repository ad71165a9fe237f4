// Waits before another try: how they grow, their bound, and what randomness does to them.

import assert from "node:assert/strict";
import test from "node:test";
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
  // A first wait that is longer than the longest is the wait.
  assert.equal(retryDelay({ firstMs: 8000, maxMs: 6000 }, 3, "above_first", 0.9), 8000);
});
