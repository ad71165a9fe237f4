// A list of any length is added to another.

import assert from "node:assert/strict";
import test from "node:test";
import { append } from "#providers/translate/append.ts";

test("items come behind those that are there, also more of them than a call takes arguments", () => {
  const list = [1, 2];
  append(list, new Set([3, 4]));
  assert.deepEqual(list, [1, 2, 3, 4]);
  append(
    list,
    Array.from({ length: 500_000 }, (_, i) => i),
  );
  assert.deepEqual([list.length, list[4], list.at(-1)], [500_004, 0, 499_999]);
});
