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

test("contents are objects with parts, or what Google's clients write in their place", () => {
  const reads = (contents: unknown) =>
    !isProblem(readContents(JSON.stringify({ contents }), { model: "m" }, false));
  const part = { text: "a" };
  for (const content of [
    { parts: [part, "a"] },
    { parts: part },
    { parts: "a" },
    part,
    "a",
    [part],
    { role: "user" },
  ])
    assert.equal(reads([content]), true, JSON.stringify(content));
  assert.equal(reads({ parts: [part] }), true);
  for (const content of [null, true, 5, [[part]], { parts: [null] }, { parts: 5 }, { parts: [part, [part]] }])
    assert.equal(reads([{ parts: [part] }, content]), false, JSON.stringify(content));
});

test("a whole request without contents does not count in their place", () => {
  const body = { contents: [{ parts: [{ text: "a" }] }], generateContentRequest: {} };
  const read = readContents(JSON.stringify(body), { model: "m" }, false);
  assert.ok(!isProblem(read));
  assert.deepEqual(read.body, body);
});

test("tokens are counted of a whole request too", () => {
  const inner = { contents: [{ parts: [{ text: "a" }] }], systemInstruction: { parts: [{ text: "b" }] } };
  const read = readContents(JSON.stringify({ generateContentRequest: inner }), { model: "m" }, false);
  assert.ok(!isProblem(read));
  assert.deepEqual([read.body, JSON.parse(read.text)], [inner, inner]);
});
