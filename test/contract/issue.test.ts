// Issues as the `errors` object of a 422.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { errorsByPath, issuesOf } from "#contract/issue.ts";

test("no issues, no errors", () => assert.deepEqual({ ...errorsByPath([]) }, {}));

test("paths are dotted, and messages keep their order", () => {
  const errors = errorsByPath([
    { path: ["contact", 10, "number"], message: "b" },
    { path: ["contact", 10, "number"], message: "a" },
    { path: ["contact", 2, "number"], message: "b" },
  ]);
  assert.deepEqual({ ...errors }, { "contact.10.number": ["b", "a"], "contact.2.number": ["b"] });
});

test("what a schema refuses has its path behind the prefix, each unknown field one of its own", () => {
  const schema = z.strictObject({ list: z.array(z.int("must be a number")) });
  const { error } = schema.safeParse({ list: [1, "secret"], one: 1, two: 2 });
  assert.ok(error);
  assert.deepEqual(issuesOf(error, ["settings"]), [
    { path: ["settings", "list", 1], message: "must be a number" },
    { path: ["settings", "one"], message: "is not a field" },
    { path: ["settings", "two"], message: "is not a field" },
  ]);
});
