// Bracket names, against what PHP makes of them.

import assert from "node:assert/strict";
import test from "node:test";
import { memberOf, readForm } from "#http/body/bracket-fields.ts";

const bounds = { maxDepth: 32, maxValues: 1_000 };

function formOf(...names: string[]): unknown {
  const form = readForm(
    names.map((name) => name.split("=") as [string, string]),
    bounds,
  );
  // Through JSON, because the objects have no prototype.
  return form.kind === "value" ? JSON.parse(JSON.stringify(form.value)) : form.kind;
}

const cases: [fields: string[], expected: unknown][] = [
  [[], {}],
  [["a=1"], { a: "1" }],
  [["a=1", "a=2"], { a: "2" }],
  [["a[]=1", "a[]=2"], { a: ["1", "2"] }],
  [["a[0]=1", "a[1]=2"], { a: ["1", "2"] }],
  [["a[1]=2", "a[0]=1"], { a: ["1", "2"] }],
  [["a[10]=b", "a[9]=a"], { a: ["a", "b"] }],
  [["a[5]=1", "a[]=2"], { a: ["1", "2"] }],
  [["a[999999999]=1"], { a: ["1"] }],
  [["a[9999999999]=1"], { a: { "9999999999": "1" } }],
  [["a[01]=1"], { a: { "01": "1" } }],
  [["a[-1]=1"], { a: { "-1": "1" } }],
  [["a[x]=1"], { a: { x: "1" } }],
  [["a[0]=1", "a[x]=2"], { a: { 0: "1", x: "2" } }],
  [["a[0][n]=1", "a[0][m]=2", "a[1][n]=3"], { a: [{ n: "1", m: "2" }, { n: "3" }] }],
  [["a[][n]=1", "a[][m]=2"], { a: [{ n: "1" }, { m: "2" }] }],
  [["a=1", "a[0]=2"], { a: ["2"] }],
  [["a[0]=2", "a=1"], { a: "1" }],
  [["a[0=1"], { "a[0": "1" }],
  [["[0]=1"], { "[0]": "1" }],
  [["=1"], { "": "1" }],
];
for (const [fields, expected] of cases) {
  test(`${fields.join("&") || "nothing"}`, () => assert.deepEqual(formOf(...fields), expected));
}

test("names of the language are names like any other", () => {
  const form = readForm(
    [
      ["__proto__[polluted]", "1"],
      ["constructor[prototype][polluted]", "1"],
      ["contact[0][__proto__][message]", "evil"],
      ["contact[__proto__][x]", "1"],
    ],
    bounds,
  );
  assert.equal(form.kind, "value");
  assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, "polluted"), undefined);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  if (form.kind === "value")
    assert.deepEqual(Object.keys(form.value), ["__proto__", "constructor", "contact"]);
});

test("32 levels pass, 33 do not, and a million do not take long", () => {
  const name = (levels: number) => `a${"[0]".repeat(levels - 1)}`;
  assert.equal(readForm([[name(32), "1"]], bounds).kind, "value");
  assert.equal(readForm([[name(33), "1"]], bounds).kind, "too_deep");
  assert.equal(readForm([[name(1_000_000), "1"]], bounds).kind, "too_deep");
});

test("lists and objects that names make are counted with the texts", () => {
  const valuesOf = (...names: string[]) => {
    const form = readForm(
      names.map((name) => [name, "1"] as const),
      bounds,
    );
    return form.kind === "value" ? form.values : form.kind;
  };
  assert.equal(valuesOf(), 1);
  assert.equal(valuesOf("a"), 2);
  assert.equal(valuesOf("a[0][n]", "a[0][m]"), 5);
  // 31 lists for each name of 63 bytes.
  const name = `a${"[]".repeat(31)}`;
  assert.equal(valuesOf(...Array<string>(32).fill(name)), 2 + 32 * 31);
  assert.equal(valuesOf(...Array<string>(33).fill(name)), "too_many");
});

test("the member that a name puts something into", () => {
  for (const [name, member] of [
    ["a", "a"],
    ["a[0][b]", "a"],
    ["a[]", "a"],
    ["a[0", "a[0"],
    ["[a]", "[a]"],
    ["", ""],
  ] as const)
    assert.equal(memberOf(name), member);
});
