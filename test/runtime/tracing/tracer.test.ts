// Spans, their positions in a trace, and what is kept of them.

import assert from "node:assert/strict";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { systemRandom } from "#runtime/random.ts";
import { createTracer } from "#runtime/tracing/tracer.ts";
import { type EndedSpan, spanKind } from "#runtime/tracing/tracing.ts";

function tracing(isSampled = true) {
  const clock = movableClock();
  const ended: EndedSpan[] = [];
  const tracer = createTracer({
    clock,
    random: systemRandom(),
    sampler: () => isSampled,
    onEnd: (span) => ended.push(span),
  });
  return { clock, ended, tracer };
}

const parent = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  traceFlags: 1,
  traceState: "shop=1",
  isRemote: true,
};

test("a span takes the trace and its state from its parent, and makes a trace without one", () => {
  const { tracer, ended } = tracing();
  const inner = tracer.startSpan("inner", { kind: spanKind.client }, parent);
  assert.deepEqual(inner.context, {
    traceId: parent.traceId,
    spanId: inner.context.spanId,
    traceFlags: 1,
    traceState: "shop=1",
  });
  assert.match(inner.context.spanId, /^[0-9a-f]{16}$/);
  const outer = tracer.startSpan("outer", { kind: spanKind.server }, null);
  assert.match(outer.context.traceId, /^[0-9a-f]{32}$/);
  outer.end();
  inner.end();
  assert.deepEqual(
    ended.map((span) => [span.name, span.parent]),
    [
      ["outer", null],
      ["inner", parent],
    ],
  );
});

test("a span that is not sampled has a position for the members, and does not reach the collector", () => {
  const { tracer, ended } = tracing(false);
  const span = tracer.startSpan("chat", { kind: spanKind.server, attributes: { a: 1 } }, parent);
  assert.deepEqual([span.isRecording(), span.context.traceFlags], [false, 0]);
  assert.equal(span.context.traceId, parent.traceId);
  assert.notEqual(span.context.spanId, parent.spanId);
  span.setAttribute("b", 1);
  span.setAttributes({ c: 1 });
  span.fail();
  span.end();
  assert.deepEqual(ended, []);
});

test("a span ends once; a step of the wall clock does not change how long it took", async () => {
  const { tracer, ended, clock } = tracing();
  const startMs = clock.now();
  const span = tracer.startSpan(
    "chat",
    { kind: spanKind.server, attributes: { long: "x".repeat(300) } },
    null,
  );
  await clock.advance(250);
  clock.setNow(startMs - 60_000);
  span.setAttributes({ list: ["a", "y".repeat(300)], tokens: 5 });
  span.end();
  span.setAttribute("late", 1);
  span.fail();
  span.end();
  assert.equal(span.isRecording(), false);
  assert.equal(ended.length, 1);
  const [{ context: _, ...rest }] = ended as [EndedSpan];
  assert.deepEqual(rest, {
    parent: null,
    name: "chat",
    kind: 2,
    startMs,
    endMs: startMs + 250,
    attributes: { long: "x".repeat(256), list: ["a", "y".repeat(256)], tokens: 5 },
    isFailed: false,
  });
});
