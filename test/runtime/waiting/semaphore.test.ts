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

/** Work of so many bytes that lasts until `end` is called with its name. */
function working(semaphore: Semaphore) {
  const entered: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (name: string, bytes: number) =>
    void semaphore.run(async () => {
      entered.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    }, bytes);
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { entered, enter, end };
}

test("by amount, what fits enters at once, the next waits for room, and none overtakes it", async () => {
  const { entered, enter, end } = working(new Semaphore(100));
  enter("a", 60);
  enter("b", 40);
  enter("c", 50);
  enter("d", 10);
  await turn();
  assert.deepEqual(entered, ["a", "b"]);
  await end("b");
  assert.deepEqual(entered, ["a", "b"], "d would fit, but c came first");
  await end("a");
  assert.deepEqual(entered, ["a", "b", "c", "d"]);
});

test("what is larger than the whole bound goes alone", async () => {
  const { entered, enter, end } = working(new Semaphore(100));
  enter("a", 1);
  enter("b", 500);
  enter("c", 100);
  await turn();
  assert.deepEqual(entered, ["a"]);
  await end("a");
  assert.deepEqual(entered, ["a", "b"]);
  await end("b");
  assert.deepEqual(entered, ["a", "b", "c"]);
});
