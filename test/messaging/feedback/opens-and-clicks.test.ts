// Openings and clicks on their way into the store: many at once, repeated, too many, and while storage is away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clickToken, openToken, unsubscribeToken } from "#messaging/email/tokens.ts";
import {
  createOpenAndClickTracking,
  type OpenAndClickTracking,
} from "#messaging/feedback/opens-and-clicks.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError, type StorageFault } from "#store/database.ts";
import type { IncomingEngagement } from "#store/feedback/engagements.ts";
import { createSealer } from "#store/seal.ts";
import { seededRandom } from "../../harness.ts";
import { type MemoryLog, memoryLog } from "../../log.ts";

const sealer = createSealer("a master key that is only used in tests", seededRandom());
const idOf = (n: number) => `msg_0${String(n).padStart(25, "0")}`;
const visitor = { userAgent: "Thunderbird", ip: "192.0.2.1", purpose: null };

interface Scene {
  visits: OpenAndClickTracking;
  clock: MovableClock;
  log: MemoryLog;
  /** What came to the store, or was tried. */
  stored: IncomingEngagement[];
  tries: () => number;
  fault(fault: StorageFault | null): void;
  /** Runs at the next write, while that is under way. */
  atNextWrite(work: () => void): void;
}

function scene(): Scene {
  const clock = movableClock();
  const log = memoryLog();
  const stored: IncomingEngagement[] = [];
  let broken: StorageFault | null = null;
  let atNextWrite = () => {};
  let tries = 0;
  const database = {
    engine: "sqlite",
    run: async (operation: { name: string }, input: IncomingEngagement) => {
      tries += 1;
      const work = atNextWrite;
      atNextWrite = () => {};
      work();
      if (broken !== null) throw new StorageError(broken, "away");
      if (operation.name === "unsubscribe") return true;
      stored.push(input);
      return "new";
    },
  } as unknown as Database;
  const visits = createOpenAndClickTracking({
    database,
    clock,
    log,
    sealer,
  });
  return {
    visits,
    clock,
    log,
    stored,
    tries: () => tries,
    fault: (fault) => {
      broken = fault;
    },
    atNextWrite: (work) => {
      atNextWrite = work;
    },
  };
}

test("an opening is written after the client was answered, and reported", async () => {
  const { visits, clock, stored, tries } = scene();
  visits.open(openToken(sealer, idOf(1)), visitor);
  await Promise.resolve();
  assert.equal(tries(), 0);
  await clock.settle();
  assert.deepEqual(
    stored.map(({ messageId, kind, machine, count, ip }) => [messageId, kind, machine, count, ip]),
    [[idOf(1), "opened", false, 1, "192.0.2.1"]],
  );
});

test("tokens that are none of ours leave no trace", async () => {
  const { visits, clock, stored } = scene();
  for (const token of [
    "",
    "x",
    openToken(sealer, idOf(1)).slice(1),
    clickToken(sealer, idOf(1), "https://a.test/"),
  ])
    visits.open(token, visitor);
  assert.equal(visits.click("x", visitor, true), null);
  assert.equal(visits.canUnsubscribe("x"), false);
  assert.equal(await visits.unsubscribe("x"), false);
  await clock.settle();
  assert.deepEqual(stored, []);
});

test("a followed link is counted where it leads, a look at it is not", async () => {
  const { visits, clock, stored } = scene();
  const token = clickToken(sealer, idOf(1), "https://a.test/");
  assert.equal(visits.click(token, visitor, false), "https://a.test/");
  await clock.settle();
  assert.equal(stored.length, 0);
  assert.equal(visits.click(token, { ...visitor, userAgent: "curl/8" }, true), "https://a.test/");
  await clock.settle();
  assert.deepEqual([stored[0]?.url, stored[0]?.machine], ["https://a.test/", true]);
});

test("the same visitor at the same moment is one visit", async () => {
  const { visits, clock, stored } = scene();
  const token = openToken(sealer, idOf(1));
  for (let i = 0; i < 1000; i++) visits.open(token, visitor);
  visits.open(token, { ...visitor, ip: "192.0.2.2" });
  await clock.settle();
  assert.deepEqual(
    stored.map(({ count }) => count),
    [1, 1],
  );
});

test("while storage is away visits wait, are counted together, and are written once it is back", async () => {
  const { visits, clock, stored, fault } = scene();
  const token = openToken(sealer, idOf(1));
  fault("unavailable");
  visits.open(token, visitor);
  await clock.settle();
  await clock.advance(1500);
  visits.open(token, visitor);
  visits.open(openToken(sealer, idOf(2)), visitor);
  await clock.settle();
  assert.equal(stored.length, 0);
  fault(null);
  await clock.advance(2000);
  assert.deepEqual(
    stored.map(({ messageId, count }) => [messageId, count]),
    [
      [idOf(1), 2],
      [idOf(2), 1],
    ],
  );
  await clock.advance(10_000);
  assert.equal(stored.length, 2);
});

test("what may have been stored is not stored again", async () => {
  const { visits, clock, stored, fault } = scene();
  fault("commit_unknown");
  visits.open(openToken(sealer, idOf(1)), visitor);
  await clock.settle();
  fault(null);
  await clock.advance(10_000);
  assert.deepEqual(stored, []);
});

test("of a flood while storage is away only so many wait, and the loss is logged, twice in all", async () => {
  const { visits, clock, stored, fault, log } = scene();
  fault("unavailable");
  for (let i = 0; i < 21_000; i++) visits.open(openToken(sealer, idOf(i)), visitor);
  await clock.settle();
  fault(null);
  await clock.advance(2000);
  assert.equal(stored.length, 20_000);
  const losses = log.lines().filter(({ event }) => event !== "tracking.store_failed");
  assert.deepEqual(
    losses.map(({ event }) => event),
    ["tracking.queue_full", "tracking.dropped"],
  );
  assert.equal(losses[1]?.dropped, 1000);
});

test("a repeat that comes while a write fails is still one visit", async () => {
  const { visits, clock, stored, fault, atNextWrite } = scene();
  const open = () => visits.open(openToken(sealer, idOf(1)), visitor);
  fault("unavailable");
  atNextWrite(open);
  open();
  await clock.settle();
  fault(null);
  await clock.advance(2000);
  assert.deepEqual(
    stored.map(({ count }) => count),
    [1],
  );
});

test("an entry that could not be written and finds the queue full again is counted as dropped", async () => {
  const { visits, clock, stored, fault, log, atNextWrite } = scene();
  fault("unavailable");
  atNextWrite(() => {
    for (let i = 1; i <= 20_000; i++) visits.open(openToken(sealer, idOf(i)), visitor);
  });
  visits.open(openToken(sealer, idOf(0)), visitor);
  await clock.settle();
  fault(null);
  await clock.advance(2000);
  assert.equal(stored.length, 20_000);
  assert.equal(log.lines().find(({ event }) => event === "tracking.dropped")?.dropped, 1);
});

test("closing writes what waits, once, and takes no more", async () => {
  const { visits, stored, fault, tries } = scene();
  visits.open(openToken(sealer, idOf(1)), visitor);
  await visits.close();
  assert.equal(stored.length, 1);
  visits.open(openToken(sealer, idOf(2)), visitor);
  await visits.close();
  assert.equal(stored.length, 1);
  const away = scene();
  away.fault("unavailable");
  away.visits.open(openToken(sealer, idOf(1)), visitor);
  await away.visits.close();
  assert.equal(away.tries(), 1);
  fault(null);
  assert.equal(tries(), 1);
});

test("an unsubscribe is answered when it is stored, and fails with storage", async () => {
  const { visits, fault } = scene();
  const token = unsubscribeToken(sealer, { messageId: idOf(1), accountId: "acc_1", recipient: "a@b.test" });
  assert.equal(visits.canUnsubscribe(token), true);
  assert.equal(await visits.unsubscribe(token), true);
  fault("unavailable");
  await assert.rejects(visits.unsubscribe(token), StorageError);
});
