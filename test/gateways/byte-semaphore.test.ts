// The budget of bytes: never more than it has, nobody overtaken, nobody forgotten.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteSemaphore } from "#gateways/byte-semaphore.ts";
import { movableClock } from "../clock.ts";

const { settle } = movableClock();

test("those that fit enter at once, the next one waits for room", async () => {
  const budget = new ByteSemaphore(100);
  const entered: string[] = [];
  const enter = (name: string, bytes: number) => budget.acquire(bytes).then(() => entered.push(name));
  void enter("a", 60);
  void enter("b", 40);
  void enter("c", 50);
  void enter("d", 10);
  await settle();
  assert.deepEqual(entered, ["a", "b"]);
  budget.release(40);
  await settle();
  assert.deepEqual(entered, ["a", "b"], "d would fit, but c came first");
  budget.release(60);
  await settle();
  assert.deepEqual(entered, ["a", "b", "c", "d"]);
});

test("one that is larger than everything goes alone", async () => {
  const budget = new ByteSemaphore(100);
  await budget.acquire(1);
  let inside = false;
  void budget.acquire(500).then(() => {
    inside = true;
  });
  await settle();
  assert.equal(inside, false);
  budget.release(1);
  await settle();
  assert.equal(inside, true);
  budget.release(500);
  await budget.acquire(100);
});
