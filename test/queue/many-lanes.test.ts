// What thousands of lanes cost a process: calls to the storage, counted.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { engines } from "../harness.ts";
import { Fleet, type Member } from "./fleet.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `gw_${String(i).padStart(4, "0")}`);

async function withFleet(engine: "sqlite" | "postgres", lanes: number, run: (fleet: Fleet) => Promise<void>) {
  const fleet = await Fleet.make(engine, names(lanes));
  try {
    await run(fleet);
  } finally {
    await fleet.close();
  }
}

function counted(member: Member): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of member.calls.splice(0)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

for (const engine of engines) {
  describe(`many lanes on ${engine}`, () => {
    test("an idle minute is twelve beats and one look, however many lanes there are", () =>
      withFleet(engine, 200, async (fleet) => {
        const one = await fleet.started("one");
        await one.clock.settle();
        assert.equal(one.lanes.owned.length, 200);
        counted(one);
        await fleet.beats(12, one);
        assert.deepEqual(counted(one), { heartbeat: 12, readDueLanes: 1 });
        await fleet.save("gw_0100");
        await fleet.beats(1, one);
        const { readLanes, claimLanes } = counted(one);
        assert.ok(readLanes! >= 1 && claimLanes === 1, "one changed lane makes it look at them");
        await fleet.beats(3, one);
        assert.deepEqual(counted(one), { heartbeat: 3 });
      }));

    test("they are taken in pieces, each of a few calls, with a beat between", () =>
      withFleet(engine, 1100, async (fleet) => {
        const one = await fleet.started("one");
        await one.clock.settle();
        assert.equal(one.lanes.owned.length, 1100);
        const { heartbeat, claimLanes, findLanesToRecover, readLanes } = counted(one);
        assert.deepEqual(
          { heartbeat, claimLanes, findLanesToRecover, readLanes },
          { heartbeat: 3, claimLanes: 3, findLanesToRecover: 3, readLanes: 3 },
        );
        await one.lanes.stop(1000);
        assert.deepEqual(counted(one), { releaseLanes: 1, deleteProcesses: 1 });
      }));

    test("those that cannot be opened keep neither the others nor the process waiting", () =>
      withFleet(engine, 700, async (fleet) => {
        const one = await fleet.member("one");
        // More than are taken at once, and first in the order.
        for (const id of names(600)) one.refuses.add(id);
        await one.start();
        await one.clock.settle();
        assert.deepEqual(one.lanes.owned.toSorted(), names(700).slice(600));
        counted(one);
        await fleet.beats(1, one);
        assert.equal(counted(one).claimLanes, 1, "they are tried again, a piece a beat");
        one.refuses.clear();
        await fleet.beats(3, one);
        assert.equal(one.lanes.owned.length, 700);
      }));
  });
}

test("on PostgreSQL a newcomer's share is given up together, with one announcement", () =>
  withFleet("postgres", 200, async (fleet) => {
    const one = await fleet.started("one");
    const two = await fleet.started("two");
    await one.clock.settle();
    counted(one);
    one.announced.length = 0;
    await fleet.beats(2, one, two);
    assert.deepEqual([one.lanes.owned.length, two.lanes.owned.length], [100, 100]);
    assert.equal(counted(one).releaseLanes, 1);
    assert.deepEqual(one.announced, ["lanes"]);
  }));
