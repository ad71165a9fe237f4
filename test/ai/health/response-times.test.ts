// Times to the first output: apart by what was asked, by the length of the prompt, and what is longer than usual.

import assert from "node:assert/strict";
import test from "node:test";
import { promptSizeFactor, ResponseTimes } from "#ai/health/response-times.ts";

test("whole answers, streams and embeddings are timed apart; peaks count at once, improvements slowly", () => {
  const times = new ResponseTimes();
  times.record("embeddings", 50, 1);
  times.record("whole", 60_000, 1);
  times.record("stream", 400, 1);
  times.record("stream", 900, 1);
  times.record("stream", 400, 1);
  assert.deepEqual(
    (["stream", "whole", "embeddings"] as const).map((kind) => times.average(kind)),
    [800, 60_000, 50],
  );
});

test("a long prompt's time counts as a usual prompt's, so that it makes no member look slow", () => {
  assert.deepEqual([promptSizeFactor(0), promptSizeFactor(4_000), promptSizeFactor(200_000)], [1, 1, 50]);
  const times = new ResponseTimes();
  times.record("stream", 400, 1);
  times.record("stream", 20_000, promptSizeFactor(200_000));
  assert.equal(times.average("stream"), 400);
});

test("longer than usual: four times the average, with a floor; 20 s where nothing is known; more for long prompts", () => {
  const times = new ResponseTimes();
  assert.equal(times.overdueMs("stream", 1), 20_000);
  times.record("stream", 20, 1);
  assert.equal(times.overdueMs("stream", 1), 5_000);
  assert.equal(times.overdueMs("whole", 1), 20_000, "it is known of streams alone");
  times.record("stream", 30_000, 1);
  assert.equal(times.overdueMs("stream", 1), 120_000);
  assert.equal(times.overdueMs("stream", promptSizeFactor(8_000)), 240_000);
  times.record("whole", 20, 1);
  assert.equal(times.overdueMs("whole", 1), 10_000);
});

test("the 95th percentile is of the last hundred times, and needs twenty", () => {
  const times = new ResponseTimes();
  for (let ms = 1; ms < 20; ms++) times.record("stream", ms, 1);
  assert.equal(times.lateMs("stream", 1), null);
  times.record("stream", 20, 1);
  assert.equal(times.lateMs("stream", 1), 19);
  assert.equal(times.lateMs("stream", 3), 57, "a long prompt takes longer");
  assert.equal(times.lateMs("whole", 1), null);
  for (let ms = 1; ms <= 100; ms++) times.record("stream", 2 * ms, 2);
  assert.equal(times.lateMs("stream", 1), 95);
});

test("the percentile is that of the last hundred times, in whichever order they came", () => {
  const times = new ResponseTimes();
  const all: number[] = [];
  for (let i = 0; i < 250; i++) {
    const ms = (i * 7919) % 101;
    all.push(ms);
    times.record("whole", ms, 1);
    if (all.length < 20) continue;
    const last = all.slice(-100).toSorted((a, b) => a - b);
    assert.equal(times.lateMs("whole", 1), last[Math.ceil(0.95 * last.length) - 1]);
  }
});

test("a whole answer has four times the slowest of a hundred, and a minute at least; it needs twenty known times", () => {
  const times = new ResponseTimes();
  for (let turn = 0; turn < 19; turn++) times.record("whole", 30_000, 1);
  assert.equal(times.answerMs("whole", 1), null);
  assert.deepEqual(times.unusual("whole", 1), { ms: 60_000, isKnown: false });
  times.record("whole", 200, 1);
  assert.equal(times.answerMs("whole", 1), 120_000);
  assert.equal(times.answerMs("whole", 10), 1_200_000);
  assert.equal(times.answerMs("stream", 1), null);
  assert.deepEqual(times.unusual("whole", 1), { ms: 120_000, isKnown: true });
  const quick = new ResponseTimes();
  for (let turn = 0; turn < 100; turn++) quick.record("whole", 10, 1);
  assert.equal(quick.answerMs("whole", 1), 60_000);
  assert.deepEqual(quick.unusual("whole", 1), { ms: 1_000, isKnown: true });
});
