// Tiny pieces are put together; others pass as they are.

import assert from "node:assert/strict";
import test from "node:test";
import { SmallPieces } from "#http/body/small-pieces.ts";

test("a piece that is not tiny passes at once, with the tiny ones before it", () => {
  const small = new SmallPieces();
  const large = Buffer.alloc(256, "b");
  assert.equal(small.add(large), large);
  assert.equal(small.add(Buffer.from("a")), null);
  assert.equal(small.add(large)?.toString(), `a${large}`);
  assert.equal(small.rest(), null);
});

test("tiny pieces pass when they are 4 KiB together, and at the end", () => {
  const small = new SmallPieces();
  const handed: number[] = [];
  for (let at = 0; at < 10_000; at++) {
    const bytes = small.add(Buffer.from("a"));
    if (bytes !== null) handed.push(bytes.length);
  }
  assert.deepEqual(handed, [4_096, 4_096]);
  assert.equal(small.rest()?.length, 10_000 - 2 * 4_096);
  assert.equal(small.rest(), null);
});
