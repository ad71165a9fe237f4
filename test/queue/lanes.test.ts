// Which process drives which lane, on real storage.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { claimLanes } from "#store/lanes/lanes.ts";
import { beginAttempts } from "#store/messages/attempts.ts";
import { engines } from "../harness.ts";
import { Fleet, type Member, takeoverMs } from "./fleet.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `gw_${i}`);
const sorted = (member: Member) => [...member.lanes.owned].sort();

async function withFleet(engine: "sqlite" | "postgres", lanes: number, run: (fleet: Fleet) => Promise<void>) {
  const fleet = await Fleet.make(engine, names(lanes));
  try {
    await run(fleet);
  } finally {
    await fleet.close();
  }
}

for (const engine of engines) {
  describe(`lanes on ${engine}`, () => {
    test("one process drives every active lane, each under a fence of its own", () =>
      withFleet(engine, 4, async (fleet) => {
        await fleet.save("gw_off", false);
        const one = await fleet.started("one");
        assert.deepEqual(sorted(one), names(4));
        assert.deepEqual(
          one.opened.map(({ fence }) => fence),
          [1, 1, 1, 1],
        );
        assert.equal((await fleet.owners()).get("gw_off")?.owner, null);
      }));

    test("a new gateway's lane is driven at once, one that is switched off is given up", () =>
      withFleet(engine, 1, async (fleet) => {
        const one = await fleet.started("one");
        await fleet.save("gw_new");
        one.lanes.changed();
        await one.clock.settle();
        assert.deepEqual(sorted(one), ["gw_0", "gw_new"]);
        await fleet.save("gw_new", false);
        one.lanes.changed();
        await one.clock.settle();
        assert.deepEqual(sorted(one), ["gw_0"]);
        assert.equal(one.opened.at(-1)?.stopping, true);
        assert.equal((await fleet.owners()).get("gw_new")?.owner, null);
      }));

    test("changed settings open the lane anew, under a higher fence, once the old one is done", () =>
      withFleet(engine, 1, async (fleet) => {
        const one = await fleet.started("one");
        one.opened[0]!.hold();
        await fleet.save("gw_0");
        one.lanes.changed();
        await one.clock.advance(30_000);
        assert.equal(one.opened[0]!.stopping, true);
        assert.equal(one.opened.length, 1, "two owners of one lane in one process");
        one.opened[0]!.free();
        await one.clock.settle();
        assert.equal(one.opened.length, 2);
        assert.ok(one.opened[1]!.fence > one.opened[0]!.fence);
        assert.equal(one.opened[1]!.row.revision, 1);
      }));

    test("a lane that cannot be opened is tried again at the next beat", () =>
      withFleet(engine, 1, async (fleet) => {
        const one = await fleet.member("one");
        one.refuses.add("gw_0");
        await one.start();
        await fleet.beats(2, one);
        assert.deepEqual(sorted(one), []);
        one.refuses.clear();
        await fleet.beats(1, one);
        assert.deepEqual(sorted(one), ["gw_0"]);
      }));

    test("a lane whose claim was stored although its answer was lost is claimed once more", () =>
      withFleet(engine, 1, async (fleet) => {
        const one = await fleet.started("one");
        await fleet.save("gw_new");
        one.loses.add("claimLanes");
        await fleet.beats(1, one);
        assert.deepEqual(sorted(one), ["gw_0"]);
        await fleet.beats(1, one);
        assert.deepEqual(sorted(one), ["gw_0", "gw_new"]);
        assert.equal(one.opened.at(-1)?.fence, 2);
      }));

    test("a beat that storage refuses is not the last one", () =>
      withFleet(engine, 1, async (fleet) => {
        const one = await fleet.started("one");
        one.broken = true;
        await fleet.beats(3, one);
        one.broken = false;
        await fleet.save("gw_new");
        await fleet.beats(1, one);
        assert.deepEqual(sorted(one), ["gw_0", "gw_new"]);
        assert.equal(one.opened[0]!.stopping, false);
      }));

    test("stop waits for what is on the wire, and gives everything back", () =>
      withFleet(engine, 2, async (fleet) => {
        const one = await fleet.started("one");
        one.opened[0]!.hold();
        let stopped = false;
        const stopping = one.lanes.stop(30_000).then(() => {
          stopped = true;
        });
        await one.clock.advance(29_000);
        assert.equal(stopped, false);
        one.opened[0]!.free();
        await one.clock.settle();
        await stopping;
        assert.equal(one.opened[0]!.aborted, false);
        for (const { owner } of (await fleet.owners()).values()) assert.equal(owner, null);
      }));

    test("when the time to stop is over, what is left is aborted, lanes on their way out too", () =>
      withFleet(engine, 2, async (fleet) => {
        const one = await fleet.started("one");
        for (const lane of one.opened) lane.hold();
        await fleet.save("gw_0");
        one.lanes.changed();
        await one.clock.settle();
        assert.deepEqual(sorted(one), ["gw_1"]);
        const stopping = one.lanes.stop(30_000);
        await one.clock.advance(29_999);
        assert.deepEqual(
          one.opened.map(({ aborted }) => aborted),
          [false, false],
        );
        await one.clock.advance(1);
        assert.deepEqual(
          one.opened.map(({ aborted }) => aborted),
          [true, true],
        );
        await stopping;
        for (const { owner } of (await fleet.owners()).values()) assert.equal(owner, null);
      }));

    test("a dead process's lanes are driven after a restart", () =>
      withFleet(engine, 3, async (fleet) => {
        const lanes = names(3).map((id) => ({ id, owner: null, fence: 0 }));
        await fleet.database.run(claimLanes, { processId: "dead", lanes });
        const one = await fleet.started("one");
        // Its name is not among the processes that ever beat: there is no process to wait for.
        assert.deepEqual(sorted(one), names(3));
        assert.deepEqual(
          one.opened.map(({ fence }) => fence),
          [2, 2, 2],
        );
      }));
  });
}

test("on SQLite a dead process is not waited for: the lock on the file proves that it is dead", () =>
  withFleet("sqlite", 3, async (fleet) => {
    const dead = await fleet.started("dead");
    assert.equal(dead.lanes.owned.length, 3);
    const next = await fleet.started("next");
    assert.deepEqual(sorted(next), names(3));
    assert.deepEqual(
      next.opened.map(({ fence }) => fence),
      [2, 2, 2],
    );
  }));

describe("several processes on PostgreSQL", () => {
  const withProcesses = (lanes: number, run: (fleet: Fleet) => Promise<void>) =>
    withFleet("postgres", lanes, run);

  test("share the lanes out evenly, each newcomer getting its share", () =>
    withProcesses(6, async (fleet) => {
      const one = await fleet.started("one");
      assert.equal(one.lanes.owned.length, 6);
      const two = await fleet.started("two");
      await fleet.beats(3, one, two);
      assert.deepEqual(
        [one, two].map(({ lanes }) => lanes.owned.length),
        [3, 3],
      );
      const three = await fleet.started("three");
      await fleet.beats(3, one, two, three);
      assert.deepEqual(
        [one, two, three].map(({ lanes }) => lanes.owned.length),
        [2, 2, 2],
      );
      const all = [one, two, three].flatMap(({ lanes }) => lanes.owned);
      assert.deepEqual([...all].sort(), names(6), "every lane has one driver");
    }));

  test("the idlest lanes are the ones given up", () =>
    withProcesses(4, async (fleet) => {
      const one = await fleet.started("one");
      for (const lane of one.opened.slice(0, 2)) Object.assign(lane, { inFlight: 5 });
      const two = await fleet.started("two");
      await fleet.beats(3, one, two);
      assert.deepEqual(
        sorted(one),
        one.opened
          .slice(0, 2)
          .map(({ id }) => id)
          .sort(),
      );
    }));

  test("a lane with messages on the wire changes hands only when they are settled", () =>
    withProcesses(2, async (fleet) => {
      const one = await fleet.started("one");
      for (const lane of one.opened) lane.hold();
      const two = await fleet.started("two");
      await fleet.beats(5, one, two);
      assert.equal(two.lanes.owned.length, 0);
      for (const lane of one.opened) lane.free();
      await fleet.settle();
      await fleet.beats(2, one, two);
      assert.equal(one.lanes.owned.length, 1);
      assert.equal(two.lanes.owned.length, 1);
    }));

  test("a silent process's lanes are taken after the takeover time, under a higher fence", () =>
    withProcesses(4, async (fleet) => {
      const one = await fleet.started("one");
      const two = await fleet.started("two");
      await fleet.beats(3, one, two);
      assert.equal(two.lanes.owned.length, 2);
      const before = await fleet.owners();
      // From here on, one's clock does not move.
      const beats = takeoverMs / 5000;
      await fleet.beats(beats - 1, two);
      assert.equal(two.lanes.owned.length, 2, "not before the time is over");
      await fleet.beats(3, two);
      assert.deepEqual(sorted(two), names(4));
      const after = await fleet.owners();
      for (const id of one.lanes.owned) assert.ok(after.get(id)!.fence > before.get(id)!.fence);

      // The frozen process wakes: its stamps are refused, it sees what happened and drops its lanes.
      const stolen = one.opened.filter(({ stopping }) => !stopping);
      assert.equal(stolen.length, 2);
      for (const { id, fence } of stolen) {
        const stamp = { laneId: id, fence, ids: ["msg_x"], at: 0, lateBefore: 0, day: null };
        assert.deepEqual(await fleet.database.run(beginAttempts, stamp), { kind: "fenced" });
      }
      await fleet.beats(1, one);
      for (const lane of stolen) assert.equal(lane.stopping, true);
      // It is a living process again, and gets its share, but under new fences.
      await fleet.beats(3, two, one);
      assert.deepEqual(
        [one, two].map(({ lanes }) => lanes.owned.length),
        [2, 2],
      );
      assert.deepEqual([...one.lanes.owned, ...two.lanes.owned].sort(), names(4));
    }));

  test("a graceful stop gives the lanes up at once: the next beat of another takes them", () =>
    withProcesses(4, async (fleet) => {
      const one = await fleet.started("one");
      const two = await fleet.started("two");
      await fleet.beats(3, one, two);
      await one.lanes.stop(30_000);
      await fleet.beats(1, two);
      assert.deepEqual(sorted(two), names(4));
    }));

  test("one hint a moment tells the owner of a lane, however many messages came", () =>
    withProcesses(1, async (fleet) => {
      const one = await fleet.started("one");
      const two = await fleet.started("two");
      const [lane] = one.opened;
      for (let i = 0; i < 100; i++) two.lanes.wake(lane!.id);
      assert.equal(lane!.woken, 0);
      await two.clock.advance(20);
      assert.deepEqual(
        two.announced.filter((topic) => topic.startsWith("lane ")),
        [`lane ${lane!.id}`],
      );
      one.lanes.wake(lane!.id);
      assert.ok(lane!.woken >= 1, "its own lane needs no hint");
    }));
});
