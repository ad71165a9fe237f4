// A whole answer is gathered within bounds of bytes and of pieces, however its sender cuts it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { collect, maxAnswerBytes, textOf } from "#ai/stream/collect.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { BodyReader } from "#runtime/net/streaming-client.ts";
import { incoming } from "../wire.ts";

const gathered = (body: BodyReader, max: number) => collect(movableClock(), body, max, 30_000, 600_000);

test("text that is cut anywhere, inside a character too, is whole again, without its byte order mark", async () => {
  const bytes = Buffer.from("\uFEFFGrüße 👋");
  const { body } = incoming([...bytes].map((byte) => Buffer.of(byte)));
  const collected = await gathered(body, 10_000);
  assert.ok(collected.kind === "bytes");
  assert.equal(textOf(collected.bytes), "Grüße 👋");
});

test("single bytes without end are given up long before the longest answer", async () => {
  const max = 1024 * 1024;
  let read = 0;
  let cancelled = false;
  const body: BodyReader = {
    read: async () => {
      read += 1;
      return read > max ? null : Buffer.of(0x20);
    },
    cancel: () => {
      cancelled = true;
    },
  };
  assert.deepEqual(await gathered(body, max), { kind: "too_long" });
  assert.ok(cancelled);
  assert.equal(read, 4096 + 1024 + 1);
});

test("the longest answer is taken in pieces of usual sizes, and not one byte more", async () => {
  const max = 1024 * 1024;
  for (const size of [256, 16 * 1024, 64 * 1024]) {
    const pieces = () => Array.from({ length: max / size }, () => Buffer.alloc(size, "x"));
    const whole = await gathered(incoming(pieces()).body, max);
    assert.equal(whole.kind === "bytes" && whole.bytes.length, max);
    const { kind } = await gathered(incoming([...pieces(), Buffer.of(0x78)]).body, max);
    assert.equal(kind, "too_long");
  }
});

test("16 MiB unless the configuration says otherwise, and four times that for vectors", () => {
  assert.equal(maxAnswerBytes(), 16 * 1024 * 1024);
  assert.equal(maxAnswerBytes(1_000), 1_000);
  assert.equal(maxAnswerBytes(1_000, true), 4_000);
});
