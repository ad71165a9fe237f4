// Requests that are never translated: why a member without their path cannot serve them.

import assert from "node:assert/strict";
import test from "node:test";
import { untranslated } from "#ai/apis/passed-on.ts";

test("the reason names the path, and nothing else is left out", () => {
  const { chat, leftOut, passedOn } = untranslated("/completions", false);
  assert.deepEqual(chat(), {
    kind: "unsupported_parameter",
    param: "model",
    message: "This member has no `/completions`, which is not translated.",
  });
  assert.deepEqual([leftOut(), passedOn], [[], { path: "/completions", isWhole: false }]);
});
