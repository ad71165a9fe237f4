// The refusals of values that have to be unique.

import assert from "node:assert/strict";
import { test } from "node:test";
import { changedElsewhere, taken } from "#configure/changes.ts";

test("a value that is taken is an issue of its field", () => {
  const issue = (message: string) => ({ kind: "invalid", issues: [{ path: ["name"], message }] });
  assert.deepEqual(taken("name"), issue("is taken"));
  assert.deepEqual(taken("name", "is used by another key"), issue("is used by another key"));
  assert.deepEqual(changedElsewhere("name"), issue("is being changed elsewhere"));
});
