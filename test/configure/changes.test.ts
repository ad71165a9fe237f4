// Fields that a change leaves out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { omitUndefined } from "#configure/changes.ts";

test("what is undefined is left out, null is not", () => {
  assert.deepEqual(Object.entries(omitUndefined({ a: 1, b: undefined, c: null })), [
    ["a", 1],
    ["c", null],
  ]);
});
