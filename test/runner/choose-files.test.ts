// The files of a run, their order, and which of them are isolated.

import assert from "node:assert/strict";
import test from "node:test";
import { chooseFiles } from "./choose-files.ts";

test("parts of names choose files, the slowest of the last run first", () => {
  const [slow, fast] = ["test/contract/time.test.ts", "test/contract/cost.test.ts"];
  const seconds = new Map([
    [slow, 2],
    [fast, 1],
  ]);
  const chosen = chooseFiles(["contract/time", "./test/contract/cost"], seconds);
  assert.deepEqual(chosen, [
    { path: slow, isolated: false, waits: false },
    { path: fast, isolated: false, waits: false },
  ]);
  assert.ok(chooseFiles([], new Map()).length > 900);
  assert.deepEqual(chooseFiles(["no such file"], seconds), []);
});

test("a file that asks for a process of its own is isolated", () => {
  assert.deepEqual(chooseFiles(["contract/json-text"], new Map()), [
    { path: "test/contract/json-text.test.ts", isolated: true, waits: false },
  ]);
});

test("an unknown option is refused", () => {
  assert.throws(() => chooseFiles(["--fast"], new Map()), /unknown option --fast/);
});
