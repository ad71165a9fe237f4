// A process that holds a device's socket gets the lane of its gateway, and keeps it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Fleet, type Member } from "./fleet.ts";

const names = (count: number) => Array.from({ length: count }, (_, i) => `gw_${i}`);

async function withFleet(lanes: number, run: (fleet: Fleet) => Promise<void>) {
  const fleet = await Fleet.make("postgres", names(lanes));
  try {
    await run(fleet);
  } finally {
    await fleet.close();
  }
}

const owns = (member: Member, id: string) => member.lanes.owned.includes(id);

describe("lanes that a process wants, on PostgreSQL", () => {
  test("its owner lets go of it once what is on the wire is done, and then it is driven here alone", () =>
    withFleet(1, async (fleet) => {
      const owner = await fleet.started("owner");
      const other = await fleet.started("other");
      const [before] = owner.opened;
      before!.hold();
      await other.lanes.want("gw_0");
      await fleet.beats(2, owner, other);
      assert.equal(before!.stopping, true);
      assert.deepEqual([owns(owner, "gw_0"), owns(other, "gw_0")], [false, false]);
      before!.free();
      await fleet.beats(2, owner, other);
      assert.deepEqual([owns(owner, "gw_0"), owns(other, "gw_0")], [false, true]);
      assert.ok(other.opened[0]!.fence > before!.fence);
      assert.equal(owner.opened.length, 1, "the owner does not take it back");
    }));

  test("it is kept beyond this process's share, and the others stay evenly shared", () =>
    withFleet(6, async (fleet) => {
      const one = await fleet.started("one");
      const two = await fleet.started("two");
      await fleet.beats(3, one, two);
      for (const id of names(6)) await two.lanes.want(id);
      await fleet.beats(4, one, two);
      assert.deepEqual([one.lanes.owned.length, two.lanes.owned.length], [0, 6]);
      for (const id of names(6)) await two.lanes.unwant(id);
      await fleet.beats(4, one, two);
      assert.deepEqual([one.lanes.owned.length, two.lanes.owned.length], [3, 3]);
    }));

  test("the last one that asks gets it", () =>
    withFleet(1, async (fleet) => {
      const [one, two, three] = [
        await fleet.started("one"),
        await fleet.started("two"),
        await fleet.started("three"),
      ];
      await two.lanes.want("gw_0");
      await three.lanes.want("gw_0");
      await fleet.beats(4, one, two, three);
      assert.deepEqual(
        [one, two, three].map((member) => owns(member, "gw_0")),
        [false, false, true],
      );
    }));

  test("a process that died while it waited for the lane blocks no other process", () =>
    withFleet(1, async (fleet) => {
      const owner = await fleet.started("owner");
      const dead = await fleet.started("dead");
      owner.opened[0]!.hold();
      await dead.lanes.want("gw_0");
      await fleet.beats(1, owner);
      owner.opened[0]!.free();
      await fleet.beats(2, owner);
      assert.equal(owns(owner, "gw_0"), false);
      // Its takeover time passes; its beat has not changed.
      await fleet.beats(12, owner);
      assert.equal(owns(owner, "gw_0"), true);
    }));
});
