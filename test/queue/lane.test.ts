// A lane on its own: what goes out when, how fast, and in which order.

import assert from "node:assert/strict";
import test from "node:test";
import { bad, drive, well } from "./fake-work.ts";

const day = 86_400_000;
const many = (count: number, row: object = {}) => Array.from({ length: count }, () => ({ ...row }));

test("sends what is due, in order, once each, and settles it", async () => {
  const { clock, work, lane, sentIds } = drive({ prepare: (work) => work.add(...many(1200)) });
  await clock.settle();
  assert.deepEqual(
    sentIds(),
    Array.from({ length: 1200 }, (_, i) => `m${String(i + 1).padStart(6, "0")}`),
  );
  assert.equal(work.settled.length, 1200);
  assert.equal(work.calls.recover, 1);
  await lane.stop();
});

test("nothing goes before its instant; later ones go at theirs, in the order of their instants", async () => {
  const { clock, work, lane, sentIds } = drive();
  const now = clock.now();
  work.add({ id: "c", due_at: now + 3000 }, { id: "a", due_at: now + 1000 }, { id: "b", due_at: now + 2000 });
  lane.wake();
  await clock.advance(999);
  assert.deepEqual(sentIds(), []);
  await clock.advance(10_000);
  assert.deepEqual(
    work.sent.map(({ id, at }) => [id, at - now]),
    [
      ["a", 1000],
      ["b", 2000],
      ["c", 3000],
    ],
  );
  await lane.stop();
});

test("an earlier message that comes while the lane waits for a later one is not kept waiting", async () => {
  const { clock, work, lane, sentIds } = drive();
  work.add({ id: "later", due_at: clock.now() + 50_000 });
  lane.wake();
  await clock.advance(10);
  work.add({ id: "sooner" });
  lane.wake();
  await clock.settle();
  assert.deepEqual(sentIds(), ["sooner"]);
  await lane.stop();
});

test("an idle lane neither looks by itself nor keeps a timer", async () => {
  const { clock, work, lane, sentIds } = drive();
  await clock.settle();
  const before = work.calls.readDue;
  await clock.advance(86_400_000);
  assert.equal(work.calls.readDue, before);
  assert.equal(clock.sleeping(), 0);
  work.add({ id: "a" });
  lane.wake();
  await clock.settle();
  assert.deepEqual(sentIds(), ["a"]);
  await lane.stop();
});

test("a lane of which everything is known reads nothing until it is woken", async () => {
  const { clock, work, lane, sentIds } = drive({
    interrupted: false,
    prepare: (work) => work.add({ id: "a" }),
  });
  await clock.advance(600_000);
  assert.deepEqual([work.calls.recover, work.calls.readDue, work.calls.nextDue], [0, 0, 0]);
  lane.wake(clock.now());
  await clock.settle();
  assert.deepEqual(sentIds(), ["a"]);
  await lane.stop();
});

test("a lane on which something was left recovers first, and then looks without being woken", async () => {
  const { clock, work, lane, sentIds } = drive({
    interrupted: true,
    prepare: (work) => work.add({ id: "a" }),
  });
  await clock.settle();
  assert.equal(work.calls.recover, 1);
  assert.deepEqual(sentIds(), ["a"]);
  await lane.stop();
});

test("no more than its concurrency is on the wire", async () => {
  const { clock, work, lane } = drive({
    rules: { concurrency: 3 },
    prepare: (work, clock) => {
      work.add(...many(30));
      work.answer = async () => {
        await clock.sleep(100);
        return well;
      };
    },
  });
  await clock.advance(50);
  assert.equal(work.sent.length, 3);
  await clock.advance(2000);
  assert.equal(work.sent.length, 30);
  assert.equal(work.maxOnWire, 3);
  await lane.stop();
});

test("keeps its rate, from a backlog and from messages that trickle in", async () => {
  const { clock, work, lane } = drive({
    rules: { perSecond: 10 },
    prepare: (work) => work.add(...many(700)),
  });
  await clock.advance(60_000);
  assert.ok(work.sent.length >= 600 && work.sent.length <= 602, `${work.sent.length}`);
  await lane.stop();
});

test("what counts for several uses as much of the rate", async () => {
  const { clock, work, lane } = drive({
    rules: { perSecond: 10 },
    prepare: (work) => {
      work.weight = 5;
      work.add(...many(700));
    },
  });
  await clock.advance(60_000);
  assert.ok(work.sent.length >= 119 && work.sent.length <= 122, `${work.sent.length}`);
  await lane.stop();
});

test("a daily cap holds until the day ends, and counts what an earlier owner sent", async () => {
  const { clock, work, lane } = drive({
    perDay: 10,
    state: { daily: { day: String(Math.floor(1_767_225_600_000 / day)), count: 4 } },
    prepare: (work) => work.add(...many(25)),
  });
  await clock.advance(day - 1);
  assert.equal(work.sent.length, 6);
  await clock.advance(1);
  assert.equal(work.sent.length, 16);
  await clock.advance(day);
  assert.equal(work.sent.length, 25);
  await lane.stop();
});

test("sends in its hours only", async () => {
  const opensAt = 1_767_225_600_000 + 8 * 3_600_000;
  const { clock, work, lane } = drive({
    rules: { sendingWindow: (now) => (now >= opensAt ? { open: true } : { open: false, opensAt }) },
    prepare: (work) => work.add({}),
  });
  await clock.advance(8 * 3_600_000 - 1);
  assert.equal(work.sent.length, 0);
  await clock.advance(1);
  assert.equal(work.sent.length, 1);
  await lane.stop();
});

test("small requests overtake a large one, which keeps a fifth of the places", async () => {
  const { clock, work, lane } = drive({
    rules: { perSecond: 10 },
    prepare: (work) => work.add(...many(2000, { priority: 2 })),
  });
  await clock.advance(10_000);
  const before = work.sent.length;
  work.add(...many(400, { priority: 0 }));
  lane.wake();
  await clock.advance(20_000);
  const small = (id: string) => id > "m002000";
  const during = work.sent.slice(before + 1, before + 101).map(({ id }) => small(id));
  assert.equal(during.filter(Boolean).length, 80);
  await lane.stop();
});

test("a message put back is sent again when it is due, no sooner", async () => {
  const { clock, work, lane } = drive({
    prepare: (work) => {
      work.add({ id: "a" });
      work.answer = (_row, attempt) => (attempt < 3 ? bad("healthy", 7000) : well);
    },
  });
  const start = clock.now();
  await clock.advance(60_000);
  assert.deepEqual(
    work.sent.map(({ attempt, at }) => [attempt, at - start]),
    [
      [1, 0],
      [2, 7000],
      [3, 14_000],
    ],
  );
  await lane.stop();
});

test("a message put back into the past of a long backlog is sent again without waiting for a hint", async () => {
  const { clock, work, lane } = drive({
    rules: { concurrency: 4 },
    prepare: (work, clock) => {
      work.add(...many(1500, { due_at: clock.now() - 60_000 }));
      let first = true;
      work.answer = () => {
        if (!first) return well;
        first = false;
        return bad("healthy", -60_000);
      };
    },
  });
  await clock.advance(20_000);
  assert.equal(work.settled.length, 1501);
  await lane.stop();
});

test("a requeue that meets the lane's look at what is due next is not forgotten", async () => {
  const { clock, work, lane } = drive({
    prepare: (work) => {
      const look = work.nextDue;
      // The answer was true when it was read, and arrives only after the settlement.
      work.nextDue = async (now) => {
        const next = await look(now);
        await new Promise((resolve) => setImmediate(resolve));
        return next;
      };
      work.add({ id: "a" });
      let first = true;
      work.answer = () => {
        if (!first) return well;
        first = false;
        work.add({ id: "b", due_at: 0 });
        lane.wake();
        return bad("healthy", 5000);
      };
    },
  });
  await clock.advance(10_000);
  assert.deepEqual(work.sent.map(({ id }) => id).sort(), ["a", "a", "b"]);
  await lane.stop();
});

test("wakes at every possible moment of a turn lose nothing", async () => {
  const { clock, work, lane } = drive({ rules: { concurrency: 2 } });
  for (let i = 0; i < 300; i++) {
    work.add({});
    lane.wake();
    // Different depths of the lane's own turns.
    for (let turn = 0; turn < i % 7; turn++) await Promise.resolve();
    if (i % 11 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await clock.settle();
  assert.equal(work.settled.length, 300);
  await lane.stop();
});
