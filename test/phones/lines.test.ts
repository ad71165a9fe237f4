// How much is handed over to a phone, and through which of its SIMs.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { someEngines } from "../harness.ts";
import { hour, type PhoneWorld, phoneWorld, unpaced } from "./phone-world.ts";
import type { SimulatedPhone } from "./simulated-phone.ts";

for (const engine of someEngines(import.meta.filename)) {
  describe(`phones on ${engine}`, () => {
    let w: PhoneWorld;
    let phone: SimulatedPhone;
    before(async () => {
      w = await phoneWorld(engine);
    });
    after(() => w.m.close());
    beforeEach(async () => {
      phone = await w.linked();
    });

    test("no more are handed over than the phone may have at once", async () => {
      phone.radio = () => [];
      const ids = await w.accepted(12);
      await w.pass();
      assert.equal(w.air.length, 5);
      assert.equal((await phone.pull()).length, 5, "they are listed until they are reported");
      assert.equal((await w.statuses(ids)).filter((status) => status === "queued").length, 7);
      // The phone tells later that they were sent.
      for (const item of phone.stored.items.values()) {
        item.state = "Sent";
        phone.reports.push(item.id);
      }
      phone.radio = () => ["Sent"];
      await phone.report();
      await w.pass(1000);
      assert.deepEqual(new Set(await w.statuses(ids)), new Set(["sent"]));
      assert.equal(new Set(w.air.map(({ id }) => id)).size, 12);
      assert.equal(w.air.length, 12);
    });

    test("messages go out at the pace of the gateway", async () => {
      phone = await w.linked({ keep_for_h: 48 }, { per_second: 1 / 6, per_day: 3, jitter_ms: 0 });
      await w.accepted(5);
      await w.pass(50);
      assert.equal(w.air.length, 1);
      await w.m.it.advance(5_000);
      assert.equal(w.air.length, 1);
      await w.m.it.advance(1_200);
      assert.equal(w.air.length, 2);
      await w.m.it.advance(hour);
      assert.equal(w.air.length, 3, "the day's cap");
      await w.m.it.advance(24 * hour);
      assert.equal(w.air.length, 5, "the next day");
    });

    test("a gateway without settings sends a message in 6 s, with 4 s of jitter, within 24 hours, and asks for reports", async () => {
      phone = await w.linked({}, {});
      await w.accepted(3);
      await w.pass(50);
      assert.equal(w.air.length, 1);
      await w.m.it.advance(5_800);
      assert.equal(w.air.length, 1);
      await w.m.it.advance(4_300);
      assert.equal(w.air.length, 2);
      phone.disconnect();
      await w.m.it.advance(10_100);
      const [item, ...others] = (await phone.pull()) as { withDeliveryReport: boolean; validUntil: string }[];
      assert.deepEqual([item?.withDeliveryReport, others.length], [true, 0]);
      const leftMs = Date.parse(item?.validUntil ?? "") - w.m.it.clock.now();
      assert.ok(leftMs > 23.9 * hour && leftMs <= 24 * hour, String(leftMs));
    });

    test("a burst of messages is a few hints", async () => {
      phone.radio = () => [];
      phone.events = [];
      for (let i = 0; i < 30; i++) await w.accepted(1);
      await w.pass();
      const hints = phone.events.filter((name) => name === "MessageEnqueued").length;
      assert.ok(hints >= 1 && hints <= 3, `${hints} hints`);
      assert.equal(w.air.length, 5);
    });

    test("two SIMs are two gateways of one phone", async () => {
      phone = await w.linked({ sim: 1 });
      const owner = w.gateway;
      phone.sims.push({ slotIndex: 1, simNumber: 2, iccid: "***************9001" });
      await phone.start();
      w.gateway = `${owner}-sim-2`;
      await w.m.it.gateway({
        identifier: w.gateway,
        kind: "android",
        settings: { phone: owner, sim: 2 },
        pace: unpaced,
      });
      assert.equal((await w.m.operator("POST", w.path("/link"), { method: "qr" })).statusCode, 409);
      const ids = await w.accepted(1);
      await w.pass();
      assert.deepEqual(await w.statuses(ids), ["delivered"]);
      assert.deepEqual(
        w.air.map(({ sim }) => sim),
        [2],
      );
      assert.equal(await phone.receive({ sender: "+4915123410001", message: "Hi", sim: 2 }), 200);
      const received = (await w.m.it.get("/api/received/sms")).json().data[0];
      assert.deepEqual([received.gateway_identifier, received.message], [w.gateway, "Hi"]);
      // Another SIM in the second slot stops that w.gateway and leaves the first.
      phone.sims[1] = { slotIndex: 1, simNumber: 2, iccid: "***************9002" };
      await phone.start();
      assert.equal((await w.shown()).state, "stopped");
      w.gateway = owner;
      assert.equal((await w.shown()).state, "active");
    });
  });
}
