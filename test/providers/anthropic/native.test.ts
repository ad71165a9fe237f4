// Anthropic's answers and streams as they are passed on: what counts as output, as the end, and as usage.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { EventReader } from "#ai/stream/event-reader.ts";
import { forwardedAnswer, forwardedHeaders, forwardedStream } from "#providers/anthropic/native.ts";
import type { Chunk, StreamPiece } from "#providers/provider.ts";
import {
  anthropicEvent,
  anthropicEvents,
  anthropicMessage,
  anthropicUsage,
} from "../../http/anthropic-peer.ts";

const recorded = anthropicEvents("claude").join("");

function read(pieces: readonly Buffer[]): StreamPiece[] {
  const events = new EventReader();
  const reader = forwardedStream();
  const read = pieces.flatMap((piece) => events.push(piece) ?? []);
  return [...read, ...(events.end() ?? [])].flatMap((event) => reader.push(event));
}

test("a stream: every event but pings, output from the first thought on, usage added up", () => {
  const pieces = read([Buffer.from(recorded)]);
  assert.equal(pieces.at(-1)?.kind, "done");
  const chunks = pieces.filter((piece): piece is Chunk => piece.kind === "chunk");
  assert.deepEqual(
    chunks.map(({ event }) => event).filter((event) => !event!.startsWith("content_block")),
    ["message_start", "a_new_event", "message_delta"],
  );
  assert.deepEqual(chunks.map(({ output }) => output).slice(0, 3), [false, false, true]);
  assert.deepEqual(chunks.at(-1)!.usage, {
    promptTokens: 9,
    completionTokens: 5,
    totalTokens: 14,
    cachedTokens: 2,
    cacheWriteTokens: 3,
  });
  assert.deepEqual(
    chunks.filter(({ finish }) => finish).map(({ event }) => event),
    ["message_delta"],
  );
});

test("however it is split on the wire, the same pieces come out (1,000 splits)", () => {
  const bytes = Buffer.from(recorded);
  const whole = read([bytes]);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
      assert.deepEqual(read(pieces), whole);
    }),
    { numRuns: 1_000 },
  );
});

test("a stream with a byte changed or cut off never throws, and never ends twice (2,000 corruptions)", () => {
  const bytes = Buffer.from(recorded);
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 255 }), fc.boolean(), (at, to, cut) => {
      const spoilt = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
      if (!cut) spoilt[at] = to;
      const ends = read([spoilt]).filter(({ kind }) => kind !== "chunk");
      assert.ok(ends.length <= 1);
    }),
    { numRuns: 2_000 },
  );
});

test("what was written to a cache for an hour is counted apart", () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 9_000,
    cache_creation: { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 7_000 },
  };
  const parsed = forwardedAnswer(JSON.stringify({ ...anthropicMessage("claude"), usage }));
  const counted = parsed.kind === "answer" ? parsed.usage : null;
  assert.deepEqual([counted?.promptTokens, counted?.cacheWriteTokens], [9_010, 9_000]);
  assert.equal(counted?.cacheWriteHourTokens, 7_000);
});

test("errors, garbage and a missing start are failures", () => {
  const first = (...events: { event: string | null; data: string }[]) => {
    const reader = forwardedStream();
    return events.flatMap((event) => reader.push(event))[0];
  };
  const error = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
  for (const data of [
    error,
    "not json",
    "[]",
    '{"type":"message_stop"}',
    '{"type":"message_delta","delta":{}}',
    '{"type":"a b"}',
  ])
    assert.equal(first({ event: null, data })?.kind, "failure", data);
  assert.deepEqual(first({ event: "ping", data: "{}" }), undefined);
});

test("whole answers: an empty one is an answer where tokens were counted, an error in a 200 is a failure", () => {
  const kindOf = (value: unknown) => {
    const parsed = forwardedAnswer(JSON.stringify(value));
    return parsed.kind === "answer" ? parsed.output : parsed.failure.kind;
  };
  assert.equal(kindOf(anthropicMessage("m")), true);
  assert.equal(kindOf(anthropicMessage("m", [])), true);
  const uncounted = { ...anthropicUsage, output_tokens: 0 };
  assert.equal(kindOf({ ...anthropicMessage("m", []), usage: uncounted }), false);
  assert.equal(kindOf(anthropicMessage("m", [], "max_tokens")), true);
  assert.equal(kindOf({ ...anthropicMessage("m"), stop_reason: null }), "upstream_error");
  assert.equal(
    kindOf({ type: "error", error: { type: "overloaded_error", message: "x" } }),
    "upstream_error",
  );
  assert.equal(kindOf([]), "upstream_error");
});

test("the client's version counts, betas of both are asked for, and the member's own headers stand", () => {
  const own = {
    "X-Api-Key": "k",
    "anthropic-version": "2023-06-01",
    "Anthropic-Beta": "b, own",
    "x-app": "gateway",
  };
  const client = {
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "a,b",
    "x-app": "cli",
    "x-claude-code-session-id": "s",
  };
  assert.deepEqual(forwardedHeaders(own, client), {
    "x-api-key": "k",
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "a,b,own",
    "x-app": "gateway",
    "x-claude-code-session-id": "s",
  });
});

test("a stream that ends its turn without a word is an answer where tokens were counted at its end", () => {
  const outputs = (output_tokens: number) => {
    const events = [
      anthropicEvent({ type: "message_start", message: anthropicMessage("m", []) }),
      anthropicEvent({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens } }),
      anthropicEvent({ type: "message_stop" }),
    ];
    return read([Buffer.from(events.join(""))]).map((piece) => piece.kind === "chunk" && piece.output);
  };
  assert.deepEqual(outputs(2), [false, true, false]);
  assert.deepEqual(outputs(0), [false, false, false]);
});
