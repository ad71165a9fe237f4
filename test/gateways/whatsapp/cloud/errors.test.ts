// The table of Graph errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pairWaitMs, ruleOf } from "#gateways/whatsapp/cloud/errors.ts";

test("a range of codes is about permissions, and an unlisted code has no rule", () => {
  for (const code of [200, 210, 299]) assert.deepEqual(ruleOf(code), { fault: "configuration" });
  for (const code of [199, 300, 131999, Number.NaN]) assert.equal(ruleOf(code), undefined);
});

test("only faults of the gateway pause it, and only transient ones wait", () => {
  for (let code = 0; code < 150_000; code++) {
    const rule = ruleOf(code);
    if (rule?.pauseMs !== undefined) assert.equal(rule.fault, "configuration", String(code));
    if (rule?.waitMs !== undefined) assert.equal(rule.fault, "transient", String(code));
    if (rule?.definite) assert.ok(["configuration", "transient"].includes(rule.fault), String(code));
  }
});

test("the wait for a recipient's pace is 4^n seconds, an hour at most", () => {
  assert.deepEqual([1, 2, 5, 6, 99].map(pairWaitMs), [4000, 16_000, 1_024_000, 3_600_000, 3_600_000]);
});
