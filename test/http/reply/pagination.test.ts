// Pages: one row more than shown tells that more follow.

import assert from "node:assert/strict";
import test from "node:test";
import { pageOf } from "#http/reply/pagination.ts";

const page = (count: number) =>
  pageOf(
    Array.from({ length: count }, (_, i) => ({ id: `x_${i}` })),
    2,
    ({ id }) => id.toUpperCase(),
  );

test("a page has a cursor exactly when more was found than is shown", () => {
  assert.deepEqual(page(0), { data: [], next_cursor: null });
  assert.deepEqual(page(2), { data: ["X_0", "X_1"], next_cursor: null });
  assert.deepEqual(page(3), { data: ["X_0", "X_1"], next_cursor: "x_1" });
});
