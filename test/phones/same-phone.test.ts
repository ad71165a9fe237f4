// What a phone may come back as: installed anew, or with another SIM.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { someEngines } from "../harness.ts";
import { dataOf } from "../http/routes/manage/managed.ts";
import { minute, type PhoneWorld, phoneWorld, unpaced } from "./phone-world.ts";

for (const engine of someEngines(import.meta.filename)) {
  describe(`a phone that comes back, on ${engine}`, () => {
    let w: PhoneWorld;
    before(async () => {
      w = await phoneWorld(engine);
    });
    after(() => w.m.close());

    test("installed anew with its private token it is the same device: what it had is unknown, the rest comes", async () => {
      const phone = await w.linked();
      const { token } = await w.startLink({ method: "enrol", replace: true });
      const before = phone.stored.registration?.id;
      phone.disconnect();
      const ids = await w.accepted(7);
      await phone.pull();
      phone.reinstall();
      assert.equal(await phone.signUp(token ?? ""), 201);
      assert.equal(phone.stored.registration?.id, before);
      await phone.start();
      await phone.cycle();
      const statuses = await w.statuses(ids);
      assert.equal(statuses.filter((status) => status === "unknown").length, 5, "`ahead`");
      assert.equal(statuses.filter((status) => status === "delivered").length, 2);
      assert.equal(w.air.length, 2);
    });

    test("another SIM in a slot stops the gateway of that SIM with this reason, and not the other's", async () => {
      const phone = await w.linked({ sim: 1 });
      const first = w.gateway;
      const settings = { phone: phone.stored.registration?.id, sim: 2 };
      await w.m.it.gateway({ identifier: `${first}-2`, kind: "android", settings, pace: unpaced });
      const [one] = phone.sims;
      assert.ok(one);
      phone.sims = [one, { slotIndex: 1, simNumber: 2, iccid: "***************0001" }];
      await phone.start();
      phone.sims = [one, { slotIndex: 1, simNumber: 2, iccid: "***************0002" }];
      await phone.start();
      const shown = async (name: string) =>
        dataOf<{ state: string; pause: { reason: string } | null }>(
          await w.m.operator("GET", `/accounts/${w.accountId}/gateways/${name}`),
        );
      assert.equal((await shown(first)).state, "active");
      const reason = "SIM 2 of the phone is another one than before.";
      const stopped = async () => {
        const { state, pause } = await shown(`${first}-2`);
        return [state, pause?.reason];
      };
      assert.deepEqual(await stopped(), ["stopped", reason]);
      phone.disconnect();
      await w.m.it.advance(36 * minute);
      await w.m.it.system.core.phones.sweep();
      await phone.start();
      assert.deepEqual(await stopped(), ["stopped", reason], "the phone's silence changes nothing about it");
    });
  });
}
