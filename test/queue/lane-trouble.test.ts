// A lane on its own when something goes wrong: storage that fails, a gateway in trouble, another owner, a stop.

import assert from "node:assert/strict";
import test from "node:test";
import { bad, drive, gate, type Outcome, well } from "./fake-work.ts";

const day = 86_400_000;
const many = (count: number, row: object = {}) => Array.from({ length: count }, () => ({ ...row }));

test("attempts that cannot begin are not sent; their messages go when the storage is back", async () => {
  const { clock, work, lane, sentIds } = drive({
    prepare: (work) => {
      work.add({ id: "a" }, { id: "b" });
      work.fail.begin = 3;
    },
  });
  await clock.settle();
  assert.deepEqual(sentIds(), []);
  assert.equal(work.calls.revert, 1);
  await clock.advance(5000);
  assert.deepEqual(sentIds(), ["a", "b"]);
  await lane.stop();
});

test("attempts that were stored although the answer was lost are reverted, and sent once", async () => {
  const { clock, work, lane } = drive({
    prepare: (work) => {
      work.add({ id: "a" });
      work.loseBeginAnswer = true;
      work.fail.revert = 2;
    },
  });
  await clock.advance(10_000);
  assert.deepEqual(
    work.sent.map(({ id, attempt }) => [id, attempt]),
    [["a", 1]],
  );
  await lane.stop();
});

test("reading that fails is tried again, without a hint", async () => {
  for (const call of ["readDue", "nextDue"] as const) {
    const { clock, lane, sentIds } = drive({
      prepare: (work) => {
        work.add({ id: "a" });
        work.fail[call] = 2;
      },
    });
    await clock.advance(5000);
    assert.deepEqual(sentIds(), ["a"], call);
    await lane.stop();
  }
});

test("recovery comes before the first send, however often it fails", async () => {
  const { clock, work, lane } = drive({
    prepare: (work) => {
      work.add({});
      work.fail.recover = 3;
    },
  });
  await clock.advance(1000);
  assert.equal(work.sent.length, 0);
  await clock.advance(10_000);
  assert.equal(work.calls.recover, 4);
  assert.equal(work.sent.length, 1);
  await lane.stop();
});

test("an outcome is kept until it is stored", async () => {
  const { clock, work, lane } = drive({
    prepare: (work) => {
      work.add({ id: "a" });
      work.fail.settle = 12;
    },
  });
  await clock.advance(30_000);
  assert.deepEqual(work.settled, []);
  assert.equal(lane.inFlight, 1);
  await clock.advance(120_000);
  assert.equal(work.settled.length, 1);
  assert.equal(work.sent.length, 1, "it was not sent again meanwhile");
  assert.equal(lane.inFlight, 0);
  await lane.stop();
});

test("while outcomes cannot be stored, a bounded number of messages goes out", async () => {
  const { clock, work, lane } = drive({
    rules: { concurrency: 2 },
    prepare: (work) => {
      work.add(...many(500));
      work.fail.settle = Number.POSITIVE_INFINITY;
    },
  });
  await clock.advance(60_000);
  assert.equal(work.sent.length, 64);
  work.fail.settle = 0;
  await clock.advance(60_000);
  assert.equal(work.settled.length, 500);
  await lane.stop();
});

for (const [refusal, whose] of [
  ["fenced", "belongs to another process"],
  ["paused", "an operator paused meanwhile"],
] as const)
  test(`a lane that ${whose} stops by itself and sends nothing`, async () => {
    const { clock, work, lane } = drive({
      prepare: (work) => {
        work.add(...many(5));
        work.refusal = refusal;
      },
    });
    await clock.advance(60_000);
    assert.equal(work.sent.length, 0);
    assert.equal(work.calls.begin, 1);
    await lane.stop();
  });

test("trouble pauses the lane; another message probes; when it passes, all go on", async () => {
  const { clock, work, lane } = drive({
    rules: { concurrency: 1 },
    prepare: (work) => {
      work.add({ id: "a" }, { id: "b" }, { id: "c" });
      let troubled = true;
      work.answer = (row) => {
        if (row.id !== "a" || !troubled) return well;
        troubled = false;
        return bad("misconfigured");
      };
    },
  });
  const start = clock.now();
  await clock.advance(4999);
  assert.deepEqual(work.pauses, [{ forMs: 5000, pauses: 1, reason: "it is misconfigured" }]);
  assert.equal(work.sent.length, 1);
  await clock.advance(5000);
  assert.equal(work.resumed, 1);
  assert.deepEqual(
    work.sent.slice(0, 2).map(({ id, at }) => [id, at - start]),
    [
      ["a", 0],
      ["b", 5000],
    ],
  );
  assert.equal(work.settled.filter(({ kind }) => kind === "done").length, 3);
  await lane.stop();
});

test("while paused one message a pause goes out, and its clock does not move", async () => {
  const { clock, work, lane } = drive({
    rules: { concurrency: 1 },
    prepare: (work) => {
      work.add(...many(5));
      work.answer = () => bad("unreachable");
    },
  });
  const start = clock.now();
  await clock.advance(3_600_000);
  assert.deepEqual(
    work.pauses.slice(0, 7).map(({ forMs }) => (forMs ?? 0) / 1000),
    [5, 10, 20, 40, 80, 160, 300],
  );
  assert.equal(work.sent.length, work.pauses.length);
  for (const { laneNow } of work.settled) assert.equal(laneNow, start);
  await lane.stop();
});

test("pausing and resuming are stored in that order, though storage fails in between", async () => {
  const { clock, work, lane } = drive({
    rules: { concurrency: 1 },
    prepare: (work) => {
      work.add({ id: "a" }, { id: "b" });
      work.fail.pause = 5;
      work.answer = (row, attempt) => (row.id === "a" && attempt === 1 ? bad("unreachable") : well);
    },
  });
  const order: string[] = [];
  const { pause, resume } = work.breaker;
  work.breaker.pause = async (details) => {
    await pause(details);
    order.push("pause");
  };
  work.breaker.resume = async () => {
    await resume();
    order.push("resume");
  };
  await clock.advance(60_000);
  assert.deepEqual(order, ["pause", "resume"]);
  await lane.stop();
});

test("a poison message is blamed once another has passed", async () => {
  const { clock, work, lane } = drive({
    rules: { concurrency: 1 },
    prepare: (work) => {
      work.add({ id: "poison" }, { id: "x" }, { id: "y" });
      work.answer = (row) => (row.id === "poison" ? bad("misconfigured") : well);
    },
  });
  await clock.advance(60_000);
  assert.deepEqual(
    work.settled.filter(({ rejectMessage }) => rejectMessage).map(({ id }) => id),
    ["poison"],
  );
  assert.equal(work.sent.filter(({ id }) => id === "poison").length, 2);
  assert.equal(work.pauses.length, 1);
  await lane.stop();
});

test("a lane that was paused when its owner died goes on with that pause", async () => {
  const start = 1_767_225_600_000;
  const { clock, work, lane } = drive({
    state: { pause: { pauses: 2, until: start + 7000, since: start - 8000, totalMs: 1000 } },
    prepare: (work) => work.add({}),
  });
  await clock.advance(6999);
  assert.equal(work.sent.length, 0);
  await clock.advance(1);
  assert.equal(work.resumed, 1);
  assert.equal(work.settled[0]?.laneNow, start + 7000 - 1000 - 15_000);
  await lane.stop();
});

test("stop waits for what is on the wire, and starts nothing new", async () => {
  const answer = gate<Outcome>();
  const { clock, work, lane } = drive({
    rules: { concurrency: 1 },
    prepare: (work) => {
      work.add({}, {});
      work.answer = () => answer.opened;
    },
  });
  await clock.settle();
  let stopped = false;
  const stopping = lane.stop().then(() => {
    stopped = true;
  });
  await clock.advance(60_000);
  assert.equal(stopped, false);
  answer.open(well);
  await clock.settle();
  assert.equal(stopped, true);
  await stopping;
  assert.equal(work.sent.length, 1);
  assert.equal(work.settled.length, 1);
});

test("stop waits for the pause to be stored as well", async () => {
  const { clock, work, lane } = drive({
    prepare: (work) => {
      work.add({});
      work.fail.pause = 2;
      work.answer = () => bad("unreachable");
    },
  });
  await clock.settle();
  let stopped = false;
  const stopping = lane.stop().then(() => {
    stopped = true;
  });
  await clock.settle();
  assert.equal(stopped, false);
  await clock.advance(10_000);
  await stopping;
  assert.equal(work.pauses.length, 1);
});

test("abort turns what is still on the wire into outcomes", async () => {
  const { clock, work, lane } = drive({
    prepare: (work, clock) => {
      work.add({}, {});
      work.answer = async (_row, _attempt, signal) => {
        await clock.sleep(day, signal);
        return { kind: "lost", health: "uncertain", reason: "stopped" };
      };
    },
  });
  await clock.settle();
  const stopping = lane.stop();
  lane.abort();
  await clock.settle();
  await stopping;
  assert.deepEqual(
    work.settled.map(({ kind }) => kind),
    ["lost", "lost"],
  );
});

test("after abort a storage that stays away does not hold the process", async () => {
  const { clock, work, lane } = drive({
    prepare: (work) => {
      work.add({});
      work.fail.settle = Number.POSITIVE_INFINITY;
    },
  });
  await clock.settle();
  const stopping = lane.stop();
  lane.abort();
  await clock.settle();
  await stopping;
  assert.equal(work.settled.length, 0);
});
