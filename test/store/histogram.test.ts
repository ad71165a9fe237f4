// Percentiles out of counts: near enough to the true ones, for any counts, and the same however it was split.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { addDuration, type Histogram, merge, percentile } from "#store/histogram.ts";

function counted(durations: readonly number[]): Histogram {
  const histogram: Histogram = {};
  for (const ms of durations) addDuration(histogram, ms);
  return histogram;
}

const durations = fc.array(fc.integer({ min: 1, max: 3_600_000 }), { minLength: 1, maxLength: 200 });

test("a percentile is within 5 % of the true one, or half a millisecond", () => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99, 1), (list, share) => {
      const sorted = list.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1]!;
      const read = percentile(counted(list), share)!;
      assert.ok(Math.abs(read - exact) <= exact * 0.05 + 0.5, `${read} for ${exact}`);
    }),
  );
});

test("counts of parts add up to the counts of the whole", () => {
  fc.assert(
    fc.property(durations, durations, (one, other) => {
      const sum = counted(one);
      merge(sum, counted(other));
      assert.deepEqual(sum, counted([...one, ...other]));
      assert.deepEqual(JSON.parse(JSON.stringify(sum)), sum);
    }),
  );
});

test("nothing, nothing at all, and what is out of range", () => {
  assert.equal(percentile({}, 0.5), null);
  assert.equal(percentile(counted([0, -3, Number.NaN, 0.4]), 0.99), 1);
  const largest = percentile(counted([Number.MAX_VALUE, 10 ** 12]), 0.5)!;
  assert.ok(largest > 86_400_000 && Object.keys(counted([10 ** 12, 10 ** 13])).length === 1);
});
