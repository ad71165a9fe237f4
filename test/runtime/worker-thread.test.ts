// A thread beside the event loop: after any input, the next one is answered.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { createWorkerThread, type WorkerThread } from "#runtime/worker-thread.ts";

type Task = { kind: "say"; bytes: Uint8Array } | { kind: "throw" | "end" | "spin" | "fill" };

const clock = movableClock();
const open = (module: string, maxQueued = 3): WorkerThread<Task, string> =>
  createWorkerThread({
    module: new URL(module, import.meta.url),
    name: "test",
    clock,
    limitMs: 1000,
    maxQueued,
  });
const thread = open("./side-thread-work.ts");
after(() => thread.close());
const say = (length: number): Task => ({ kind: "say", bytes: new Uint8Array(length) });
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Until the thread has its input, and the time for it runs. */
const handed = async () => {
  while (clock.sleeping() === 0) await turn();
};

test("inputs are answered in their order, and no time runs between them", async () => {
  const answers = await Promise.all([1, 2, 3].map((length) => thread.run(say(length))));
  assert.deepEqual(
    answers,
    [1, 2, 3].map((length) => ({ kind: "done", output: `said ${length}` })),
  );
  assert.equal(clock.sleeping(), 0);
});

test("an input that throws has failed, and so has one that ends the thread or fills its memory", async () => {
  assert.deepEqual(await thread.run({ kind: "throw" }), { kind: "failed", reason: "no" });
  const [ended, next] = await Promise.all([thread.run({ kind: "end" }), thread.run(say(1))]);
  assert.deepEqual(ended, { kind: "failed", reason: "the thread ended with 7" });
  assert.equal(next.kind, "done");
  assert.equal((await thread.run({ kind: "fill" })).kind, "failed");
  assert.equal((await thread.run(say(1))).kind, "done");
  assert.equal(clock.sleeping(), 0);
});

test("an input that takes too long is given up with its thread; the event loop goes on meanwhile", async () => {
  const long = thread.run({ kind: "spin" });
  const next = thread.run(say(2));
  await handed();
  await clock.advance(999);
  assert.equal(clock.sleeping(), 1);
  await clock.advance(1);
  assert.deepEqual(await long, { kind: "failed", reason: "it took more than 1000 ms" });
  assert.deepEqual(await next, { kind: "done", output: "said 2" });
});

test("no more wait than may; what waits when the thread is closed was not tried", async () => {
  const own = open("./side-thread-work.ts");
  const running = own.run({ kind: "spin" });
  const waiting = Array.from({ length: 3 }, () => own.run(say(1)));
  assert.deepEqual(await own.run(say(1)), { kind: "busy", reason: "too many wait" });
  await handed();
  await own.close();
  for (const worked of await Promise.all([running, ...waiting])) assert.equal(worked.kind, "busy");
  assert.equal((await own.run(say(1))).kind, "busy");
  await own.close();
});

test("a thread that does not start has tried nothing", async () => {
  const none = open("./no-such-file.ts");
  for (const worked of await Promise.all([none.run(say(1)), none.run(say(2))]))
    assert.equal(worked.kind, "busy");
  await none.close();
});
