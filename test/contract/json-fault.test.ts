// Where a text stops being JSON, in a sentence that shows nothing of it.

import assert from "node:assert/strict";
import test from "node:test";
import { notJsonMessage } from "#contract/json-fault.ts";

function messageFor(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return notJsonMessage(error);
  }
  throw new Error("It is JSON.");
}

test("the place where a text stops being JSON is named", () => {
  const cases: [text: string, where: string][] = [
    ['{"a": 1,}', ": line 1, column 9."],
    ['{\n  "a": 1\n  "b": 2\n}', ": line 3, column 3."],
    ['{"a": "one\nline"}', ": line 1, column 11."],
    ["{} x", ": line 1, column 4."],
    ['{"a": [1, 2', ": line 1, column 12."],
    ['{"a":', ": it ends too soon."],
  ];
  for (const [text, where] of cases) assert.equal(messageFor(text), `The body is not valid JSON${where}`);
});

test("what the text itself says is never taken for the place, nor shown", () => {
  for (const text of ["(line 7 column 7)", "x (line 7 column 7)", "secret", "Unexpected end of JSON input"])
    assert.equal(messageFor(text), "The body is not valid JSON.", text);
  assert.equal(notJsonMessage(new Error("(line 7 column 7)")), "The body is not valid JSON.");
});
