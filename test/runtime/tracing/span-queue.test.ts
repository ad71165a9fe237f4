// Spans on their way to a collector: in batches, within a bound, and never in the way.

import assert from "node:assert/strict";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { SpanQueue } from "#runtime/tracing/span-queue.ts";
import type { EndedSpan } from "#runtime/tracing/tracing.ts";
import { memoryLog } from "../../log.ts";

const span = {} as EndedSpan;

/** A reason, or `hangs`; null if it is accepted. */
type Answer = (batch: readonly EndedSpan[]) => string | null;

function queueOver(answer: Answer) {
  const clock = movableClock();
  const log = memoryLog();
  const batches: number[] = [];
  let closed = 0;
  let interrupt = () => {};
  const sender = {
    send: async (batch: readonly EndedSpan[]) => {
      batches.push(batch.length);
      const result = answer(batch);
      if (result !== "hangs") return result;
      return await new Promise<string>((resolve) => {
        interrupt = () => resolve("the connection was closed");
      });
    },
    close: () => {
      closed += 1;
      interrupt();
    },
  };
  const queue = new SpanQueue(sender, { clock, log });
  const end = (count: number) => {
    for (let each = 0; each < count; each++) queue.add(span);
  };
  return { queue, clock, log, batches, end, closed: () => closed };
}

test("spans go a second later, at most 512 at once; the last ones at the end", async () => {
  const it = queueOver(() => null);
  it.end(600);
  await it.clock.advance(999);
  assert.deepEqual(it.batches, []);
  await it.clock.advance(1);
  assert.deepEqual(it.batches, [512, 88]);
  it.end(1);
  await it.queue.stop();
  assert.deepEqual([it.batches, it.queue.dropped, it.log.lines(), it.closed()], [[512, 88, 1], 0, [], 1]);
});

test("a collector that fails costs its batch, is tried with the next one, and is one line of the log", async () => {
  let error: string | null = "the collector answered 500";
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
  error = null;
  it.end(2);
  await it.clock.advance(1_000);
  assert.equal(it.queue.dropped, 6);
  // It fails again: within ten minutes the log does not hear of it, later it does.
  error = "the connection was refused";
  it.end(1);
  await it.clock.advance(1_000);
  assert.equal(it.log.lines().length, 1);
  error = null;
  it.end(1);
  await it.clock.advance(600_000);
  error = "the connection was refused";
  it.end(1);
  await it.clock.advance(1_000);
  assert.deepEqual([it.log.lines().at(-1)?.reason, it.queue.dropped], ["the connection was refused", 8]);
});

test("an outage that begins soon after another is in the log ten minutes after that one", async () => {
  let error: string | null = "the collector answered 503";
  const it = queueOver(() => error);
  const turn = async (ms: number) => {
    it.end(1);
    await it.clock.advance(ms);
  };
  await turn(1_000);
  error = null;
  await turn(1_000);
  error = "the collector answered 413";
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
  const stopping = it.queue.stop().then(() => {
    stopped = true;
  });
  await it.clock.advance(4_999);
  assert.equal(stopped, false);
  await it.clock.advance(1);
  await stopping;
  // The batch under way ends when its connection is closed, and counts once.
  await it.clock.settle();
  assert.equal(it.queue.dropped, 3 + 512 + 8_192);
  assert.equal(it.log.lines().length, 1);
});

test("a batch that cannot be written as JSON costs its batch alone", async () => {
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
