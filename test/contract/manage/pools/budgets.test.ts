// Budgets that keys share: what may be said of them.

import assert from "node:assert/strict";
import test from "node:test";
import { sharedBudgetRules } from "#contract/manage/pools/budgets.ts";

test("bounds outside what can be counted are refused by field", () => {
  for (const input of [
    { tokens_per_day: 0 },
    { tokens_per_month: 1.5 },
    { cost_per_month: 0 },
    { low_percent: 100 },
    { low_percent: 0 },
    { per_day: 1 },
  ])
    assert.ok(!sharedBudgetRules.safeParse(input).success, JSON.stringify(input));
});
