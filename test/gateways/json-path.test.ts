// Reading providers' JSON: paths, digits of numbers, and nothing that was not sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  parseJson,
  parsePath,
  parseUnverified,
  readPath,
  referenceFrom,
  textAt,
} from "#gateways/json-path.ts";
import { seededRandom } from "../harness.ts";

test("paths of names, quoted names and places in a list", () => {
  assert.deepEqual(parsePath("$"), []);
  assert.deepEqual(parsePath("$.a.b-c[0]['d e'][\"f.g\"].h"), ["a", "b-c", 0, "d e", "f.g", "h"]);
  for (const wrong of [
    "",
    "a",
    "$a",
    "$.",
    "$..a",
    "$.a[",
    "$.a[-1]",
    "$.a[*]",
    "$.a[0",
    "$['a]",
    "$.a b",
    "$ .a",
    "$.a.",
  ]) {
    assert.equal(parsePath(wrong), null, wrong);
  }
});

test("values are read as text, numbers with the digits they came with", () => {
  const json = parseJson(
    '{"big":12345678901234567890,"one":1.0,"zero":0,"yes":true,"no":null,"list":[{"id":"00fA"}],"a b":"c"}',
  );
  assert.ok(json !== undefined);
  assert.equal(textAt(json, "$.big"), "12345678901234567890");
  assert.equal(textAt(json, "$.one"), "1.0");
  assert.equal(textAt(json, "$.zero"), "0");
  assert.equal(textAt(json, "$.yes"), "true");
  assert.equal(textAt(json, "$.no"), null);
  assert.equal(textAt(json, "$.list"), null);
  assert.equal(textAt(json, "$.list[0].id"), "00fA");
  assert.equal(textAt(json, "$.list[1].id"), null);
  assert.equal(textAt(json, "$['a b']"), "c");
  assert.equal(textAt(json, "$.list.length"), null);
  assert.equal(textAt(json, "$.a b"), null);
});

test("a byte order mark in front does no harm", () => {
  assert.deepEqual(parseJson('\ufeff{"id":"1"}'), { id: "1" });
});

test("nothing is inherited", () => {
  for (const path of ["$.__proto__", "$.constructor.name", "$.toString", "$.a.length"]) {
    assert.equal(readPath({ a: "text" }, path), undefined, path);
  }
});

test("what is not JSON is undefined, however deep", () => {
  for (const text of [
    "",
    "{",
    "undefined",
    "[".repeat(200_000),
    `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
  ]) {
    assert.equal(parseJson(text), undefined);
  }
});

test("more than vendors send is not parsed", (t) => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const numbers = (count: number) => `[${"1,".repeat(count - 2)}1]`;
  const objects = (count: number) => `[${"{},".repeat(count - 2)}{}]`;
  for (const good of [nested(64), numbers(30_000), objects(10_000)]) assert.ok(parseJson(good));
  for (const good of [nested(16), numbers(2_000)]) assert.ok(parseUnverified(Buffer.from(good)));
  const parse = t.mock.method(JSON, "parse");
  for (const bad of [nested(65), numbers(30_001), objects(10_001)]) {
    assert.equal(parseJson(bad), undefined);
    assert.equal(parseJson(Buffer.from(bad)), undefined);
  }
  for (const bad of [nested(17), numbers(2_001)]) assert.equal(parseUnverified(Buffer.from(bad)), undefined);
  assert.equal(parse.mock.callCount(), 0);
  assert.equal(textAt(parseUnverified(Buffer.from('\ufeff{"a":{"b":15}}')) ?? null, "$.a.b"), "15");
  assert.deepEqual(
    parse.mock.calls.map((call) => call.arguments[1]),
    [undefined],
    "without a reviver",
  );
});

test("any JSON number keeps its value", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (number) => {
      assert.equal(textAt(parseJson(`{"id":${number}}`) ?? null, "$.id"), String(number));
    }),
    { numRuns: 500, seed: 1 },
  );
});

test("a reference is kept as given, or not at all", () => {
  for (const good of ["0", "00aF-1", " spaced ", "ä", "x".repeat(255)])
    assert.equal(referenceFrom(good), good);
  for (const bad of [null, undefined, "", "x".repeat(256), "a\u0000b", "a\nb", "\ud800"])
    assert.equal(referenceFrom(bad), null);
});

test("numbers are their source texts, with and without one that JavaScript spells otherwise", () => {
  const random = seededRandom(7);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.random() * of.length)]!;
  const odd = ["1e3", "1.50", "-0", "12345678901234567890", "1E-7", "0.0"];
  const plain = ["0", "-7", "42", "123456789012345", "true", "null", '"a"', '"__proto__"'];
  const write = (depth: number, values: readonly string[]): string => {
    const kind = depth === 0 ? 0 : Math.floor(random.random() * 3);
    if (kind === 0) return pick(values);
    const inner = Array.from({ length: 3 }, () => write(depth - 1, values));
    if (kind === 1) return `[${inner.join(",")}]`;
    return `{${inner.map((value, at) => `${JSON.stringify(pick(["a", "__proto__", "b c"]) + (at || ""))}: ${value}`).join(",")}}`;
  };
  // The reference: each number made a text before parsing. No text here has a digit.
  const reference = (json: string) => JSON.parse(json.replaceAll(/-?\d[\d.eE+-]*(?=[\s,\]}]|$)/g, '"$&"'));
  for (let round = 0; round < 500; round++) {
    const json = write(4, round % 2 === 0 ? plain : [...plain, ...odd]);
    assert.deepEqual(parseJson(json), reference(json), json);
  }
});
