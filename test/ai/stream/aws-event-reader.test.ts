// AWS's frames in every split, damaged at every byte, and of every type of header.

import assert from "node:assert/strict";
import test from "node:test";
import { AwsEventReader, isAwsStream } from "#ai/stream/aws-event-reader.ts";
import type { VendorEvent } from "#providers/provider.ts";
import { bedrockSuite } from "../../providers/bedrock/bedrock-suite.ts";
import { frame, frameOf } from "../../providers/bedrock/frames.ts";
import { eventsOf } from "../../providers/sse.ts";

function read(pieces: readonly Buffer[]): { events: VendorEvent[]; damaged: boolean } {
  const reader = new AwsEventReader();
  const events = pieces.flatMap((piece) => reader.push(piece) ?? []);
  assert.deepEqual(reader.end(), []);
  assert.equal(reader.takeComment(), false);
  return { events, damaged: reader.isDamaged() };
}

test("every recorded stream in every split: the same events", () => {
  for (const { name, wire } of bedrockSuite.streams) {
    const events = eventsOf(wire);
    const bytes = Buffer.concat(events.map(frameOf));
    for (let at = 0; at <= bytes.length; at++)
      assert.deepEqual(read([bytes.subarray(0, at), bytes.subarray(at)]), { events, damaged: false }, name);
    assert.deepEqual(read([...bytes].map((byte) => Buffer.of(byte))), { events, damaged: false });
  }
});

test("a stream that is cut inside a frame is damaged, and between frames it is not", () => {
  const events = eventsOf(bedrockSuite.streams[0]!.wire);
  const frames = events.map(frameOf);
  const bytes = Buffer.concat(frames);
  const ends = new Set(frames.map((_, at) => Buffer.concat(frames.slice(0, at)).length));
  for (let at = 0; at < bytes.length; at++) {
    const { events: got, damaged } = read([bytes.subarray(0, at)]);
    assert.deepEqual(got, events.slice(0, got.length));
    assert.equal(damaged, !ends.has(at), `at ${at}`);
  }
});

test("one bit changed anywhere is noticed: events before it stand, none comes from it or behind it", () => {
  const events = eventsOf(bedrockSuite.streams[0]!.wire).slice(0, 3);
  const frames = events.map(frameOf);
  const bytes = Buffer.concat(frames);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1 << (at % 8);
    const { events: got, damaged } = read([changed]);
    assert.ok(damaged, `at ${at}`);
    assert.deepEqual(got, events.slice(0, got.length));
    assert.ok(Buffer.concat(frames.slice(0, got.length)).length <= at);
  }
});

test("headers of other types are passed over, and those that do not end are damage", () => {
  const name = Buffer.from("\u0001a");
  const others: [number, number[]][] = [
    [0, []],
    [1, []],
    [2, [1]],
    [3, [1, 2]],
    [4, [1, 2, 3, 4]],
    [5, [1, 2, 3, 4, 5, 6, 7, 8]],
    [6, [0, 2, 9, 9]],
    [8, [1, 2, 3, 4, 5, 6, 7, 8]],
    [9, Array.from({ length: 16 }, () => 1)],
  ];
  const headers = others.map(([type, value]) => Buffer.concat([name, Buffer.of(type, ...value)]));
  const named = Buffer.concat([
    Buffer.of(11),
    Buffer.from(":event-type"),
    Buffer.of(7, 0, 1),
    Buffer.from("x"),
  ]);
  assert.deepEqual(read([frame(Buffer.concat([...headers, named]), Buffer.from("{}"))]), {
    events: [{ event: "x", data: "{}" }],
    damaged: false,
  });
  for (const wrong of [
    Buffer.of(5),
    Buffer.of(1, 97),
    Buffer.of(1, 97, 10),
    Buffer.of(1, 97, 7, 0),
    Buffer.of(1, 97, 7, 0, 9),
  ])
    assert.deepEqual(read([frame(wrong, Buffer.alloc(0))]), { events: [], damaged: true });
});

test("a frame that is longer than any answer is refused by its head", () => {
  const head = frame(Buffer.alloc(0), Buffer.alloc(17 * 1024 * 1024)).subarray(0, 12);
  const reader = new AwsEventReader();
  assert.equal(reader.push(head), null);
  assert.equal(reader.push(head), null);
  assert.equal(reader.end(), null);
});

test("the type of the body", () => {
  assert.ok(isAwsStream("application/vnd.amazon.eventstream"));
  assert.ok(isAwsStream("Application/vnd.amazon.EventStream; charset=x"));
  assert.ok(!isAwsStream("text/event-stream"));
});
