// What a phone posts, and what the app asks beside messages.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { someEngines } from "../harness.ts";
import { inject } from "../inject.ts";
import { hour, type PhoneWorld, phoneWorld } from "./phone-world.ts";
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

    test("received messages are stored once, opt a person out, and prove themselves", async () => {
      const sms = { sender: "+4915123410000", message: "STOP", at: "2026-01-01T09:15:02.000+01:00" };
      assert.equal(await phone.receive(sms, "envelope1"), 200);
      assert.equal(await phone.receive(sms, "envelope1"), 200);
      assert.equal(await phone.receive(sms, "another envelope"), 200, "the app read its inbox again");
      const received = await w.m.it.get("/api/received/sms");
      const mine = received
        .json()
        .data.filter((one: { gateway_identifier: string }) => one.gateway_identifier === w.gateway);
      assert.equal(mine.length, 1, received.body);
      const [id = ""] = await w.accepted(1);
      await w.pass();
      assert.deepEqual(await w.statuses([id]), ["suppressed"]);
      assert.equal(await phone.post("sms:received", {}, "e", "another key"), 403);
      await w.m.operator(
        "DELETE",
        `/accounts/${w.accountId}/suppressions/sms/${encodeURIComponent("+4915123410000")}`,
      );
    });

    test("what an old app reports twice within seconds is one message, and ten minutes later it is another", async () => {
      const count = async (sender: string) =>
        ((await w.m.it.get("/api/received/sms")).json().data as { from: string }[]).filter(
          ({ from }) => from === sender,
        ).length;
      const report = async (sender: string, time: string) =>
        assert.equal(
          await phone.receive({
            sender,
            message: "On my way",
            at: `2026-01-01T${time}+01:00`,
            messageId: time,
          }),
          200,
        );
      const every = ["09:15:02.000", "09:15:06.417", "09:14:58.000", "09:25:02.000"];
      phone.version = "1.66.1";
      await phone.start();
      // Both reports may be on their way at once.
      await Promise.all(every.slice(0, 2).map((time) => report("+4915123413001", time)));
      for (const time of every) await report("+4915123413001", time);
      assert.equal(await count("+4915123413001"), 2);
      await report("+4915123413002", every[0] ?? "");
      assert.equal(await count("+4915123413002"), 1, "another person's is another message");
      phone.version = "1.70.3";
      await phone.start();
      for (const time of every) await report("+4915123413003", time);
      assert.equal(await count("+4915123413003"), 4, "later versions report each message once");
    });

    test("what the app asks beside messages is answered as it expects", async () => {
      const ask = async (method: "GET" | "PATCH", url: string) =>
        (await inject(w.m.it.system.app, { method, url: `/api/mobile/v1${url}` })).statusCode;
      assert.equal(await ask("GET", "/device"), 200);
      assert.equal(await ask("GET", "/user/code"), 501);
      assert.equal(await ask("PATCH", "/user/password"), 501);
      assert.equal(await ask("GET", "/message"), 401);
      assert.equal(await ask("PATCH", "/device"), 401);
      assert.equal(await ask("GET", "/events"), 401);
      assert.equal(await ask("GET", "/inbox"), 404);
      assert.equal(
        await phone.post(
          "system:ping",
          { health: { checks: { "battery:level": { observedValue: 8 } } } },
          "p",
        ),
        200,
      );
      assert.match((await w.link()).warnings.join(" "), /battery is at 8/);
    });

    test("a wrong clock is a warning, loses no received text, and its `TTL expired` is `expired`", async () => {
      phone.clockAheadMs = 50 * hour;
      const [id = ""] = await w.accepted(1);
      await w.pass();
      assert.deepEqual(await w.statuses([id]), ["expired"]);
      const sms = { sender: "+4915123417777", message: "Hello?" };
      assert.equal(await phone.receive(sms, "envelope"), 200);
      assert.equal(await phone.receive({ ...sms, sender: "+4915123417778" }, "envelope-2"), 200);
      const received = (await w.m.it.get("/api/received/sms")).json().data as {
        gateway_identifier: string;
      }[];
      assert.equal(received.filter((one) => one.gateway_identifier === w.gateway).length, 2);
      assert.match((await w.link()).warnings.join(" "), /clock is 3000 minutes fast/);
    });
  });
}
