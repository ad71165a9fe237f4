// How a pace is halved and doubles again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { halvingsAt, slowedGap, slowUntil } from "#store/phones/slowdown.ts";

const hour = 3_600_000;

test("a pace doubles after each hour, until it is its own", () => {
  const slowdown = { halvings: 2, since: 1_000 };
  const at = (ms: number) => halvingsAt(slowdown, 1_000 + ms);
  assert.deepEqual(
    [at(-5), at(0), at(hour - 1), at(hour), at(2 * hour - 1), at(2 * hour), at(9 * hour)],
    [2, 2, 2, 1, 1, 0, 0],
  );
  assert.equal(slowUntil(slowdown), 1_000 + 2 * hour);
  assert.equal(halvingsAt(null, 0), 0);
});

test("a gateway without a pace is slowed down from one message a second", () => {
  assert.deepEqual(
    [slowedGap(0, 0), slowedGap(0, 1), slowedGap(6_000, 0), slowedGap(6_000, 3)],
    [0, 2_000, 6_000, 48_000],
  );
});
