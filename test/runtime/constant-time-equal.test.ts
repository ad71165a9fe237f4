// Secrets are compared as a whole.

import assert from "node:assert/strict";
import { test } from "node:test";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";

test("texts are the same only when they are", () => {
  assert.ok(constantTimeEqual("token", "token") && constantTimeEqual("", ""));
  assert.ok(
    !constantTimeEqual("token", "Token") &&
      !constantTimeEqual("token", "token ") &&
      !constantTimeEqual("", "t"),
  );
});
