// The budget of a turn of the event loop: what finds it spent waits, in order, and every turn has a budget of its own.

import assert from "node:assert/strict";
import test from "node:test";
import { TurnBudget, turnBudgetBytes } from "#runtime/net/turn-budget.ts";

/** Turns that the test moves by hand. */
function budgetOf() {
  let works: (() => void)[] = [];
  return {
    budget: new TurnBudget((work) => works.push(work)),
    next() {
      const due = works;
      works = [];
      for (const work of due) work();
    },
    isIdle: () => works.length === 0,
  };
}

test("a turn takes its budget and the piece that goes over it, and the next turn as much again", () => {
  const { budget, next, isIdle } = budgetOf();
  assert.equal(budget.take(turnBudgetBytes - 1), true);
  assert.equal(budget.take(64 * 1024), true);
  assert.equal(budget.take(1), false);
  next();
  assert.equal(budget.take(turnBudgetBytes), true);
  assert.equal(budget.take(1), false);
  next();
  assert.ok(isIdle());
});

test("what waits goes on in the order in which it came, as far as the budget of each turn goes", () => {
  const { budget, next, isIdle } = budgetOf();
  budget.take(turnBudgetBytes);
  const order: string[] = [];
  for (const name of ["a", "b", "c", "d", "e"]) budget.wait(turnBudgetBytes / 2, () => order.push(name));
  for (const expected of ["ab", "abcd", "abcde"]) {
    next();
    assert.equal(order.join(""), expected);
  }
  next();
  assert.ok(isIdle());
});

test("what comes while others wait does not go before them for long", () => {
  const { budget, next } = budgetOf();
  budget.take(turnBudgetBytes);
  const order: string[] = [];
  budget.wait(turnBudgetBytes, () => order.push("waiting"));
  next();
  assert.deepEqual(order, ["waiting"]);
  assert.equal(budget.take(1), false);
});
