// A lane whose gateway holds a connection: it waits without one, and uses up neither tries nor time.

import assert from "node:assert/strict";
import test from "node:test";
import { bad, drive, gate, well } from "./fake-work.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

test("nothing goes out before the connection is open, and nothing is stored for that", async () => {
  const { clock, work, lane, sentIds } = drive({ suspended: true, prepare: (work) => work.add({}, {}) });
  await clock.advance(10 * minute);
  assert.deepEqual([sentIds(), work.pauses, work.calls.begin], [[], [], 0]);
  lane.resume();
  await clock.settle();
  assert.equal(sentIds().length, 2);
  assert.deepEqual([work.pauses, work.resumed], [[], 0]);
  await lane.stop();
});

test("a short interruption is no pause; a lost connection is one, until it is open again", async () => {
  const { clock, work, lane, sentIds } = drive();
  lane.suspend(null);
  await clock.settle();
  assert.deepEqual(work.pauses, []);
  lane.suspend("the socket closed");
  lane.suspend("the socket closed");
  work.add({});
  lane.wake();
  await clock.advance(60 * minute);
  assert.deepEqual(work.pauses, [{ forMs: null, pauses: 0, reason: "the socket closed" }]);
  assert.deepEqual(sentIds(), [], "no probe goes out");
  lane.resume();
  await clock.settle();
  assert.deepEqual([sentIds().length, work.resumed], [1, 1]);
  await lane.stop();
});

test("the time without a connection does not count for retries", async () => {
  const { clock, work, lane } = drive();
  const before = clock.now();
  lane.suspend("gone");
  await clock.advance(60 * minute);
  lane.resume();
  work.add({});
  lane.wake();
  await clock.settle();
  assert.equal(work.settled[0]?.laneNow, before);
  await lane.stop();
});

test("a system's clock that is set, during a pause too, counts for no retries", async () => {
  const { clock, work, lane } = drive();
  const before = clock.now();
  lane.suspend("gone");
  await clock.advance(60 * minute);
  clock.setNow(before + 2 * day);
  await clock.advance(minute);
  lane.resume();
  clock.setNow(before - 2 * day);
  await clock.advance(minute);
  work.add({});
  lane.wake();
  await clock.settle();
  assert.equal(work.settled[0]?.laneNow, before + minute);
  await lane.stop();
});

test("a connection that is lost between the reading and the stamp stops the stamp", async () => {
  const { clock, work, lane, sentIds } = drive();
  await clock.settle();
  const read = work.readDue;
  work.readDue = async (query) => {
    lane.suspend("gone");
    return await read(query);
  };
  work.add({});
  lane.wake();
  await clock.advance(minute);
  assert.deepEqual([sentIds(), work.calls.begin], [[], 0]);
  work.readDue = read;
  lane.resume();
  await clock.settle();
  assert.equal(sentIds().length, 1);
  await lane.stop();
});

test("outcomes that come during a suspension neither end it nor shorten it", async () => {
  const answers = gate<void>();
  const { clock, work, lane, sentIds } = drive({
    rules: { concurrency: 4 },
    prepare: (work) => {
      work.add({}, {}, {}, {});
      work.answer = async (row) => {
        await answers.opened;
        return row.id.endsWith("1") ? well : bad("unreachable", 1);
      };
    },
  });
  await clock.settle();
  assert.equal(sentIds().length, 4);
  lane.suspend("gone");
  answers.open();
  await clock.advance(10 * minute);
  assert.deepEqual(work.pauses, [{ forMs: null, pauses: 0, reason: "gone" }]);
  assert.equal(work.resumed, 0);
  assert.equal(sentIds().length, 4);
  work.answer = () => well;
  lane.resume();
  await clock.settle();
  assert.equal(sentIds().length, 7, "all go at once, without a probe: the connection is new");
  assert.equal(work.resumed, 1);
  await lane.stop();
});

test("messages that were in flight at a short interruption make no pause of it", async () => {
  const answers = gate<void>();
  const { clock, work, lane } = drive({
    rules: { concurrency: 4 },
    prepare: (work) => {
      work.add({}, {}, {}, {});
      work.answer = async () => {
        await answers.opened;
        return bad("unreachable", 1);
      };
    },
  });
  await clock.settle();
  lane.suspend(null);
  answers.open();
  await clock.settle();
  work.answer = () => well;
  lane.resume();
  await clock.advance(minute);
  assert.deepEqual([work.pauses, work.resumed, work.settled.length], [[], 0, 8]);
  await lane.stop();
});

test("a lane has stopped when what it sends through is closed", async () => {
  const closing = gate<void>();
  const { clock, work, lane } = drive();
  work.close = () => closing.opened;
  let stopped = false;
  const stopping = lane.stop().then(() => {
    stopped = true;
  });
  await clock.advance(minute);
  assert.equal(stopped, false);
  closing.open();
  await stopping;
});

test("a pause of the breaker ends with a new connection", async () => {
  const { clock, work, lane, sentIds } = drive({
    prepare: (work) => {
      work.add({});
      work.answer = () => bad("misconfigured");
    },
  });
  await clock.settle();
  assert.equal(work.pauses.length, 1);
  lane.suspend(null);
  work.answer = () => well;
  lane.resume();
  await clock.settle();
  assert.deepEqual([sentIds().length, work.resumed], [2, 1]);
  await lane.stop();
});

test("a late answer ends the pause that silence began, at once and in the storage", async () => {
  const { clock, work, lane, sentIds } = drive({
    prepare: (work) => {
      work.add({}, {}, {}, {});
      work.answer = () => ({ kind: "done", health: "uncertain", reason: "no answer" });
    },
    rules: { concurrency: 1 },
  });
  await clock.settle();
  assert.deepEqual([sentIds().length, work.pauses.length], [3, 1]);
  work.answer = () => well;
  lane.suspend(null);
  lane.answered(sentIds()[0] ?? "");
  await clock.settle();
  assert.deepEqual([sentIds().length, work.resumed], [3, 0], "there is no connection");
  lane.resume();
  await clock.settle();
  assert.deepEqual([sentIds().length, work.resumed], [4, 1]);
  work.answer = () => ({ kind: "done", health: "uncertain", reason: "no answer" });
  work.add({}, {}, {}, {});
  lane.wake();
  await clock.settle();
  assert.equal(sentIds().length, 7);
  work.answer = () => well;
  lane.answered(sentIds()[6] ?? "");
  await clock.settle();
  assert.deepEqual([sentIds().length, work.resumed], [8, 2]);
  await lane.stop();
});

test("a suspension that an earlier owner stored ends with the first connection of this one", async () => {
  const { clock, work, lane, sentIds } = drive({
    suspended: true,
    state: { pause: { pauses: 0, until: null, since: 1_767_225_600_000 - 5 * minute, totalMs: 0 } },
    prepare: (work) => work.add({}),
  });
  await clock.advance(minute);
  lane.suspend("still gone");
  await clock.settle();
  assert.deepEqual([work.pauses, work.resumed], [[], 0], "it is stored already");
  lane.resume();
  await clock.settle();
  assert.deepEqual([sentIds().length, work.resumed], [1, 1]);
  assert.equal(work.settled[0]?.laneNow, clock.now() - 6 * minute);
  await lane.stop();
});

test("a gateway that needs no connection any more goes on at once after such a pause", async () => {
  const { clock, work, lane, sentIds } = drive({
    state: { pause: { pauses: 0, until: null, since: 1_767_225_600_000 - 5 * minute, totalMs: 0 } },
    prepare: (work) => work.add({}),
  });
  await clock.settle();
  assert.deepEqual([sentIds().length, work.resumed], [1, 1]);
  await lane.stop();
});
