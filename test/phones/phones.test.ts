// Phones that run the app, against the whole system: fetching, reporting, and what may go wrong in between.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { someEngines } from "../harness.ts";
import { hour, minute, type PhoneWorld, phoneWorld } from "./phone-world.ts";
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

    test("a message reaches a connected phone at once, and is delivered", async () => {
      const [id = ""] = await w.accepted(1);
      await w.pass(50);
      assert.deepEqual(
        w.air.map(({ id: sent, number: to, text }) => [sent, to, text]),
        [[id, "+4915123410000", "Hello 0"]],
      );
      const message = await w.m.it.message(id);
      assert.equal(message.status, "delivered");
      assert.equal(message.provider_reference, id);
      assert.deepEqual(
        message.events?.map(({ type }) => type),
        ["queued", "sending", "sent", "delivered"],
      );
      const details = (message.events ?? []).map(({ detail }) => detail).join(" ");
      assert.match(details, /Sent by Google\/husky as msg_/);
      assert.deepEqual(await phone.pull(), [], "what was reported is not listed");
    });

    test("a lost report is made good when the item is listed again", async () => {
      phone.network = (method) => (method === "PATCH" ? "refused" : "through");
      const [id = ""] = await w.accepted(1);
      await w.pass();
      assert.deepEqual(await w.statuses([id]), ["sending"]);
      phone.crash();
      phone.network = () => "through";
      await phone.start();
      assert.deepEqual(await w.statuses([id]), ["delivered"]);
      assert.equal(w.air.length, 1);
    });

    test("a list whose answer is lost hands nothing over twice", async () => {
      phone.disconnect();
      const ids = await w.accepted(3);
      let lost = 2;
      phone.network = (method) => (method === "GET" && lost-- > 0 ? "lost" : "through");
      await assert.rejects(phone.pull());
      await assert.rejects(phone.pull());
      await phone.cycle();
      assert.deepEqual(new Set(await w.statuses(ids)), new Set(["delivered"]));
      assert.equal(w.air.length, 3);
    });

    test("reports that come twice, late and out of order change nothing that is known", async () => {
      phone.disconnect();
      const [id = ""] = await w.accepted(1);
      phone.radio = () => [];
      await phone.pull();
      phone.transmit();
      const processed = phone.snapshot(id);
      const item = phone.stored.items.get(id);
      assert.ok(item);
      item.state = "Sent";
      const sent = phone.snapshot(id);
      item.state = "Delivered";
      const delivered = phone.snapshot(id);
      const replies = await Promise.all(
        [[delivered], [processed], [sent, sent], [delivered]].map((body) => phone.patch(body)),
      );
      assert.deepEqual(replies, [204, 204, 204, 204]);
      assert.deepEqual(await w.statuses([id]), ["delivered"]);
      const { events = [] } = await w.m.it.message(id);
      assert.equal(events.filter(({ type }) => type === "delivered").length, 1);
    });

    test("a phone's report is taken with any content", async () => {
      phone.disconnect();
      const [id = ""] = await w.accepted(1);
      await phone.pull();
      phone.transmit();
      const good = phone.snapshot(id);
      const odd = [
        { id: "another's" },
        null,
        5,
        { id, state: "Levitating", recipients: [] },
        { ...good, id: "msg_unknown" },
      ];
      assert.equal(await phone.patch([...odd, good]), 204);
      assert.deepEqual(await w.statuses([id]), ["delivered"]);
      assert.equal(await phone.patch({}), 400);
    });

    test("a phone without a network waits, and its messages go out under new ids", async () => {
      phone.radio = () => ({ error: "Send result: RESULT_ERROR_NO_SERVICE (no service)" });
      const ids = await w.accepted(3);
      await w.pass();
      assert.equal((await w.shown()).state, "paused");
      assert.deepEqual(await w.statuses(ids), ["queued", "queued", "queued"]);
      assert.equal(w.air.length, 0);
      phone.radio = () => ["Sent"];
      await w.m.it.advance(minute);
      assert.equal((await w.shown()).state, "active");
      assert.deepEqual(await w.statuses(ids), ["sent", "sent", "sent"]);
      assert.equal(w.air.length, 3);
      assert.ok(
        w.air.every(({ id }) => !ids.includes(id)),
        "the phone takes a failure as final for an id",
      );
    });

    test("a failure without a reason is tried twice more, and of a long text nothing is known", async () => {
      phone.radio = () => ({ error: "Send result: RESULT_ERROR_GENERIC_FAILURE" });
      const [short = ""] = await w.accepted(1);
      const [long = ""] = await w.accepted(1, "x".repeat(300));
      await w.pass();
      assert.deepEqual(await w.statuses([short, long]), ["queued", "unknown"]);
      await w.m.it.advance(hour);
      const message = await w.m.it.message(short);
      assert.deepEqual(
        [message.status, message.error?.code, message.attempts],
        ["failed", "generic_failure", 3],
      );
    });

    test("failures mean what they say", async () => {
      const meanings = {
        "Send result: RESULT_ERROR_SHORT_CODE_NOT_ALLOWED (x)": "failed",
        "TTL expired": "expired",
        "Delivery result: 64": "undelivered",
      };
      for (const [error, status] of Object.entries(meanings)) {
        phone.radio = () => ({ error });
        const [id = ""] = await w.accepted(1);
        await w.pass();
        assert.deepEqual(await w.statuses([id]), [status], error);
      }
    });

    test("a delivery that fails after the message was sent is reported as such", async () => {
      phone.radio = () => ["Sent"];
      const [id = ""] = await w.accepted(1);
      await w.pass();
      const item = phone.stored.items.get(id);
      assert.ok(item);
      item.state = "Failed";
      item.error = "Delivery result: 70";
      assert.equal(await phone.patch([phone.snapshot(id)]), 204);
      assert.deepEqual(await w.statuses([id]), ["undelivered"]);
    });

    test("a phone that was away for days sends nothing stale", async () => {
      phone.disconnect();
      const [listed = ""] = await w.accepted(1);
      await phone.pull();
      const [waiting = ""] = await w.accepted(1);
      await w.m.it.advance(25 * hour);
      await w.m.it.system.core.phones.sweep();
      assert.equal((await w.shown()).state, "paused");
      assert.equal((await w.link()).state, "reconnecting");
      await phone.start();
      await w.pass();
      assert.deepEqual(await w.statuses([listed, waiting]), ["expired", "expired"]);
      assert.equal((await w.shown()).state, "active");
      assert.equal(w.air.length, 0);
    });

    test("a phone that never says what became of a message leaves it unknown", async () => {
      phone.disconnect();
      const [id = ""] = await w.accepted(1);
      await phone.pull();
      phone.reinstall();
      const { code } = await w.startLink({ replace: true });
      // The same phone, without a memory: it must not see the item again.
      await phone.registerByCode(code?.text ?? "");
      await phone.start();
      assert.deepEqual(await w.statuses([id]), ["unknown"]);
      assert.equal(w.air.length, 0);
    });

    test("what is not reported is listed for an hour past its time, and then unknown until a report comes", async () => {
      phone.disconnect();
      phone.network = (method) => (method === "PATCH" ? "refused" : "through");
      const [reported = "", stale = ""] = await w.accepted(2);
      assert.equal((await phone.pull()).length, 2);
      await w.m.it.advance(25 * hour - minute);
      assert.equal((await phone.pull()).length, 2);
      assert.deepEqual(await w.statuses([reported, stale]), ["sending", "sending"]);
      await w.m.it.advance(minute);
      assert.equal((await phone.pull()).length, 0);
      assert.deepEqual(await w.statuses([reported, stale]), ["unknown", "unknown"]);
      phone.network = () => "through";
      const item = phone.stored.items.get(reported);
      assert.ok(item);
      item.state = "Sent";
      await phone.patch([phone.snapshot(reported)]);
      const other = phone.stored.items.get(stale);
      assert.ok(other);
      Object.assign(other, { state: "Failed", error: "TTL expired" });
      await phone.patch([phone.snapshot(stale)]);
      assert.deepEqual(await w.statuses([reported, stale]), ["sent", "expired"]);
    });

    test("what a phone that never asks again had is unknown an hour past its time", async () => {
      phone.disconnect();
      phone.network = () => "refused";
      const [early = ""] = await w.accepted(1);
      phone.network = (method) => (method === "PATCH" ? "refused" : "through");
      await phone.pull();
      await w.m.it.advance(25 * hour - minute);
      await w.m.it.system.core.phones.sweep();
      assert.deepEqual(await w.statuses([early]), ["sending"]);
      await w.m.it.advance(minute);
      await w.m.it.system.core.phones.sweep();
      const message = await w.m.it.message(early);
      assert.deepEqual([message.status, message.error?.code], ["unknown", "unreported"]);
      await w.m.it.system.core.phones.sweep();
      assert.equal((await phone.pull()).length, 0, "it is listed no more");
    });
  });
}
