// The schedule: eight tries, the waits between them, and how far they may stray.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maxRetryAfterMs, nextTryMs } from "#webhooks/retry.ts";

const hour = 3_600_000;
const waits = [5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

test("the middle of the jitter is the schedule, and the eighth try is the last", () => {
  const schedule = Array.from({ length: 9 }, (_, i) => nextTryMs(i + 1, 0.5));
  assert.deepEqual(schedule, [...waits, null, null]);
});

test("±10 %", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const wait = nextTryMs(attempt, random)!;
        const middle = waits[attempt - 1]!;
        assert.ok(wait >= Math.floor(middle * 0.9) && wait <= Math.ceil(middle * 1.1), `${wait}`);
      },
    ),
  );
  assert.equal(nextTryMs(1, 0), 4500);
  assert.notEqual(nextTryMs(1, 0.1), nextTryMs(1, 0.9));
});

test("Retry-After lengthens a wait, up to ten hours, shortens none, and adds no try", () => {
  assert.equal(nextTryMs(1, 0.5, 60_000), 60_000);
  assert.equal(nextTryMs(2, 0.5, 60_000), 300_000);
  assert.equal(nextTryMs(1, 0.5, 50 * hour), maxRetryAfterMs);
  assert.equal(nextTryMs(8, 0.5, 60_000), null);
});
