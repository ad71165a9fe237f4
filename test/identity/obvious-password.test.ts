// Passwords that a list of leaked ones has, and those that only look like them.

import assert from "node:assert/strict";
import test from "node:test";
import { isObviousPassword } from "#identity/obvious-password.ts";

test("common words, years and walks over the keyboard are obvious, and what has more is not", () => {
  const common = [
    "123456789012",
    "qwertyuiop12",
    "1q2w3e4r5t6y",
    "welcome2026!",
    "iloveyou1234",
    "p@ssw0rd2025",
  ];
  const walks = ["abcdefghijkl", "0987654321qwerty", "administrator", "trustno1trustno1", "letmein-letmein"];
  for (const text of [...common, ...walks]) assert.ok(isObviousPassword(text), text);
  for (const text of ["my admin wrote tests", "dragon-9f2kx81p", "welcome to the jungle", "x1y2z3x1y2z3"])
    assert.ok(!isObviousPassword(text), text);
});
