// An abort: all who listen at that moment are notified once, and none later.

import assert from "node:assert/strict";
import test from "node:test";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";

const once = { once: true } as const;

test("who listens is notified once, in their order; who left or comes too late is not", () => {
  const stop = new LightAbortController();
  const called: string[] = [];
  const left = () => called.push("left");
  const first = () => called.push("first");
  stop.addEventListener("abort", left, once);
  stop.addEventListener("abort", first, once);
  stop.addEventListener("abort", first, once);
  stop.addEventListener("abort", () => called.push("second"), once);
  stop.removeEventListener("abort", left);
  assert.equal(stop.aborted, false);
  stop.abort();
  assert.equal(stop.aborted, true);
  stop.addEventListener("abort", () => called.push("late"), once);
  stop.abort();
  assert.deepEqual(called, ["first", "second"]);
});

test("one who leaves during the notification does not keep the next from hearing it", () => {
  const stop = new LightAbortController();
  const called: string[] = [];
  const first = () => {
    stop.removeEventListener("abort", first);
    called.push("first");
  };
  stop.addEventListener("abort", first, once);
  stop.addEventListener("abort", () => called.push("second"), once);
  stop.abort();
  assert.deepEqual(called, ["first", "second"]);
});

test("an AbortSignal is one too", () => {
  const controller = new AbortController();
  const signal: LightAbortSignal = controller.signal;
  let called = 0;
  signal.addEventListener("abort", () => (called += 1), once);
  controller.abort();
  assert.equal(called, 1);
});
