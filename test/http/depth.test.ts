// Depth on bytes, against the depth of the parsed value.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { nestsDeeper } from "#http/depth.ts";

const deeper = (text: string, limit = 32) => nestsDeeper(Buffer.from(text), limit);

/** The same by hand on the value. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const cases: [text: string, deeper: boolean][] = [
  ["", false],
  ["1", false],
  [`${"[".repeat(32)}${"]".repeat(32)}`, false],
  [`${"[".repeat(33)}${"]".repeat(33)}`, true],
  [`${'{"a":'.repeat(32)}1${"}".repeat(32)}`, false],
  [`${'{"a":'.repeat(33)}1${"}".repeat(33)}`, true],
  ["[]".repeat(1_000), false],
  [`"${"[".repeat(100)}"`, false],
  [`"\\"${"[".repeat(100)}"`, false],
  [`"\\\\"${"[".repeat(100)}`, true],
  [`"\\\\\\"${"[".repeat(100)}"`, false],
  [`"${"[".repeat(100)}`, false],
  [`"ü€😀${"[".repeat(100)}"`, false],
  [`"\\u0022${"[".repeat(100)}"`, false],
  ["[".repeat(5_000_000), true],
];
for (const [text, expected] of cases) {
  test(`${JSON.stringify(text.slice(0, 24))} (${text.length}) is ${expected ? "" : "not "}too deep`, () => {
    assert.equal(deeper(text), expected);
  });
}

test("agrees with the parsed value", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(6), (text, limit) => {
      assert.equal(deeper(text, limit), depthOf(JSON.parse(text)) > limit);
    }),
  );
});
