// The pace of a gateway and of its kind.

import assert from "node:assert/strict";
import test from "node:test";
import { paceOf } from "#gateways/rules.ts";

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
