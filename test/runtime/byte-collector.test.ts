// Bodies whatever way they are cut: the same bytes come out, and memory follows their length, not their number.

import assert from "node:assert/strict";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { ByteCollector } from "#runtime/byte-collector.ts";

test("hands out the bytes that were added, however they were cut", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20_000 }), { maxLength: 30 }), (pieces) => {
      const collector = new ByteCollector();
      for (const piece of pieces) collector.add(Buffer.from(piece));
      const whole = Buffer.concat(pieces);
      assert.equal(collector.length, whole.length);
      assert.ok(collector.take().equals(whole));
      assert.equal(collector.length, 0);
      assert.equal(collector.take().length, 0);
    }),
  );
});

test("a body in one piece is not copied", () => {
  const collector = new ByteCollector();
  const piece = Buffer.from("whole");
  collector.add(Buffer.alloc(0));
  collector.add(piece);
  assert.equal(collector.take(), piece);
});

test("it is used again after take and clear", () => {
  const collector = new ByteCollector();
  for (const text of ["a", "b"]) collector.add(Buffer.from(text));
  assert.equal(collector.take().toString(), "ab");
  collector.add(Buffer.from("lost"));
  collector.clear();
  for (const text of ["c", "d", "e"]) collector.add(Buffer.from(text));
  assert.equal(collector.take().toString(), "cde");
});

test("single bytes do not keep the read buffers that they came in", () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const collector = new ByteCollector();
  gc();
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < 4_000; at++) collector.add(Buffer.allocUnsafeSlow(64 * 1024).subarray(at, at + 1));
  gc();
  const held = process.memoryUsage().arrayBuffers - before;
  assert.equal(collector.length, 4_000);
  // Kept as they came they would be 250 MiB.
  assert.ok(held < 16 * 1024 * 1024, `${held} bytes`);
});
