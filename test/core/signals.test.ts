// Signals: every listener is called at once and in order, and one that throws stops nothing.

import assert from "node:assert/strict";
import test from "node:test";
import { createSignals } from "#core/signals.ts";
import { memoryLog } from "../log.ts";

test("emit calls the listeners of its signal alone, synchronously and in the order of subscribing", () => {
  const signals = createSignals(memoryLog());
  const calls: unknown[][] = [];
  signals.subscribe("laneDue", (...args) => calls.push(["first", ...args]));
  signals.subscribe("laneDue", (...args) => calls.push(["second", ...args]));
  signals.subscribe("poolsChanged", () => calls.push(["pools"]));
  signals.emit("laneDue", "gw_1", 5);
  assert.deepEqual(calls.splice(0), [
    ["first", "gw_1", 5],
    ["second", "gw_1", 5],
  ]);
  signals.emit("accountsChanged");
  assert.deepEqual(calls, []);
  signals.emit("poolsChanged");
  assert.deepEqual(calls, [["pools"]]);
});

test("a listener that throws is logged, and the others are called", () => {
  const log = memoryLog();
  const signals = createSignals(log);
  let calls = 0;
  signals.subscribe("lanesChanged", () => {
    throw new Error("broken");
  });
  signals.subscribe("lanesChanged", () => {
    calls += 1;
  });
  signals.emit("lanesChanged");
  assert.equal(calls, 1);
  const [line, ...others] = log.lines();
  assert.deepEqual([line?.event, line?.signal, others], ["signal.listener_failed", "lanesChanged", []]);
});

test("an ended subscription gets nothing; ending it twice ends no other one", () => {
  const signals = createSignals(memoryLog());
  let calls = 0;
  const listener = () => {
    calls += 1;
  };
  const end = signals.subscribe("eventsRecorded", listener);
  signals.subscribe("eventsRecorded", listener);
  end();
  end();
  signals.emit("eventsRecorded");
  assert.equal(calls, 1);
});

test("a listener may subscribe and unsubscribe during a call; that counts from the next call on", () => {
  const signals = createSignals(memoryLog());
  const calls: string[] = [];
  const end = signals.subscribe("pausesChanged", () => {
    calls.push("once");
    end();
    signals.subscribe("pausesChanged", () => calls.push("later"));
  });
  signals.subscribe("pausesChanged", () => calls.push("always"));
  signals.emit("pausesChanged");
  assert.deepEqual(calls.splice(0), ["once", "always"]);
  signals.emit("pausesChanged");
  assert.deepEqual(calls, ["always", "later"]);
});
