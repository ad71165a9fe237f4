// How long a message waits for its next try.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { paceOf, retryDelay } from "#gateways/rules.ts";

const usual = { firstMs: 5_000, maxMs: 900_000, forMs: 86_400_000 };

test("the ceiling doubles from try to try, up to the longest wait", () => {
  const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => retryDelay(usual, attempt, 1));
  assert.deepEqual(ceilings, [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000, 900_000, 900_000]);
});

test("a wait is never shorter than the first nor longer than the longest, however often it was tried", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, fraction) => {
        const delay = retryDelay(usual, attempt, fraction);
        assert.ok(delay >= usual.firstMs && delay <= usual.maxMs, String(delay));
      },
    ),
  );
});

test("a longest wait below the first one does not make a wait shorter than the first", () => {
  assert.equal(retryDelay({ firstMs: 5_000, maxMs: 100, forMs: 0 }, 3, 0.5), 5_000);
});

test("a kind's own pace counts where the gateway sets none", () => {
  const defaults = { perSecond: 0.5, jitterMs: 100, perDay: 9, maxConcurrency: 1 };
  const unset = { perSecond: null, jitterMs: 0, perDay: null, concurrency: 8, hours: "09:00-10:00" };
  assert.deepEqual(paceOf(unset, defaults), {
    perSecond: 0.5,
    jitterMs: 100,
    perDay: 9,
    concurrency: 1,
    hours: "09:00-10:00",
  });
  const set = { perSecond: 3, jitterMs: 1, perDay: 2, concurrency: 1, hours: null };
  assert.deepEqual(paceOf(set, defaults), set);
  assert.deepEqual(paceOf(unset, undefined), unset);
  const own = paceOf({ ...unset, perSecond: 3 }, defaults);
  assert.deepEqual([own.perSecond, own.jitterMs, own.perDay], [3, 0, 9], "the jitter belongs to the rate");
});
