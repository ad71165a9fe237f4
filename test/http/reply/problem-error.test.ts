// What is looked up: there, or the answer 404.

import assert from "node:assert/strict";
import test from "node:test";
import { orNotFound } from "#http/reply/problem-error.ts";
import { thrownProblem } from "../thrown.ts";

test("a value comes back, also one that counts as false; for none the problem is thrown", () => {
  for (const value of [0, "", false]) assert.equal(orNotFound(value), value);
  for (const none of [null, undefined]) assert.equal(thrownProblem(() => orNotFound(none)).status, 404);
});
