// The streams of the conformance suite: chunks in OpenAI's order with every flag right, no end before the end, and
// nothing thrown with any content of an event.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Chunk, Provider, StreamPiece, VendorEvent } from "#providers/provider.ts";
import { expectEnd, type ProviderSuite, requestOf, type StreamCase } from "./conformance-cases.ts";
import { checkedChunk, checkedFailure, type ParsedChunk } from "./openai-shapes.ts";
import { eventsOf } from "./sse.ts";

export function streamChecks(provider: Provider, suite: ProviderSuite): void {
  const play = ({ body, model }: StreamCase, events: readonly VendorEvent[]): StreamPiece[] => {
    const reader = provider.stream(requestOf(body ?? { messages: [] }, model ?? suite.model, true));
    return events.flatMap((event) => reader.push(event));
  };

  for (const recorded of suite.streams) {
    const events = eventsOf(recorded.wire);

    test(`stream: ${recorded.name}`, () => {
      const pieces = play(recorded, events);
      const chunks = pieces.filter((piece) => piece.kind === "chunk").map(checkedChunk);
      assert.deepEqual(chunks, recorded.chunks);
      expectEnd(pieces, recorded.end);
      inOrder(chunks);
    });

    test(`stream: ${recorded.name}, cut after every event`, () => {
      const whole = play(recorded, events);
      for (let cut = 0; cut < events.length; cut++) {
        const pieces = play(recorded, events.slice(0, cut));
        assert.deepEqual(
          pieces,
          whole.slice(0, pieces.length),
          "what was read does not depend on what follows",
        );
        const done = pieces.some(({ kind }) => kind === "done");
        if (done) assert.deepEqual(pieces, whole, "done, and then it went on");
      }
    });

    test(`stream: ${recorded.name}, with any one event damaged`, () => {
      for (const at of events.keys()) {
        for (const data of ["", "{", "null", "<html>", '{"type":', "[1]"]) {
          const damaged = events.with(at, { event: events[at]?.event ?? null, data });
          for (const piece of play(recorded, damaged))
            if (piece.kind === "failure") checkedFailure(piece.failure);
        }
      }
    });
  }

  test("no event, however strange, makes it throw", () => {
    const known = suite.streams.flatMap(({ wire }) => eventsOf(wire));
    const event = fc.oneof(
      fc.constantFrom<VendorEvent[]>({ event: null, data: "{}" }, ...known),
      fc.record({ event: fc.option(fc.string()), data: fc.oneof(fc.string(), fc.json()) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const reader = provider.stream(requestOf({ messages: [] }, suite.model, true));
        for (const piece of events.flatMap((one) => reader.push(one))) {
          if (piece.kind === "failure") checkedFailure(piece.failure);
        }
      }),
    );
  });
}

/** One id and model; the role first; nothing of a choice behind its finish; usage last; calls told apart. */
function inOrder(chunks: readonly ParsedChunk[]): void {
  assert.ok(new Set(chunks.map(({ id, model }) => `${id} ${model}`)).size <= 1);
  const finished = new Set<number>();
  const begun = new Set<number>();
  const calls = new Map<string, string>();
  for (const [at, { choices, usage }] of chunks.entries()) {
    if (usage && choices.length === 0) assert.equal(at, chunks.length - 1, "usage comes last");
    for (const { index, delta, finish_reason: reason } of choices) {
      assert.ok(!finished.has(index), "a choice goes on behind its finish");
      if (!begun.has(index)) assert.equal(delta.role, "assistant", "the role comes first");
      begun.add(index);
      for (const call of delta.tool_calls ?? []) {
        const place = `${index} ${call.index}`;
        if (calls.has(place)) assert.equal(call.id, undefined, "an id is sent once");
        else assert.ok(call.id && call.function.name, "a call begins with its id and name");
        calls.set(place, (calls.get(place) ?? "") + (call.function.arguments ?? ""));
      }
      if (typeof reason === "string") finished.add(index);
    }
  }
  if (finished.size > 0) for (const text of calls.values()) JSON.parse(text);
}

/** The chunks among pieces: for tests beside the suite. */
export function chunksOf(pieces: readonly StreamPiece[]): Chunk[] {
  return pieces.filter((piece) => piece.kind === "chunk");
}
