// The purse for repeats: an outage cannot multiply a pool's load for long.

import assert from "node:assert/strict";
import test from "node:test";
import { createHedgeBudget, createRetryBudget } from "#ai/failover/retry-budget.ts";

const taken = (budget: ReturnType<typeof createRetryBudget>) => {
  let count = 0;
  while (budget.tryWithdraw()) count += 1;
  return count;
};

test("it begins full, and each request fills a fifth of a try", () => {
  const budget = createRetryBudget();
  assert.equal(taken(budget), 50);
  for (let turn = 0; turn < 5; turn++) {
    assert.equal(budget.tryWithdraw(), false);
    budget.deposit();
  }
  assert.equal(taken(budget), 1);
});

test("what is saved has a bound", () => {
  const budget = createRetryBudget();
  for (let turn = 0; turn < 10_000; turn++) budget.deposit();
  assert.equal(taken(budget), 50);
});

test("of a hundred calls, at most the given share is asked twice, and ten in a row", () => {
  const budget = createHedgeBudget(0.05);
  assert.equal(taken(budget), 1);
  let hedged = 0;
  for (let turn = 0; turn < 100; turn++) {
    budget.deposit();
    if (budget.tryWithdraw()) hedged += 1;
  }
  assert.ok(hedged >= 4 && hedged <= 5, String(hedged));
  for (let turn = 0; turn < 10_000; turn++) budget.deposit();
  assert.equal(taken(budget), 10);
});
