// The storage interface itself: how operations are declared, and its one error.

import assert from "node:assert/strict";
import test from "node:test";
import { batchedOperation, readOperation, StorageError, writeOperation } from "#store/database.ts";

test("an operation says what it is called, whether it writes, and whether its calls go together", () => {
  const heads = [
    readOperation("look", async () => 1),
    writeOperation("change", async () => 1),
    batchedOperation("many", async () => [1]),
  ].map(({ name, access, batched: gathered }) => ({ name, access, gathered }));
  assert.deepEqual(heads, [
    { name: "look", access: "read", gathered: false },
    { name: "change", access: "write", gathered: false },
    { name: "many", access: "write", gathered: true },
  ]);
});

test("a StorageError carries its fault and its cause", () => {
  const cause = new Error("below");
  const error = new StorageError("full", "no room", { cause });
  assert.deepEqual(
    [error.name, error.fault, error.message, error.cause],
    ["StorageError", "full", "no room", cause],
  );
  assert.ok(error instanceof Error);
});
