// Numbers survive the way through a parser, also those that no double holds.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isObject } from "#contract/normalise.ts";
import {
  answerBounds,
  bodyText,
  fieldsIn,
  isWithinBounds,
  parseAnswerExactly,
  parseExactly,
  parseJson,
  textOf,
} from "#providers/translate/json.ts";

test("numbers beyond a double keep their spelling", () => {
  for (const text of [
    '{"a":12345678901234567890}',
    "[-0,1e400,0.1000000000000000055511151231257827]",
    '{"x":[{"y":-9007199254740993}],"z":1.5}',
  ]) {
    assert.equal(JSON.stringify(parseExactly(text)), text);
  }
});

test("numbers that a double holds stay numbers", () => {
  assert.deepEqual(parseExactly('{"a":1.5,"b":900719925474099,"c":1e3,"d":0}'), {
    a: 1.5,
    b: 900_719_925_474_099,
    c: 1000,
    d: 0,
  });
});

test("text that is no JSON is undefined", () => {
  for (const text of ["", "{", "nul", "<html>", '{"a":1e5']) assert.equal(parseExactly(text), undefined);
});

test("all else that JSON holds is as a plain parse has it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(
        JSON.parse(JSON.stringify(parseExactly(text))),
        JSON.parse(JSON.stringify(JSON.parse(text))),
      );
    }),
  );
});

test("shapes", () => {
  assert.deepEqual([{}, [], null, "x"].map(isObject), [true, false, false, false]);
  assert.deepEqual(fieldsIn([1, { a: 1 }, null]), [{ a: 1 }]);
  assert.deepEqual(fieldsIn("x"), []);
  assert.deepEqual([textOf("x"), textOf(1)], ["x", ""]);
});

test("a vendor's text is parsed within its bounds of depth, values and objects, and not beyond", () => {
  const { maxDepth, maxValues, maxContainers } = answerBounds;
  const long = `"${"x".repeat(70_000)}"`;
  const list = (unit: string, times: number) => `[${long}${`,${unit}`.repeat(times)}]`;
  const nested = (levels: number) => `[${long},${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}]`;
  for (const [text, readable] of [
    [list("1", maxValues - 2), true],
    [list("1", maxValues - 1), false],
    [list("{}", maxContainers - 1), true],
    [list("{}", maxContainers), false],
    [nested(maxDepth), true],
    [nested(maxDepth + 1), false],
    // One long string is no work.
    [`["${"x".repeat(4_000_000)}"]`, true],
  ] as const) {
    assert.equal(isWithinBounds(text), readable);
    for (const read of [parseJson, parseAnswerExactly]) assert.equal(read(text) !== undefined, readable);
  }
  for (const text of ["", "{", "<html>"]) assert.equal(parseJson(text), undefined);
});

test("a text of very many values keeps its numbers as doubles, one of fewer as they are spelled", () => {
  const spelled = (values: number) => `[12345678901234567890${",100000000".repeat(values - 1)}]`;
  assert.ok(JSON.stringify(parseExactly(spelled(20_000))).startsWith("[12345678901234567890,"));
  assert.ok(JSON.stringify(parseExactly(spelled(30_000))).startsWith("[12345678901234567000,"));
});

test("a small negative number is no reason to look at every value", () => {
  // What is kept as it is spelled is an object.
  assert.deepEqual(parseExactly("[-0.012, -0.5]"), [-0.012, -0.5]);
  for (const text of ["[-0]", "[-0.0]", "[-0.00,1]", "[-0e1]"])
    assert.equal(JSON.stringify(parseExactly(text)), text);
});

test("half a character is replaced in texts and names, and nothing else is changed", () => {
  const half = "\ud83d";
  assert.equal(
    bodyText({ [half]: [`a${half}b`, { c: `\udc00` }] }),
    JSON.stringify({ "\ufffd": ["a\ufffdb", { c: "\ufffd" }] }),
  );
  const exact = parseExactly(`{"n":12345678901234567890,"t":"${half}"}`);
  assert.equal(bodyText(exact), '{"n":12345678901234567890,"t":"\ufffd"}');
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
      assert.equal(bodyText(value), JSON.stringify(value));
    }),
  );
  // A backslash before the letters is a text of its own.
  assert.equal(bodyText(["\\ud83d"]), '["\\\\ud83d"]');
});
