// Issues as the `errors` object of a 422.

import assert from "node:assert/strict";
import test from "node:test";
import { errorsByPath } from "#contract/issue.ts";

test("no issues, no errors", () => assert.deepEqual({ ...errorsByPath([]) }, {}));

test("paths are dotted, and messages keep their order without repeating", () => {
  const errors = errorsByPath([
    { path: ["contact", 10, "number"], message: "b" },
    { path: ["contact", 10, "number"], message: "a" },
    { path: ["contact", 10, "number"], message: "b" },
    { path: ["contact", 2, "number"], message: "b" },
  ]);
  assert.deepEqual({ ...errors }, { "contact.10.number": ["b", "a"], "contact.2.number": ["b"] });
});
