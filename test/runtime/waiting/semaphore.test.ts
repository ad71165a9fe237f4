// A few at a time, in the order of asking, however each of them ends.

import assert from "node:assert/strict";
import test from "node:test";
import { Semaphore } from "#runtime/waiting/semaphore.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("no more than so many are at work, and the others follow in their order", async () => {
  const turns = new Semaphore(2);
  const begun: number[] = [];
  const end: (() => void)[] = [];
  const all = Array.from({ length: 5 }, (_, at) =>
    turns.run(async () => {
      begun.push(at);
      await new Promise<void>((resolve) => end.push(resolve));
      if (at === 1) throw new Error("failed");
      return at;
    }),
  );
  const settled = Promise.allSettled(all);
  await turn();
  assert.deepEqual(begun, [0, 1]);
  end[1]?.();
  await turn();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const each of [0, 2, 3, 4]) {
    end[each]?.();
    await turn();
  }
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"],
  );
  assert.equal(await turns.run(async () => "again"), "again");
});
