// Which calls share a transaction.

import assert from "node:assert/strict";
import { test } from "node:test";
import { maxGroupBytes, takeGroup } from "#store/engine/group.ts";

const bytesOf = (bytes: number) => bytes;

test("short ones go together, so many at the most", () => {
  const waiting = [1, 2, 3, 4, 5];
  assert.deepEqual(takeGroup(waiting, 3, bytesOf), [1, 2, 3]);
  assert.deepEqual(takeGroup(waiting, 3, bytesOf), [4, 5]);
  assert.deepEqual(takeGroup(waiting, 3, bytesOf), []);
});

test("long ones go together as far as the bytes reach, and one that is longer goes alone", () => {
  const half = maxGroupBytes / 2;
  const waiting = [half, half, 1, 2 * maxGroupBytes, 1];
  assert.deepEqual(takeGroup(waiting, 100, bytesOf), [half, half]);
  assert.deepEqual(takeGroup(waiting, 100, bytesOf), [1]);
  assert.deepEqual(takeGroup(waiting, 100, bytesOf), [2 * maxGroupBytes]);
  assert.deepEqual(takeGroup(waiting, 100, bytesOf), [1]);
});
