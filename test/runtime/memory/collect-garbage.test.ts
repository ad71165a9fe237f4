// The collection after a start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { collectGarbage } from "#runtime/memory/collect-garbage.ts";

test("what is no longer used is gone at once", () => {
  const kept = { list: Array.from({ length: 100_000 }, (_, index) => `entry ${index}`.repeat(10)) };
  const before = process.memoryUsage().heapUsed;
  kept.list = [];
  collectGarbage();
  assert.ok(before - process.memoryUsage().heapUsed > 5e6);
});
