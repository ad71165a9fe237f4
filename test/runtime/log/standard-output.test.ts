// The log's standard output: a reader that is slow, that stops, or that goes away costs lines at the most, and never the process.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { mock, type TestContext, test } from "node:test";
import { maxWaiting, standardOutput } from "#runtime/log/standard-output.ts";
import { childEnvironment } from "../../child-environment.ts";

/** A pipe that takes `room` more bytes, and then fails with this code. */
function pipe(context: TestContext) {
  mock.timers.enable({ apis: ["setTimeout"] });
  context.after(() => mock.timers.reset());
  const listeners = new Set(process.listeners("exit"));
  const it = {
    room: Number.POSITIVE_INFINITY,
    code: "EAGAIN",
    tries: 0,
    taken: "",
    later: () => mock.timers.tick(20),
    output: standardOutput({
      lost: (count) => `lost ${count}\n`,
      write(bytes) {
        it.tries += 1;
        if (it.room === 0) throw Object.assign(new Error("refused"), { code: it.code });
        const some = bytes.subarray(0, it.room);
        it.room -= some.length;
        it.taken += Buffer.from(some).toString("latin1");
        return some.length;
      },
    }),
  };
  // The runner's own process must not write to it when it exits.
  for (const listener of process.listeners("exit"))
    if (!listeners.has(listener)) process.removeListener("exit", listener);
  return it;
}

test("lines are written at once, and what a full pipe does not take goes out later, in order and whole", (context) => {
  const it = pipe(context);
  it.output.write("one\n");
  assert.equal(it.taken, "one\n");
  it.room = 3;
  it.output.write("two\nthree\n");
  it.output.write("four\n");
  assert.equal(it.taken, "one\ntwo");
  // Asked once for each pause, and not once for each line.
  const { tries } = it;
  it.later();
  assert.equal(it.tries, tries + 1);
  it.room = 4;
  it.later();
  assert.equal(it.taken, "one\ntwo\nthr");
  it.room = Number.POSITIVE_INFINITY;
  it.later();
  assert.equal(it.taken, "one\ntwo\nthree\nfour\n");
  it.output.write("five\n");
  assert.equal(it.taken, "one\ntwo\nthree\nfour\nfive\n");
});

test("of a pipe that stays full, lines beyond the bound are counted, and the number is logged after those that waited", (context) => {
  const it = pipe(context);
  it.room = 0;
  const line = `${"x".repeat(1023)}\n`;
  const fits = maxWaiting / line.length;
  for (let count = 0; count < fits; count++) it.output.write(line);
  it.output.write(`${line}${line}`);
  it.output.write("short\n");
  for (let turn = 0; turn < 10; turn++) it.later();
  assert.equal(it.taken, "");
  it.room = Number.POSITIVE_INFINITY;
  it.later();
  assert.equal(it.taken.length, maxWaiting + "lost 3\n".length);
  assert.ok(it.taken.endsWith("x\nlost 3\n"));
  it.output.write("after\n");
  assert.ok(it.taken.endsWith("lost 3\nafter\n"));
});

for (const code of ["ENOSPC", "EIO"])
  test(`${code} is waited out`, (context) => {
    const it = pipe(context);
    it.room = 0;
    it.code = code;
    it.output.write("one\n");
    it.later();
    it.room = 100;
    it.later();
    assert.equal(it.taken, "one\n");
  });

test("after the reader has gone nothing is written or kept", (context) => {
  const it = pipe(context);
  it.room = 0;
  it.code = "EPIPE";
  it.output.write("one\n");
  it.room = 100;
  it.output.write("two\n");
  it.later();
  assert.deepEqual([it.taken, it.tries], ["", 1]);
});

const start = (context: TestContext) => {
  // Without what the test runner tells its own children, which then report on standard output.
  const options = { silent: true, execArgv: [], env: childEnvironment() };
  const child = fork(new URL("./stalled-log-child.ts", import.meta.url), options);
  context.after(() => child.kill("SIGKILL"));
  return child;
};

test("a process goes on while its log is not read, and loses no line that fits", async (context) => {
  const child = start(context);
  // More than any pipe holds, and less than may wait.
  child.send(2_000);
  assert.deepEqual(await once(child, "message"), ["logged", undefined]);
  const exited = once(child, "exit");
  const lines = (await text(child.stdout!)).trimEnd().split("\n");
  assert.deepEqual(await exited, [0, null]);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).count),
    Array.from({ length: 2_000 }, (_, count) => count),
  );
});

test("a process whose log is not read at all exits by itself", async (context) => {
  const child = start(context);
  child.send(6_000);
  await once(child, "message");
  assert.deepEqual(await once(child, "exit"), [0, null]);
  const lines = (await text(child.stdout!)).split("\n");
  // What the pipe held, the last of it perhaps in part.
  assert.ok(lines.length > 1 && lines.length < 4_000, `${lines.length} lines`);
});
