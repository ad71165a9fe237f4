// Pages: one row more than shown tells that more follow.

import assert from "node:assert/strict";
import test from "node:test";
import { pageOf } from "#http/reply/pagination.ts";

const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `x_${i}` }));

test("a page has a cursor exactly when more was found than is shown", () => {
  assert.deepEqual(pageOf(rows(0), 2), { rows: [], nextCursor: null });
  assert.deepEqual(pageOf(rows(2), 2), { rows: rows(2), nextCursor: null });
  assert.deepEqual(pageOf(rows(3), 2), { rows: rows(2), nextCursor: "x_1" });
});
