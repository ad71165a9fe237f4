// Phones that fall silent: their gateways pause with a reason, what named no gateway goes another way, and what was handed over waits.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { someEngines } from "../harness.ts";
import { minute, type PhoneWorld, phoneWorld } from "./phone-world.ts";

for (const engine of someEngines(import.meta.filename)) {
  describe(`silent phones on ${engine}`, () => {
    let w: PhoneWorld;
    before(async () => {
      w = await phoneWorld(engine);
      await w.m.operator("PATCH", `/accounts/${w.accountId}`, { channel_failover: true });
    });
    after(() => w.m.close());

    test("what was not handed over and named no gateway goes out elsewhere, once, and the phone comes back", async () => {
      const silent = await w.linked();
      const first = w.gateway;
      const air = w.air;
      await w.m.it.gateway({ identifier: first, kind: "android", pace: { per_day: 1 }, default: true });
      silent.disconnect();
      const contacts = (gateway: string | null) => [
        { number: "+4915123450001", message: `to ${gateway}`, gateway_identifier: gateway },
      ];
      const [handed = ""] = await w.m.it.accepted(contacts(null));
      await silent.pull();
      const [unnamed = ""] = await w.m.it.accepted(contacts(null));
      const [named = ""] = await w.m.it.accepted(contacts(first));
      const other = await w.linked();
      await w.m.it.advance(36 * minute);
      assert.ok(other.stored.registration);
      await other.cycle();
      await w.m.it.system.core.phones.sweep();
      await w.pass(2_000);
      await other.cycle();
      w.gateway = first;
      const { state, pause } = await w.shown();
      assert.equal(state, "paused");
      assert.match(pause?.reason ?? "", /^The phone last reported at \d{4}-/);
      assert.deepEqual(await w.statuses([handed, unnamed, named]), ["sending", "delivered", "queued"]);
      assert.deepEqual([air.length, w.air.length], [0, 1]);

      await w.m.it.gateway({ identifier: first, kind: "android", pace: { per_day: 9, per_second: 1000 } });
      await silent.cycle();
      await silent.cycle();
      assert.equal((await w.shown()).state, "active", "the pause ends with the phone's next request");
      assert.deepEqual(await w.statuses([handed, unnamed, named]), ["delivered", "delivered", "delivered"]);
      assert.deepEqual([air.length, w.air.length], [2, 1]);
    });
  });
}
