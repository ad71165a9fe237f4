// Gathering: while a group is in flight the next calls wait and go together; a bad member fails alone.

import assert from "node:assert/strict";
import test from "node:test";
import { GroupCommit } from "#store/engine/postgres/group-commit.ts";

/** A run that waits until it is let go, and notes its groups. */
function held() {
  const groups: number[][] = [];
  const gates: (() => void)[] = [];
  const run = async (inputs: readonly number[]) => {
    groups.push([...inputs]);
    await new Promise<void>((resolve) => gates.push(resolve));
    if (inputs.includes(13)) throw new Error("thirteen");
    return inputs.map((input) => input * 10);
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    run,
    groups,
    release: async () => {
      for (let gate = gates.shift(); gate; gate = gates.shift()) {
        gate();
        await turn();
      }
    },
  };
}

test("two groups fly at once, the rest waits and goes together, each gets its own answer", async () => {
  const { run, groups, release } = held();
  const gatherer = new GroupCommit(run, () => true);
  const calls = [1, 2, 3, 4, 5].map((input) => gatherer.call(input));
  assert.deepEqual(groups, [[1], [2]]);
  await release();
  assert.deepEqual(groups, [[1], [2], [3, 4, 5]]);
  await release();
  assert.deepEqual(await Promise.all(calls), [10, 20, 30, 40, 50]);
});

test("a group that failed for certain is run again singly: the bad member fails alone", async () => {
  const { run, groups, release } = held();
  const gatherer = new GroupCommit(run, () => true);
  const calls = [1, 2, 3, 13, 5].map((input) => gatherer.call(input));
  const settled = Promise.allSettled(calls);
  await release();
  await release();
  const results = await settled;
  assert.deepEqual(groups, [[1], [2], [3, 13, 5], [3], [13], [5]]);
  assert.deepEqual(
    results.map((result) => (result.status === "fulfilled" ? result.value : result.reason.message)),
    [10, 20, 30, "thirteen", 50],
  );
});

test("a group that may have been stored is not run again: all its members hear of it", async () => {
  const { run, groups, release } = held();
  const gatherer = new GroupCommit(run, () => false);
  const settled = Promise.allSettled([1, 2, 3, 13].map((input) => gatherer.call(input)));
  await release();
  await release();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "rejected"],
  );
  assert.equal(groups.length, 3);
});

test("no group is larger than 1,000", async () => {
  const { run, groups, release } = held();
  const gatherer = new GroupCommit(run, () => true);
  const calls = Array.from({ length: 2502 }, (_, i) => gatherer.call(i + 100));
  await release();
  await release();
  await release();
  await Promise.all(calls);
  assert.deepEqual(
    groups.map(({ length }) => length),
    [1, 1, 1000, 1000, 500],
  );
});
