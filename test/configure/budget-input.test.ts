// Budgets that keys share: checked, stored as JSON, and shown as they were given.

import assert from "node:assert/strict";
import test from "node:test";
import { budgetFieldsOf, sharedBudgetInput, storedBudget } from "#configure/budget-input.ts";

test("a budget is stored in millionths, and shown as it was given", () => {
  const given = sharedBudgetInput.parse({ tokens_per_day: 5, cost_per_month: 12.345678 });
  assert.deepEqual(JSON.parse(storedBudget(given)), {
    tokensPerDay: 5,
    tokensPerMonth: null,
    costPerMonth: 12_345_678,
    lowPercent: 80,
  });
  assert.deepEqual(budgetFieldsOf(storedBudget(given)), {
    tokens_per_day: 5,
    tokens_per_month: null,
    cost_per_month: 12.345678,
    low_percent: 80,
  });
  assert.equal(
    budgetFieldsOf(storedBudget(sharedBudgetInput.parse({ low_percent: null }))).low_percent,
    null,
  );
});

test("bounds outside what can be counted are refused by field", () => {
  for (const given of [
    { tokens_per_day: 0 },
    { tokens_per_month: 1.5 },
    { cost_per_month: 0 },
    { low_percent: 100 },
    { low_percent: 0 },
    { per_day: 1 },
  ])
    assert.ok(!sharedBudgetInput.safeParse(given).success, JSON.stringify(given));
});
