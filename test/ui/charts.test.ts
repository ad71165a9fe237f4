// What charts compute, without a browser.

import assert from "node:assert/strict";
import test from "node:test";
import { acceptedByHour } from "#ui/parts/charts/outcomes.ts";
import { heights, linePath } from "#ui/parts/charts/scale.ts";

test("the hours of a gateway's line add up to the number beside it, also for messages without an outcome", () => {
  const none = { sent: 0, delivered: 0, read: 0, undelivered: 0, failed: 0, bounced: 0, expired: 0 };
  const rest = { cancelled: 0, suppressed: 0, unknown: 0, wait_ms: null, delivery_ms: null };
  const points = [10, 12].map((hour) => ({
    ...none,
    ...rest,
    at: `2026-01-01T${hour}:00:00.000Z`,
    accepted: hour,
    // What was accepted before may end in this hour.
    failed: 40,
  }));
  const range = { after: "2026-01-01T10:00:00.000Z", before: "2026-01-01T12:20:00.000Z" };
  assert.deepEqual(
    acceptedByHour(range, { points } as unknown as Parameters<typeof acceptedByHour>[1]),
    [10, 0, 12],
  );
  assert.deepEqual(acceptedByHour(range, undefined), [0, 0, 0]);
});

test("heights begin at the ground, hold the largest value and have whole ticks", () => {
  for (const max of [0, 1, 7, 99, 1_234_567]) {
    const { y, ticks } = heights(max, 160);
    assert.equal(y(0), 160);
    assert.ok(y(max) >= 0, String(max));
    assert.ok(ticks.length > 0 && ticks.every((tick) => Number.isInteger(tick)), String(max));
  }
});

test("a line goes through its values from edge to edge, also when there is one or none differs", () => {
  assert.equal(linePath([0, 10], 100, 20), "M0,20L100,0");
  assert.equal(linePath([0, 0, 0], 100, 20), "M0,20L50,20L100,20");
  assert.match(linePath([5], 100, 20), /^M0,/);
});
