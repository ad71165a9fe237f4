// What is read of a request to Google's API.

import assert from "node:assert/strict";
import test from "node:test";
import { readContents } from "#ai/apis/gemini/shapes.ts";
import { isProblem } from "#contract/problem.ts";

test("the path says the model and whether it streams; contents have to be there", () => {
  const read = readContents('{"contents":[{"parts":[]}]}', { model: "m" }, true);
  assert.ok(!isProblem(read));
  assert.deepEqual([read.model, read.stream], ["m", true]);
  for (const text of ["{}", '{"contents":[]}', '{"contents":"x"}', "[]", "{"])
    assert.equal(isProblem(readContents(text, { model: "m" }, false)), true, text);
});

test("tokens are counted of a whole request too", () => {
  const inner = { contents: [{ parts: [{ text: "a" }] }], systemInstruction: { parts: [{ text: "b" }] } };
  const read = readContents(JSON.stringify({ generateContentRequest: inner }), { model: "m" }, false);
  assert.ok(!isProblem(read));
  assert.deepEqual([read.body, JSON.parse(read.text)], [inner, inner]);
});
