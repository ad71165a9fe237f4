// Secrets are compared as a whole.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sameText } from "#runtime/constant-time-equal.ts";

test("texts are the same only when they are", () => {
  assert.ok(sameText("token", "token") && sameText("", ""));
  assert.ok(!sameText("token", "Token") && !sameText("token", "token ") && !sameText("", "t"));
});
