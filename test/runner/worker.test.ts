// A worker runs files that pass, fail, break and end their process, and reports each of them truly. It is a process
// because the runner's workers are.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { FileResult, FromWorker } from "./messages.ts";

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-runner-"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
after(() => rmSync(folder, { recursive: true, force: true }));

const imports = 'import { after, before, beforeEach, describe, test } from "node:test";\n';

/** Runs files, given by their sources, in one worker. */
async function runFiles(
  sources: readonly string[],
): Promise<{ results: FileResult[]; code: number | null; lost: number }> {
  const files = sources.map((source, index) => {
    const path = join(folder, `${index}.test.js`);
    writeFileSync(path, imports + source);
    return path;
  });
  const worker = fork(new URL("./worker.ts", import.meta.url), {
    execArgv: [
      "--test-timeout=2000",
      `--test-reporter=${new URL("./reporter.ts", import.meta.url).href}`,
      "--test-reporter-destination=stdout",
    ],
    silent: true,
  });
  const results: FileResult[] = [];
  worker.on("message", (message: FromWorker) => {
    if (message.kind === "result") results.push(message);
    if (message.kind === "ready") worker.send({ file: files.shift() ?? null });
  });
  const code = await new Promise<number | null>((resolve) => worker.once("exit", resolve));
  return { results, code, lost: sources.length - results.length };
}

test("tests, suites, skips and failures are counted for their file, and the process goes on", async () => {
  const { results, code } = await runFiles([
    'test("a", () => {}); describe("s", () => { test("b", () => {}); test("c", { skip: "no moon" }, () => {}); });',
    'test("d", () => {}); describe("s", () => { test("e", () => { throw new Error("broken e"); }); });',
    'throw new Error("cannot be loaded");',
    'import "./missing.js";',
    'test("f", () => {}); test("g", { todo: true }, () => { throw new Error("not yet"); });',
  ]);
  assert.deepEqual(
    results.map(({ counts }) => counts),
    [
      { tests: 3, suites: 1, pass: 2, fail: 0, cancelled: 0, skipped: 1, todo: 0 },
      { tests: 2, suites: 1, pass: 1, fail: 1, cancelled: 0, skipped: 0, todo: 0 },
      { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 },
      { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 },
      { tests: 2, suites: 0, pass: 1, fail: 0, cancelled: 0, skipped: 0, todo: 1 },
    ],
  );
  assert.deepEqual(
    results.map(({ failures }) => failures.map(({ name, error }) => [name, error.split("\n")[0]])),
    [
      [],
      [["s › e", "Error: broken e"]],
      [["", "Error: cannot be loaded"]],
      [["", results[3]?.failures[0]?.error.split("\n")[0]]],
      [],
    ],
  );
  assert.match(results[3]?.failures[0]?.error ?? "", /Cannot find module/);
  assert.deepEqual(results[0]?.skipped, ["no moon"]);
  assert.equal(code, 1);
});

test("hooks at the top of a file are its own", async () => {
  const hooks = (name: string) => `
    globalThis.order ??= [];
    before(() => { order.push("before ${name}"); });
    beforeEach(() => { order.push("each ${name}"); });
    after(() => { order.push("after ${name}"); });
    test("${name}", () => { order.push("${name}"); });`;
  const { results, code } = await runFiles([
    hooks("x"),
    hooks("y"),
    `import assert from "node:assert/strict";
     test("in order", () => assert.deepEqual(order, [
       "before x", "each x", "x", "after x", "before y", "each y", "y", "after y"]));`,
  ]);
  assert.deepEqual(
    results.flatMap(({ failures }) => failures),
    [],
  );
  assert.equal(code, 0);
});

test("a test that hangs, a hook that fails and an error outside tests fail their file alone", async () => {
  const { results } = await runFiles([
    'test("hangs", () => new Promise(() => {})); test("goes on", () => {});',
    'before(() => { throw new Error("no set-up"); }); test("never", () => {});',
    'after(() => { throw new Error("no end"); }); test("fine", () => {});',
    'test("slow", () => new Promise((r) => setTimeout(r, 300))); setTimeout(() => { throw new Error("stray"); }, 50);',
    'test("last", () => {});',
  ]);
  assert.equal(results.length, 5);
  for (const [index, text] of ["timed out", "no set-up", "no end", "stray"].entries())
    assert.match(JSON.stringify(results[index]?.failures), new RegExp(text), `file ${index}`);
  assert.deepEqual(results[4]?.failures, []);
});

test("a file that ends its process has no result, which the runner counts as a failure", async () => {
  const { lost } = await runFiles(['test("ends", () => process.exit(0));', 'test("never", () => {});']);
  assert.equal(lost, 2);
});
