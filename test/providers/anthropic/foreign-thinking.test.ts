// Thoughts that Anthropic did not sign do not reach it.

import assert from "node:assert/strict";
import test from "node:test";
import { foreignSignature, withoutForeignThinking } from "#providers/anthropic/foreign-thinking.ts";

const thought = { type: "thinking", thinking: "x", signature: foreignSignature };

test("a text without them is returned as it is", () => {
  const text =
    '{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"c2ln"}]}],"x":1e400}';
  assert.equal(withoutForeignThinking(text), text);
});

test("they are taken out, with messages that had nothing else, and other fields stay as they were", () => {
  const textBlock = { type: "text", text: `about ${foreignSignature}` };
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: [thought] },
    { role: "assistant", content: [thought, textBlock] },
  ];
  const text = `{"x":1e400,"messages":${JSON.stringify(messages)}}`;
  assert.equal(
    withoutForeignThinking(text),
    `{"x":1e400,"messages":${JSON.stringify([messages[0], { role: "assistant", content: [textBlock] }])}}`,
  );
});
