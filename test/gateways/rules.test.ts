// The pace of a gateway and of its kind.

import assert from "node:assert/strict";
import test from "node:test";
import { paceOf } from "#gateways/rules.ts";

test("a kind's own pace counts where the gateway sets none", () => {
  const defaults = { perSecond: 0.5, jitterMs: 100, perDay: 9, maxConcurrency: 1 };
  const unset = { per_second: null, jitter_ms: 0, per_day: null, concurrency: 8, hours: "09:00-10:00" };
  assert.deepEqual(paceOf(unset, defaults), {
    per_second: 0.5,
    jitter_ms: 100,
    per_day: 9,
    concurrency: 1,
    hours: "09:00-10:00",
  });
  const set = { per_second: 3, jitter_ms: 1, per_day: 2, concurrency: 1, hours: null };
  assert.deepEqual(paceOf(set, defaults), set);
  assert.deepEqual(paceOf(unset, undefined), unset);
  const own = paceOf({ ...unset, per_second: 3 }, defaults);
  assert.deepEqual([own.per_second, own.jitter_ms, own.per_day], [3, 0, 9], "the jitter belongs to the rate");
});
