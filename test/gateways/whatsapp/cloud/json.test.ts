// Values of Meta's documents, of any type.

import assert from "node:assert/strict";
import { test } from "node:test";
import { field, list, text, textOrNull, timeMs, valueAt } from "#gateways/whatsapp/cloud/json.ts";

test("fields are an object's own, and nothing else has any", () => {
  assert.equal(field({ a: "1" }, "a"), "1");
  assert.equal(valueAt({ a: { b: { c: "2" } } }, "a", "b", "c"), "2");
  for (const value of [undefined, null, "length", ["length"], {}, { a: null }])
    for (const name of ["length", "0", "constructor", "__proto__"])
      assert.equal(field(value, name), undefined);
  assert.equal(valueAt({ a: null }, "a", "b"), undefined);
});

test("texts and numbers are text; anything else is ignored", () => {
  assert.deepEqual(["x", 52.5, "", null, {}, ["x"], true].map(text), ["x", "52.5", "", "", "", "", ""]);
  assert.deepEqual(["x", 0, "", null].map(textOrNull), ["x", "0", null, null]);
  assert.deepEqual([list(["a"]), list({ length: "1" }), list(undefined)], [["a"], [], []]);
});

test("a time is in whole seconds", () => {
  assert.equal(timeMs("1750263773"), 1_750_263_773_000);
  assert.equal(timeMs(1_750_263_773), 1_750_263_773_000);
  for (const value of ["1750263773000", "-1", "1e9", "soon", "", null])
    assert.equal(timeMs(value), undefined, String(value));
});
