// Streams of Gemini's API joined to one content.

import assert from "node:assert/strict";
import test from "node:test";
import { joinedContent } from "#ai/apis/gemini/joined.ts";

test("Gemini's pieces, as events and as a list that may be cut off", () => {
  const call = { functionCall: { name: "f", args: {} } };
  const list = [
    {
      candidates: [{ content: { parts: [{ text: "hm", thought: true }], role: "model" } }],
      modelVersion: "m",
    },
    { candidates: [{ content: { parts: [{ text: "Hel" }], role: "model" } }], modelVersion: "m" },
    {
      candidates: [{ content: { parts: [{ text: "lo" }, call], role: "model" }, finishReason: "STOP" }],
      usageMetadata: { totalTokenCount: 4 },
    },
  ];
  const whole = {
    candidates: [
      {
        content: { parts: [{ text: "hm", thought: true }, { text: "Hello" }, call], role: "model" },
        finishReason: "STOP",
      },
    ],
    modelVersion: "m",
    usageMetadata: { totalTokenCount: 4 },
  };
  assert.deepEqual(
    joinedContent(list.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join("")),
    whole,
  );
  const array = `[${list.map((piece) => JSON.stringify(piece)).join(",\r\n")}]`;
  assert.deepEqual(joinedContent(array), whole);
  const cut = JSON.stringify(joinedContent(array.slice(0, -30)));
  assert.ok(cut.includes('"Hel"') && !cut.includes("Hello"), cut);
});

test("many pieces with fields of many names are joined in one walk", { timeout: 20_000 }, () => {
  // Copying what is joined for each piece takes minutes.
  const pieces = Array.from({ length: 60_000 }, (_, at) => ({ [`field${at}`]: at }));
  const whole = joinedContent(pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join(""));
  assert.equal(Object.keys(whole as object).length, 60_001);
});
