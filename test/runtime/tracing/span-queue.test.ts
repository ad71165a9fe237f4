// Spans on their way to a collector: in batches, within a bound, and never in the way.

import assert from "node:assert/strict";
import test from "node:test";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { SpanQueue } from "#runtime/tracing/span-queue.ts";
import { movableClock } from "../../clock.ts";
import { memoryLog } from "../../log.ts";

const span = (traceFlags = 1) => ({ spanContext: () => ({ traceFlags }) }) as unknown as ReadableSpan;

type Answer = (batch: ReadableSpan[]) => Error | "ok" | "hangs";

function queueOver(answer: Answer) {
  const clock = movableClock();
  const log = memoryLog();
  const batches: number[] = [];
  const exporter: SpanExporter = {
    export: (batch, done) => {
      batches.push(batch.length);
      const result = answer(batch);
      if (result !== "hangs") done(result === "ok" ? { code: 0 } : { code: 1, error: result });
    },
    shutdown: async () => {},
  };
  const queue = new SpanQueue(exporter, { clock, log });
  const end = (count: number, flags = 1) => {
    for (let each = 0; each < count; each++) queue.onEnd(span(flags));
  };
  return { queue, clock, log, batches, end };
}

test("spans go a second later, at most 512 at once; those that are not sampled do not", async () => {
  const it = queueOver(() => "ok");
  it.queue.onStart();
  it.end(600);
  it.end(5, 0);
  await it.clock.advance(999);
  assert.deepEqual(it.batches, []);
  await it.clock.advance(1);
  assert.deepEqual(it.batches, [512, 88]);
  it.end(1);
  await it.queue.forceFlush();
  await it.queue.shutdown();
  assert.deepEqual([it.batches, it.queue.dropped, it.log.lines()], [[512, 88, 1], 0, []]);
});

test("a collector that fails costs its batch, is tried with the next one, and is one line of the log", async () => {
  let error: Error | "ok" = Object.assign(new Error("at https://user:pass@collector"), { code: 500 });
  const it = queueOver(() => error);
  for (let turn = 0; turn < 3; turn++) {
    it.end(2);
    await it.clock.advance(1_000);
  }
  assert.equal(it.queue.dropped, 6);
  const [line, ...others] = it.log.lines();
  assert.deepEqual(
    [line?.event, line?.reason, others],
    ["trace.spans_dropped", "the collector answered 500", []],
  );
  assert.doesNotMatch(it.log.text(), /user:pass/);
  error = "ok";
  it.end(2);
  await it.clock.advance(1_000);
  assert.equal(it.queue.dropped, 6);
  // It fails again: within ten minutes the log does not hear of it, later it does.
  error = Object.assign(new Error(), { code: "ECONNREFUSED" });
  it.end(1);
  await it.clock.advance(1_000);
  assert.equal(it.log.lines().length, 1);
  error = "ok";
  it.end(1);
  await it.clock.advance(600_000);
  error = Object.assign(new Error(), { code: "ECONNREFUSED" });
  it.end(1);
  await it.clock.advance(1_000);
  assert.deepEqual([it.log.lines().at(-1)?.reason, it.queue.dropped], ["the connection was refused", 8]);
});

test("an outage that begins soon after another is in the log ten minutes after that one", async () => {
  let error: Error | "ok" = Object.assign(new Error(), { code: 503 });
  const it = queueOver(() => error);
  const turn = async (ms: number) => {
    it.end(1);
    await it.clock.advance(ms);
  };
  await turn(1_000);
  error = "ok";
  await turn(1_000);
  error = Object.assign(new Error(), { code: 413 });
  for (let minute = 0; minute < 10; minute++) await turn(60_000);
  assert.equal(it.log.lines().length, 1);
  await turn(60_000);
  assert.deepEqual(
    it.log.lines().map(({ reason }) => reason),
    ["the collector answered 503", "the collector answered 413"],
  );
});

test("a collector that hangs: the queue is bounded, what is beyond it is counted, and the end is not held up", async () => {
  const it = queueOver(() => "hangs");
  it.end(512);
  await it.clock.advance(1_000);
  it.end(8_192 + 3);
  assert.deepEqual([it.batches, it.queue.dropped], [[512], 3]);
  let stopped = false;
  const stopping = it.queue.shutdown().then(() => {
    stopped = true;
  });
  await it.clock.advance(4_999);
  assert.equal(stopped, false);
  await it.clock.advance(1);
  await stopping;
  assert.equal(it.queue.dropped, 3 + 512 + 8_192);
  assert.equal(it.log.lines().length, 1);
});

test("an exporter that throws costs its batch alone", async () => {
  const it = queueOver(() => {
    throw new TypeError("cannot serialise");
  });
  it.end(1);
  await it.clock.advance(1_000);
  assert.deepEqual(
    [it.queue.dropped, it.log.lines().map(({ event }) => event)],
    [1, ["trace.spans_dropped"]],
  );
});
