// What counts as a key, and what as none.

import assert from "node:assert/strict";
import test from "node:test";
import { invalidKey, parseKey } from "#http/auth/api-key-text.ts";

const cases: [value: unknown, expected: unknown][] = [
  [undefined, null],
  [null, null],
  ["", null],
  [" \n", null],
  [" ".repeat(5_000), null],
  [" tl_1 ", "tl_1"],
  [12, "12"],
  [true, invalidKey],
  [["tl_1"], invalidKey],
  [{ key: "tl_1" }, invalidKey],
  ["x".repeat(1_024), "x".repeat(1_024)],
  ["x".repeat(1_025), invalidKey],
];
for (const [value, expected] of cases)
  test(`${JSON.stringify(value)?.slice(0, 30)}`, () => assert.equal(parseKey(value), expected));
