// What others wrote drives no terminal.

import assert from "node:assert/strict";
import test from "node:test";
import { escapeControls } from "#runtime/log/escape-controls.ts";

test("controls become escapes; lines, tabs and letters of every language stay", () => {
  assert.equal(
    escapeControls("\u001b[2J\u0007\u009b\u202e\u2028x"),
    "\\u001b[2J\\u0007\\u009b\\u202e\\u2028x",
  );
  const text = "first\n\tsecond: äß漢字🎉 \u200d";
  assert.equal(escapeControls(text), text);
});
