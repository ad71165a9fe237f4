// Linking a phone to a gateway, what its link shows, and the end of it.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { someEngines } from "../harness.ts";
import { answeredInTime, dataOf } from "../http/routes/manage/managed.ts";
import { inject } from "../inject.ts";
import { minute, type PhoneWorld, phoneWorld } from "./phone-world.ts";
import { SimulatedPhone } from "./simulated-phone.ts";

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

    test("a code links a phone once, and the app is set up by what it fetches", async () => {
      assert.equal((await w.link()).state, "open");
      const { device, warnings } = await w.link();
      assert.deepEqual(
        [device?.name, device?.version, device?.platform],
        ["Google/husky", "1.70.3", "android"],
      );
      assert.deepEqual(warnings, []);
      assert.equal(phone.stored.registration?.login, w.gateway);
      assert.equal(phone.stored.settings.gateway?.notification_channel, "SSE_ONLY");
      assert.equal(phone.stored.settings.messages?.processing_order, "FIFO");
      assert.equal(phone.stored.settings.messages?.log_lifetime_days, null);
      assert.deepEqual(
        phone.stored.webhooks.map(({ event, url }) => [event, url]),
        [
          ["sms:received", `https://trunkline.test/callbacks/${w.gateway}`],
          ["system:ping", `https://trunkline.test/callbacks/${w.gateway}`],
        ],
      );
      const again = await w.m.operator("POST", w.path("/link"), { method: "qr" });
      assert.equal(again.statusCode, 409);
      const { code, token } = await w.startLink({ replace: true });
      const other = new SimulatedPhone("other", () => w.m.it, w.air);
      assert.equal(await other.registerByCode("00000000"), 401);
      assert.equal(await other.registerByCode(code?.text ?? ""), 201);
      assert.equal(await other.registerByCode(code?.text ?? ""), 401, "a code works once");
      assert.equal(await other.signUp(token ?? ""), 201, "the private token works again");
    });

    test("a code ends with its time, and the page with it", async () => {
      const { code, url, qr } = await w.startLink({ replace: true });
      assert.equal(qr?.text, url);
      assert.match(qr?.svg ?? "", /^<svg/);
      // What links a phone is shown to who asked for it alone.
      const member = await w.m.member(w.accountId);
      const seen = dataOf<{ state: string; code: unknown; url: unknown; qr: unknown }>(
        await member("GET", w.path("/link")),
      );
      assert.deepEqual([seen.state, seen.code, seen.url, seen.qr], ["waiting_for_code", null, null, null]);
      const page = async () => await inject(w.m.it.system.app, new URL(url ?? "").pathname);
      const { body, statusCode } = await page();
      assert.equal(statusCode, 200);
      assert.ok(body.includes(code?.text ?? "?") && body.includes("https://trunkline.test/api/mobile/v1"));
      await w.m.it.advance(15 * minute);
      assert.equal((await page()).statusCode, 404);
      const other = new SimulatedPhone("other", () => w.m.it, w.air);
      assert.equal(await other.registerByCode(code?.text ?? ""), 401);
      assert.equal((await w.link()).code, null);
    });

    test("a test message from the management API goes out through the phone, and its timeline says so", async () => {
      const asked = w.m.operator("POST", w.path("/test"), { to: "+4915123410000" });
      await w.m.it.settle();
      await w.pass();
      const reply = await answeredInTime(w.m.it, asked);
      assert.equal(reply.statusCode, 200, reply.body);
      const { status, events } = await w.m.it.message(reply.json().data.id);
      assert.equal(status, "delivered");
      assert.deepEqual(
        events?.map(({ type }) => type),
        ["queued", "sending", "sent", "delivered"],
      );
      assert.deepEqual(
        w.air.map(({ text }) => text),
        [`Trunkline test message through ${w.gateway}.`],
      );
    });

    test("ending the link ends the phone's access, and what it had is unknown", async () => {
      const streams = w.m.it.system.core.phones.streams;
      phone.radio = () => [];
      const [id = ""] = await w.accepted(1);
      await w.pass();
      const reply = await w.m.operator("DELETE", w.path("/link"));
      assert.equal(reply.statusCode, 202);
      assert.equal(streams.isConnected(phone.stored.registration?.id ?? ""), false);
      assert.deepEqual(await w.statuses([id]), ["unknown"]);
      await assert.rejects(phone.pull(), /401/);
      assert.equal((await w.link()).state, "logged_out");
      assert.equal((await w.shown()).state, "paused");
      // A phone that starts with another server's token registers by its private token.
      const { token } = await w.startLink();
      await phone.start(token);
      assert.equal((await w.link()).state, "open");
      assert.equal((await w.shown()).state, "active");
    });

    test("a phone on a channel that we cannot use, an old app and a wrong clock are warnings", async () => {
      phone.version = "1.52.0";
      await inject(w.m.it.system.app, {
        method: "PATCH",
        url: "/api/mobile/v1//device",
        headers: {
          authorization: `Bearer ${phone.stored.registration?.token}`,
          "user-agent": "me.capcom.smsgateway/1.52.0",
        },
        payload: { id: phone.stored.registration?.id, pushToken: "fcm" },
      });
      const { warnings } = await w.link();
      assert.equal(warnings.length, 2, warnings.join(" "));
      await w.m.it.advance(17 * minute);
      assert.match((await w.link()).warnings.join(" "), /late/);
    });
  });
}
