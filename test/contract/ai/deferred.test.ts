// The headers that defer a completion, and the shape in which it is shown.

import assert from "node:assert/strict";
import test from "node:test";
import { presentDeferred, readDeferral } from "#contract/ai/deferred.ts";

test("without the header nothing is deferred", () => {
  assert.deepEqual(readDeferral({}, true), { deferred: false });
});

test("with it, now or at a time", () => {
  const deliver = { "x-trunkline-deliver": "webhook" };
  assert.deepEqual(readDeferral(deliver, false), { deferred: true, scheduleAt: null });
  const later = { ...deliver, "x-trunkline-schedule-at": "2027-01-01 02:00:00" };
  assert.deepEqual(readDeferral(later, false), { deferred: true, scheduleAt: "2027-01-01 02:00:00" });
});

test("what it refuses names the parameter", () => {
  for (const [headers, stream, param] of [
    [{ "x-trunkline-deliver": "email" }, false, "X-Trunkline-Deliver"],
    [{ "x-trunkline-schedule-at": "2027-01-01 02:00:00" }, false, "X-Trunkline-Schedule-At"],
    [{ "x-trunkline-deliver": "webhook" }, true, "stream"],
  ] as const) {
    const refused = readDeferral(headers, stream);
    assert.ok("problem" in refused);
    assert.equal((refused.body as { error: { param: string } }).error.param, param);
  }
});

test("times are shown in UTC", () => {
  const at = Date.UTC(2027, 0, 1);
  const state = { id: "cmp_1", status: "failed", attempts: 3, created_at: at, scheduled_for: at } as const;
  assert.deepEqual(presentDeferred({ ...state, expires_at: at + 1, finished_at: at + 2 }), {
    id: "cmp_1",
    object: "deferred_completion",
    status: "failed",
    attempts: 3,
    created_at: "2027-01-01T00:00:00.000Z",
    scheduled_for: "2027-01-01T00:00:00.000Z",
    expires_at: "2027-01-01T00:00:00.001Z",
    finished_at: "2027-01-01T00:00:00.002Z",
  });
});
