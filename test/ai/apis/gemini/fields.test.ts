// Names of Google's objects in either spelling, and the names of what is not translated.

import assert from "node:assert/strict";
import test from "node:test";
import { camelCased, nameOthers } from "#ai/apis/gemini/fields.ts";

test("the object's own names are in camel case, those inside are as they were", () => {
  assert.deepEqual(camelCased({ system_instruction: { some_text: 1 } }), {
    systemInstruction: { some_text: 1 },
  });
  for (const other of [null, undefined, 7, "a_b", ["a_b"]]) assert.deepEqual(camelCased(other), {});
});

test("each name once, those without a value not at all, and a hundred at the most", () => {
  const leftOut: string[] = [];
  for (let turn = 0; turn < 2; turn += 1) nameOthers({ a: 1, b: null, c: 0, own: 1 }, ["own"], "x", leftOut);
  assert.deepEqual(leftOut, ["x.a", "x.c"]);
  nameOthers(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`n${at}`, 1])), [], "x", leftOut);
  assert.equal(leftOut.length, 100);
});
