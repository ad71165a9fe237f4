// Bodies in pieces of every size: the same bytes come out, and memory follows their length, not their number.

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

test("single bytes do not keep the read buffers that they came in", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const collector = new ByteCollector();
  const readBuffers = Array.from({ length: 200 }, (_, at) => {
    const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
    collector.add(readBuffer.subarray(at, at + 1));
    return new WeakRef(readBuffer.buffer);
  });
  // What a WeakRef was made for lives until the end of its turn.
  await new Promise(setImmediate);
  gc();
  const kept = readBuffers.filter((readBuffer) => readBuffer.deref() !== undefined);
  assert.equal(collector.length, 200);
  assert.ok(kept.length <= 1, `${kept.length} of 200`);
});
