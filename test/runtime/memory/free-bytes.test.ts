// Memory that is given back at once.
// Runs in a process of its own: it measures the memory of the process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freeBytes } from "#runtime/memory/free-bytes.ts";

const mib = 1024 * 1024;

test("a large buffer is gone at once, whichever part of it is freed", () => {
  const bytes = Buffer.alloc(mib, 1);
  const part = bytes.subarray(10, 20);
  const before = process.memoryUsage().arrayBuffers;
  freeBytes(part);
  assert.equal(bytes.length, 0);
  assert.equal(part.length, 0);
  assert.ok(process.memoryUsage().arrayBuffers <= before - mib);
});

test("a small one, which may share its memory with others, stays", () => {
  const bytes = Buffer.from("a piece of Node's pool");
  freeBytes(bytes);
  assert.equal(bytes.toString(), "a piece of Node's pool");
});
