// Numbers survive the way through a parser, whatever a double thinks of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fieldsIn, isFields, parsedExactly, textOf } from "#providers/vendor-json.ts";

test("numbers beyond a double keep their spelling", () => {
  for (const text of [
    '{"a":12345678901234567890}',
    "[-0,1e400,0.1000000000000000055511151231257827]",
    '{"x":[{"y":-9007199254740993}],"z":1.5}',
  ]) {
    assert.equal(JSON.stringify(parsedExactly(text)), text);
  }
});

test("numbers that a double holds stay numbers", () => {
  assert.deepEqual(parsedExactly('{"a":1.5,"b":900719925474099,"c":1e3,"d":0}'), {
    a: 1.5,
    b: 900_719_925_474_099,
    c: 1000,
    d: 0,
  });
});

test("text that is no JSON is undefined", () => {
  for (const text of ["", "{", "nul", "<html>", '{"a":1e5']) assert.equal(parsedExactly(text), undefined);
});

test("whatever else JSON holds is as a plain parse has it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(
        JSON.parse(JSON.stringify(parsedExactly(text))),
        JSON.parse(JSON.stringify(JSON.parse(text))),
      );
    }),
  );
});

test("shapes", () => {
  assert.deepEqual([{}, [], null, "x"].map(isFields), [true, false, false, false]);
  assert.deepEqual(fieldsIn([1, { a: 1 }, null]), [{ a: 1 }]);
  assert.deepEqual(fieldsIn("x"), []);
  assert.deepEqual([textOf("x"), textOf(1)], ["x", ""]);
});
