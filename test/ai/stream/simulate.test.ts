// A played answer keeps its pace on the clock, breaks off where it says so, and ends when its reader leaves.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { simulate } from "#ai/stream/simulate.ts";
import type { SimulatedResponse } from "#providers/provider.ts";
import { movableClock } from "#runtime/movable-clock.ts";

const answer = (...pieces: SimulatedResponse["pieces"]): SimulatedResponse => ({
  status: 200,
  contentType: "text/event-stream",
  pieces,
});
const { signal } = new AbortController();

test("the head comes with the first piece, the others at their pace, then the end", async () => {
  const clock = movableClock();
  const playing = simulate(
    answer({ waitMs: 100, text: "a" }, { waitMs: 50, text: "é" }),
    clock,
    1000,
    signal,
  );
  await clock.advance(99);
  assert.equal(clock.sleeping(), 1);
  await clock.advance(1);
  const result = await playing;
  assert.ok(result.kind === "answer");
  assert.deepEqual([result.status, result.headers], [200, { "content-type": "text/event-stream" }]);
  assert.equal(String(await result.body.read(1000)), "a");
  const second = result.body.read(1000);
  await clock.advance(50);
  assert.equal(String(await second), "é");
  assert.equal(await result.body.read(1000), null);
});

test("a head that is later than the patience for it does not come", async () => {
  const clock = movableClock();
  const playing = simulate(answer({ waitMs: 3000, text: "a" }), clock, 1000, signal);
  await clock.advance(1000);
  const result = await playing;
  assert.ok(result.kind === "failed" && result.why === "headers_timeout");
});

test("a silence that is longer than the patience is a timeout", async () => {
  const clock = movableClock();
  const result = await simulate(
    answer({ waitMs: 0, text: "a" }, { waitMs: 500, text: "b" }),
    clock,
    1000,
    signal,
  );
  assert.ok(result.kind === "answer");
  await result.body.read(100);
  const second = result.body.read(100);
  await clock.advance(100);
  assert.deepEqual(await second, { why: "timeout", reason: "nothing came within 100 ms" });
});

test("cut at the head nothing is answered; later the body breaks", async () => {
  const clock = movableClock();
  const first = await simulate(answer({ waitMs: 0, cut: true }), clock, 1000, signal);
  assert.ok(first.kind === "failed" && first.why === "cut" && !first.reused);
  const later = await simulate(
    answer({ waitMs: 0, text: "a" }, { waitMs: 0, cut: true }),
    clock,
    1000,
    signal,
  );
  assert.ok(later.kind === "answer");
  await later.body.read(100);
  assert.deepEqual(await later.body.read(100), { why: "cut", reason: "the connection was reset" });
});

test("aborted before, during the wait for the head, and inside the body", async () => {
  const clock = movableClock();
  const slow = answer({ waitMs: 100, text: "a" }, { waitMs: 100, text: "b" });
  const before = await simulate(slow, clock, 1000, AbortSignal.abort());
  assert.ok(before.kind === "failed" && before.why === "aborted");
  const head = new AbortController();
  const waiting = simulate(slow, clock, 1000, head.signal);
  head.abort();
  assert.deepEqual(await waiting, before);
  const inside = new AbortController();
  const playing = simulate(slow, clock, 1000, inside.signal);
  await clock.advance(100);
  const result = await playing;
  assert.ok(result.kind === "answer");
  await result.body.read(100);
  const reading = result.body.read(1000);
  inside.abort();
  assert.deepEqual(await reading, { why: "cancelled", reason: "stopped" });
  assert.deepEqual(await result.body.read(1000), { why: "cancelled", reason: "stopped" });
  assert.equal(clock.sleeping(), 0);
  assert.equal(getEventListeners(inside.signal, "abort").length, 0);
});
