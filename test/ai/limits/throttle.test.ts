// Who keeps the count: this process alone, or all of them together; and when the shared count cannot be reached,
// this process goes on by its own. A place is given back once, also when two give it back.

import assert from "node:assert/strict";
import test from "node:test";
import { createThrottle, type SharedMeters } from "#ai/limits/throttle.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { memoryLog } from "../../log.ts";
import { poolKey } from "../pools/pool-keys.ts";

const one = { requests_per_minute: null, tokens_per_minute: null, concurrency: 1 };
const levels = { requests: null, tokens: null };

function throttled(shared: SharedMeters | null = null) {
  const clock = movableClock();
  const log = memoryLog();
  return { clock, log, throttle: createThrottle({ clock, log, shared }) };
}

test("a place is given back by the first end alone", async () => {
  const { throttle } = throttled();
  const key = poolKey({ limits: one });
  const first = await throttle.admit(key, "req_1", 10);
  assert.equal(first.admission.kind, "admitted");
  const refused = await throttle.admit(key, "req_2", 10);
  assert.equal(refused.admission.kind, "refused");
  refused.end(0);
  assert.equal((await throttle.admit(key, "req_3", 10)).admission.kind, "refused");
  first.end(10);
  first.end(10);
  assert.equal((await throttle.admit(key, "req_4", 10)).admission.kind, "admitted");
  assert.equal((await throttle.admit(key, "req_5", 10)).admission.kind, "refused");
});

test("each key has a count of its own", async () => {
  const { throttle } = throttled();
  for (const id of ["key_1", "key_2"])
    assert.equal((await throttle.admit(poolKey({ id, limits: one }), id, 1)).admission.kind, "admitted");
});

test("what is left is reported in the order asked for, and of a key that was never used all is left", async () => {
  const { throttle, clock } = throttled();
  const limits = { requests_per_minute: 2, tokens_per_minute: 600, concurrency: 1 };
  const used = poolKey({ limits });
  const call = await throttle.admit(used, "req_1", 100);
  const [unused, now] = await throttle.levels([poolKey({ id: "key_2", limits }), used]);
  assert.deepEqual(unused, {
    requests: { limit: 2, remaining: 2, resetMs: 0 },
    tokens: { limit: 600, remaining: 600, resetMs: 0 },
    underWay: 0,
  });
  assert.deepEqual(now, {
    requests: { limit: 2, remaining: 1, resetMs: 30_000 },
    tokens: { limit: 600, remaining: 500, resetMs: 10_000 },
    underWay: 1,
  });
  call.end(50);
  await clock.advance(30_000);
  const [later] = await throttle.levels([used]);
  assert.deepEqual([later?.requests?.remaining, later?.tokens?.remaining, later?.underWay], [2, 600, 0]);
});

test("with shared meters an unlimited key asks none of them; a limited one gets what they say, and its end is reported to them", async () => {
  const reported: unknown[] = [];
  const { throttle } = throttled({
    admit: async (key, callId, tokens) => {
      reported.push(["admit", key.id, callId, tokens]);
      return callId === "req_gone" ? { kind: "gone" } : { kind: "admitted", levels };
    },
    end: async (key, callId, reckoned, used) => {
      reported.push(["end", key.id, callId, reckoned, used]);
    },
    levels: async (keys) => keys.map(() => ({ ...levels, underWay: 7 })),
  });
  (await throttle.admit(poolKey(), "req_0", 5)).end(5);
  assert.deepEqual(reported, []);
  const key = poolKey({ limits: one });
  const call = await throttle.admit(key, "req_1", 5);
  call.end(7);
  call.end(7);
  assert.deepEqual(await throttle.levels([key]), [{ ...levels, underWay: 7 }]);
  const gone = await throttle.admit(key, "req_gone", 5);
  assert.equal(gone.admission.kind, "gone");
  gone.end(5);
  assert.deepEqual(reported, [
    ["admit", "key_1", "req_1", 5],
    ["end", "key_1", "req_1", 5, 7],
    ["admit", "key_1", "req_gone", 5],
  ]);
});

test("shared meters that cannot be reached: this process's own count holds, and an end that cannot be reported is no fault", async () => {
  let away = true;
  const { throttle, log, clock } = throttled({
    admit: async () => {
      if (away) throw new Error("away");
      return { kind: "admitted", levels };
    },
    end: async () => {
      throw new Error("away");
    },
    levels: async () => [],
  });
  const key = poolKey({ limits: one });
  const first = await throttle.admit(key, "req_1", 5);
  assert.equal(first.admission.kind, "admitted");
  assert.equal((await throttle.admit(key, "req_2", 5)).admission.kind, "refused");
  away = false;
  // Admitted by the others: the end of the first is not told to them, as they never heard of it.
  const second = await throttle.admit(key, "req_3", 5);
  first.end(5);
  second.end(5);
  await clock.settle();
  const warned = log.lines().filter(({ level }) => level === "warn");
  assert.equal(warned.length, 3);
});

test("shared meters that hang: after 2 s this process's own count holds, no other call waits, and what they took is given back", async () => {
  const reported: string[] = [];
  const hung: (() => void)[] = [];
  let hangs = true;
  const { throttle, clock } = throttled({
    admit: (_key, callId) => {
      reported.push(`admit ${callId}`);
      const admitted = { kind: "admitted", levels } as const;
      return hangs ? new Promise((resolve) => hung.push(() => resolve(admitted))) : Promise.resolve(admitted);
    },
    end: async (_key, callId, _reckoned, used) => {
      reported.push(`end ${callId} ${used}`);
    },
    levels: async () => [],
  });
  const key = poolKey({ limits: one });
  let first: Awaited<ReturnType<typeof throttle.admit>> | null = null;
  const waiting = Promise.resolve(throttle.admit(key, "req_1", 5)).then((answer) => {
    first = answer;
  });
  await clock.advance(1_999);
  assert.equal(first, null);
  await clock.advance(1);
  await waiting;
  assert.equal(first!.admission.kind, "admitted");
  assert.equal((await throttle.admit(key, "req_2", 5)).admission.kind, "refused");
  first!.end(5);
  hangs = false;
  assert.equal((await throttle.admit(key, "req_3", 5)).admission.kind, "admitted");
  assert.deepEqual(reported, ["admit req_1"]);
  for (const answer of hung) answer();
  await clock.settle();
  (await throttle.admit(key, "req_4", 5)).end(7);
  await clock.settle();
  assert.deepEqual(reported, ["admit req_1", "end req_1 0", "admit req_4", "end req_4 7"]);
});

test("while the shared meters hang, or are away, all processes together admit no more than the limits", async () => {
  for (const hangs of [true, false])
    for (const limits of [
      { requests_per_minute: 40, tokens_per_minute: null, concurrency: null },
      { requests_per_minute: null, tokens_per_minute: 390, concurrency: null },
      { requests_per_minute: null, tokens_per_minute: null, concurrency: 41 },
      { requests_per_minute: null, tokens_per_minute: null, concurrency: 1 },
      { requests_per_minute: 1, tokens_per_minute: null, concurrency: null },
    ]) {
      const clock = movableClock();
      const shared: SharedMeters = {
        admit: () => (hangs ? new Promise(() => {}) : Promise.reject(new Error("away"))),
        end: async () => {},
        levels: async () => [],
      };
      const processes = [0, 1, 2].map((at) =>
        createThrottle({ clock, log: memoryLog(), shared, place: () => ({ at, of: 3 }) }),
      );
      const key = poolKey({ limits });
      const asked = processes.flatMap((throttle, at) =>
        Array.from({ length: 100 }, (_, n) => Promise.resolve(throttle.admit(key, `req_${at}_${n}`, 10))),
      );
      await clock.advance(2_000);
      const admitted = (await Promise.all(asked)).filter(({ admission }) => admission.kind === "admitted");
      assert.equal(admitted.length, limits.requests_per_minute ?? limits.concurrency ?? 39);
    }
});

test("what the shared meters admitted counts when a process falls back to its share", async () => {
  let away = false;
  const { clock, log } = { clock: movableClock(), log: memoryLog() };
  const shared: SharedMeters = {
    admit: async () => {
      if (away) throw new Error("away");
      return { kind: "admitted", levels };
    },
    end: async () => {},
    levels: async () => [],
  };
  const throttle = createThrottle({ clock, log, shared, place: () => ({ at: 0, of: 2 }) });
  const key = poolKey({ limits: { requests_per_minute: 8, tokens_per_minute: null, concurrency: 4 } });
  const calls = [await throttle.admit(key, "req_1", 1), await throttle.admit(key, "req_2", 1)];
  away = true;
  const kinds = async () => (await throttle.admit(key, "req_3", 1)).admission.kind;
  assert.equal(await kinds(), "refused", "two of this process are under way, and that is its share");
  for (const call of calls) call.end(1);
  assert.deepEqual([await kinds(), await kinds(), await kinds()], ["admitted", "admitted", "refused"]);
});
