// Budgets that keys share: what may be said of them.

import assert from "node:assert/strict";
import test from "node:test";
import {
  budgetRules,
  refusesUnpriced,
  sharedBudgetRules,
  withChoice,
} from "#contract/manage/pools/budgets.ts";

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

test("a new bound of cost refuses models without a price, one that is there keeps its choice, and what is said holds", () => {
  const cost = (unpriced: "refuse" | "allow" | null) => ({ cost_per_month: 1, unpriced });
  const none = (unpriced: "refuse" | "allow" | null = null) => ({ cost_per_month: null, unpriced });
  for (const [asked, before, stored, refuses] of [
    [cost(null), null, "refuse", true],
    [cost("allow"), null, "allow", false],
    [cost("refuse"), null, "refuse", true],
    [cost(null), none(), "refuse", true],
    [cost(null), none("allow"), "refuse", true],
    [cost(null), cost("allow"), "allow", false],
    [cost(null), cost("refuse"), "refuse", true],
    [cost("refuse"), cost("allow"), "refuse", true],
    [cost("allow"), cost("refuse"), "allow", false],
    [none(), null, null, false],
    [none("refuse"), cost("refuse"), "refuse", false],
    [none(), cost("allow"), null, false],
  ] as const) {
    const settled = withChoice(budgetRules.parse(asked), before && budgetRules.parse(before));
    const words = JSON.stringify([asked, before]);
    assert.deepEqual([settled.unpriced, refusesUnpriced(settled)], [stored, refuses], words);
  }
});
