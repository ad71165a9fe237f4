// What the readers of streams have in common: they end once, and can be wrapped without losing what they say of themselves.

import assert from "node:assert/strict";
import test from "node:test";
import { badFrame } from "#providers/failure/vendor-failure.ts";
import type { StreamPiece, StreamReader } from "#providers/provider.ts";
import { mapPieces, untilEnd } from "#providers/translate/stream-reader.ts";

const chunk = (text: string): StreamPiece => ({
  kind: "chunk",
  text,
  output: true,
  finish: false,
  usage: null,
  usageOnly: false,
  units: text.length,
});
const event = (data: string) => ({ event: null, data });

for (const [name, last] of [
  ["the end", { kind: "done" }],
  ["a failure", badFrame("no")],
] as const)
  test(`nothing is read after ${name}`, () => {
    const read: string[] = [];
    const push = untilEnd(({ data }) => {
      read.push(data);
      return data === "last" ? [chunk(data), last] : [chunk(data)];
    });
    assert.deepEqual(
      ["first", "last", "late"].map((data) => push(event(data)).length),
      [1, 2, 0],
    );
    assert.deepEqual(read, ["first", "last"]);
  });

test("a wrapped reader has the methods that the reader has, with its state, and no others", () => {
  class Counting implements StreamReader {
    #pushed = 0;
    push(): StreamPiece[] {
      this.#pushed += 1;
      return [chunk("a")];
    }
    missing(): boolean {
      return this.#pushed < 1;
    }
    mayBeEmpty(): boolean {
      return this.#pushed > 1;
    }
    thinking(): boolean {
      return this.#pushed === 1;
    }
  }
  const wrapped = mapPieces(new Counting(), (pieces) => [...pieces, { kind: "done" }]);
  assert.deepEqual(wrapped.push(event("a")), [chunk("a"), { kind: "done" }]);
  assert.deepEqual([wrapped.missing?.(), wrapped.mayBeEmpty?.(), wrapped.thinking?.()], [false, false, true]);
  const plain = mapPieces({ push: () => [] }, (pieces) => pieces);
  assert.deepEqual([plain.missing, plain.mayBeEmpty, plain.thinking], [undefined, undefined, undefined]);
});
