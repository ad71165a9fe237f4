// Who goes first on a lane.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { type Priority, priorities, priorityOf, priorityOrder } from "#queue/priority.ts";

test("a request's band is the class of its size", () => {
  const expected: [messages: number, band: Priority][] = [
    [1, 0],
    [10, 0],
    [11, 1],
    [1000, 1],
    [1001, 2],
    [1_000_000, 2],
  ];
  for (const [messages, band] of expected) assert.equal(priorityOf(messages), band, `${messages}`);
});

test("every fifth place is offered to the largest band first, the others to the smallest", () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), (turn) => {
      const order = priorityOrder(turn);
      assert.equal(order[0], turn % 5 === 4 ? 2 : 0);
      assert.deepEqual([...order].sort(), [...priorities]);
    }),
    { seed: 3 },
  );
});

/** Which band each of `places` goes to, when `waiting` rows wait in each. */
function serve(waiting: Record<Priority, number>, places: number): Record<Priority, number> {
  const left = { ...waiting };
  const served = { 0: 0, 1: 0, 2: 0 };
  for (let turn = 0; turn < places; turn++) {
    const band = priorityOrder(turn).find((candidate) => left[candidate] > 0);
    if (band === undefined) break;
    left[band] -= 1;
    served[band] += 1;
  }
  return served;
}

test("with every band full, the largest keeps exactly a fifth", () => {
  assert.deepEqual(serve({ 0: 1000, 1: 1000, 2: 1000 }, 1000), { 0: 800, 1: 0, 2: 200 });
});

test("no place is left unused while anything waits", () => {
  assert.deepEqual(serve({ 0: 3, 1: 4, 2: 5 }, 100), { 0: 3, 1: 4, 2: 5 });
});
