// The comparison finds a difference that is there, and none that is not.

import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../harness.ts";
import { compare, foundAt } from "./statistics.ts";

/** About 100, with rare pauses. */
function samples(seed: number, mean: number, count = 5_000): number[] {
  const { random } = seededRandom(seed);
  const noise = () => random() + random() + random() - 1.5;
  return Array.from({ length: count }, () => mean + 20 * noise() + (random() < 0.02 ? 5_000 : 0));
}

test("two sets of one kind do not differ, and one that takes 2 % longer does", () => {
  assert.ok(Math.abs(compare(samples(1, 100), samples(2, 100)).t) < foundAt);
  const { t, difference, margin } = compare(samples(3, 100), samples(4, 102));
  assert.ok(t > foundAt, `t ${t}`);
  assert.ok(Math.abs(difference - 2) < 3 * margin, `${difference} ± ${margin}`);
});
