// Depth and number of values on bytes, against those of the parsed value.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { exceededBound } from "#runtime/json-bounds.ts";

const unbounded = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY };
const deeper = (text: string, maxDepth = 32) =>
  exceededBound(Buffer.from(text), { ...unbounded, maxDepth }) === "depth";
const more = (text: string, maxValues: number) =>
  exceededBound(Buffer.from(text), { ...unbounded, maxValues, maxContainers: Number.POSITIVE_INFINITY }) ===
  "values";

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

/** How many values the text holds, by hand on the parsed value. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1);
}

test("counts the values that the parser makes", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, spaced) => {
      const text = JSON.stringify(value, null, spaced ? " \t" : undefined);
      // Two equal keys are two values to the scan; JSON.stringify writes none.
      const count = valuesIn(JSON.parse(text));
      assert.equal(more(text, count), false);
      if (count > 1) assert.equal(more(text, count - 1), true);
    }),
  );
});

const counted: [text: string, values: number][] = [
  ["1", 1],
  ["[]", 1],
  ["[ \n ]", 1],
  ["{}", 1],
  ["[{},{},[]]", 4],
  ['{"a":1,"b":[1,2,"x,y,[{"]}', 6],
  [`[${"{},".repeat(99_999)}{}]`, 100_001],
];
for (const [text, values] of counted) {
  test(`${text.slice(0, 24)} (${text.length}) holds ${values} values`, () => {
    assert.equal(more(text, values), false);
    if (values > 1) assert.equal(more(text, values - 1), true);
  });
}

test("objects and lists may have a bound of their own below that of all values", () => {
  const bounds = { maxDepth: 4, maxValues: 1_000, maxContainers: 3 };
  assert.equal(exceededBound(Buffer.from(`[[${"1,".repeat(500)}1],[]]`), bounds), null);
  assert.equal(exceededBound(Buffer.from("[[],[],[]]"), bounds), "values");
});

test("text that is not JSON ends the scan as well", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      const found = exceededBound(bytes, { maxDepth: 3, maxValues: 20 });
      assert.ok(found === null || found === "depth" || found === "values");
    }),
  );
});
