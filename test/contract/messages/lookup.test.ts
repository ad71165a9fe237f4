// The query of a lookup without id.

import assert from "node:assert/strict";
import test from "node:test";
import { readRecent } from "#contract/messages/lookup.ts";

const defaults = { limit: 50, cursor: null, status: null, issues: null };
const integer = "The limit field must be an integer.";

const cases: [query: string, expected: object][] = [
  ["", defaults],
  ["limit=&cursor=&status=", defaults],
  ["other=1", defaults],
  ["limit=1", { ...defaults, limit: 1 }],
  ["limit=200", { ...defaults, limit: 200 }],
  ["limit=%2B7", { ...defaults, limit: 7 }],
  ["limit= 7 ", { ...defaults, limit: 7 }],
  ["limit=5&limit=6", { ...defaults, limit: 6 }],
  ["limit=0", { limit: "The limit field must be at least 1." }],
  ["limit=-1", { limit: "The limit field must be at least 1." }],
  ["limit=201", { limit: "The limit field must not be greater than 200." }],
  ["limit=999999999999999", { limit: "The limit field must not be greater than 200." }],
  ["limit=99999999999999999999", { limit: integer }],
  ["limit=x", { limit: integer }],
  ["limit=1.5", { limit: integer }],
  ["limit=1e1", { limit: integer }],
  ["limit=0x10", { limit: integer }],
  ["limit=07", { limit: integer }],
  ["cursor=abc", { ...defaults, cursor: "abc" }],
  ["status=delivered", { ...defaults, status: "delivered" }],
  ["status=Delivered", { status: "The selected status is invalid." }],
  ["status=toString", { status: "The selected status is invalid." }],
  ["limit=x&status=y", { limit: integer, status: "The selected status is invalid." }],
];
for (const [query, expected] of cases) {
  test(`?${query}`, () => {
    const read = readRecent(new URLSearchParams(query));
    if (read.issues === null) assert.deepEqual(read, expected);
    else
      assert.deepEqual(
        Object.fromEntries(read.issues.map((issue) => [issue.path.join("."), issue.message])),
        expected,
      );
  });
}
