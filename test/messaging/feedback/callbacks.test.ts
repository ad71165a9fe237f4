// Callbacks: judged by the gateway's adapter, stored once, answered only when stored.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CallbackRequest } from "#gateways/callback.ts";
import { type CallbackDeps, receiveCallback } from "#messaging/feedback/callbacks.ts";
import { createIds } from "#runtime/ids.ts";
import { createMetrics } from "#runtime/metrics.ts";
import type { OutboundResult } from "#runtime/runtime.ts";
import { type Database, StorageError } from "#store/database.ts";
import { recentInbound } from "#store/feedback/inbound.ts";
import { listSuppressions } from "#store/feedback/suppressions.ts";
import { findGatewayByIdentifier } from "#store/gateways/gateways.ts";
import { onChanges } from "../../changes.ts";
import * as mailgun from "../../gateways/email/mailgun/mailgun-example.ts";
import * as ses from "../../gateways/email/ses/ses-example.ts";
import { answer, scriptedOutbound } from "../../gateways/scripted-outbound.ts";
import { settings, sign } from "../../gateways/sms/twilio/twilio-example.ts";
import { type Harness, harness, seededRandom, someEngines } from "../../harness.ts";
import { callbackToken, provider, providerSettings, takes } from "../../scenarios/provider.ts";

const callback = (body: object, token = callbackToken): CallbackRequest => ({
  method: "POST",
  url: `https://trunkline.test/callbacks/main?token=${token}`,
  query: new URLSearchParams({ token }),
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(body)),
});

for (const engine of someEngines(import.meta.filename)) {
  describe(`callbacks on ${engine}`, () => {
    let it: Harness;
    let deps: CallbackDeps;
    let announced = 0;
    let id: string;

    before(async () => {
      it = await harness({ engine, respond: takes });
      await it.account();
      await it.gateway({ identifier: "main", ...provider });
      await it.gateway({
        identifier: "mute",
        kind: "http-api",
        settings: { ...providerSettings, callback: undefined },
      });
      [id = ""] = await it.accepted([{ number: "+4915123456789", message: "Hello" }]);
      await it.settle();
      deps = {
        database: it.system.database,
        clock: it.clock,
        outbound: scriptedOutbound({ kind: "no_answer", reason: "nothing scripted" }),
        log: it.log,
        sealer: it.system.core.sealer,
        newId: createIds(it.clock, seededRandom(99)),
        publicUrl: "https://trunkline.test",
        crashPoint: () => {},
        metrics: createMetrics(async () => []),
        readReport: async () => ({ kind: "busy" }),
      };
      onChanges(it.system.database, {
        topic: () => {
          announced += 1;
        },
      });
    });
    after(() => it?.close());

    test("an unknown gateway, a wrong token, no secret and nonsense are told apart, and change nothing", async () => {
      const body = { id: `p-${id}`, state: "DELIVRD" };
      assert.deepEqual(await receiveCallback(deps, "unknown", callback(body)), { kind: "not_found" });
      assert.deepEqual(await receiveCallback(deps, "main", callback(body, "wrong")), { kind: "forbidden" });
      assert.deepEqual(await receiveCallback(deps, "mute", callback(body)), { kind: "not_found" });
      assert.deepEqual(await receiveCallback(deps, "main", callback({ hello: 1 })), { kind: "malformed" });
      assert.equal((await it.message(id)).status, "sent");
    });

    test("a receipt moves its message, the same one again changes nothing, a new one does", async () => {
      const undelivered = callback({ id: `p-${id}`, state: "UNDELIV", err: "off" });
      for (let i = 0; i < 3; i++)
        assert.deepEqual(await receiveCallback(deps, "main", undelivered), { kind: "done" });
      const record = await it.message(id);
      assert.equal(record.status, "undelivered");
      assert.deepEqual(record.error, { code: "off", message: "off" });
      assert.equal(record.events?.length, 4);
      await receiveCallback(deps, "main", callback({ id: `p-${id}`, state: "DELIVRD" }));
      const later = await it.message(id);
      assert.equal(later.status, "delivered");
      assert.equal(later.error, null);
    });

    test("a status that is unknown changes nothing; it is counted, and logged once a day", async () => {
      const before = await it.message(id);
      for (let i = 0; i < 2; i++)
        assert.deepEqual(await receiveCallback(deps, "main", callback({ id: `p-${id}`, state: "EATEN" })), {
          kind: "done",
        });
      assert.deepEqual(await it.message(id), before);
      assert.match(await deps.metrics.text(), /trunkline_receipt_words_unknown_total\{gateway="main"\} 2/);
      assert.equal(it.log.text().match(/receipt\.word_unknown/g)?.length, 1);
      assert.match(it.log.text(), /EATEN/);
    });

    test("many receipts at once, doubled, are stored once each", async () => {
      const ids = await it.accepted(
        Array.from({ length: 20 }, (_, i) => ({ number: `+4915123456${i + 100}`, message: "Hello" })),
      );
      await it.settle();
      const bodies = ids.flatMap((one) => [
        { id: `p-${one}`, state: "DELIVRD" },
        { id: `p-${one}`, state: "ACCEPTD" },
        { ref: one, state: "DELIVRD" },
      ]);
      await Promise.all(
        [...bodies, ...bodies.toReversed()].map((body) => receiveCallback(deps, "main", callback(body))),
      );
      for (const one of ids) {
        const record = await it.message(one);
        assert.equal(record.status, "delivered");
        assert.deepEqual(record.events?.map(({ type }) => type).slice(0, 3), ["queued", "sending", "sent"]);
        assert.equal(record.events?.filter(({ type }) => type === "delivered").length, 1);
      }
    });

    test("a gateway cannot speak for another gateway's messages", async () => {
      await it.gateway({ identifier: "second", kind: "http-api", settings: providerSettings });
      const [one = ""] = await it.accepted([{ number: "+4915123456789", message: "Hello" }]);
      await it.settle();
      const forged = callback({ id: `p-${one}`, ref: one, state: "REJECTD" });
      assert.deepEqual(await receiveCallback(deps, "second", forged), { kind: "done" });
      assert.equal((await it.message(one)).status, "sent");
    });

    test("a receipt for what was never sent changes nothing", async () => {
      const [one = ""] = await it.accepted([
        { number: "+4915123456789", message: "Hello", schedule_at: "2030-01-01 00:00:00" },
      ]);
      await receiveCallback(deps, "main", callback({ id: "x", ref: one, state: "DELIVRD" }));
      assert.equal((await it.message(one)).status, "scheduled");
    });

    test("when storage fails the callback fails, so that the provider repeats it", async () => {
      const broken: Database = {
        ...deps.database,
        run: async (operation, input) => {
          if (operation.name === "storeReceipts") throw new StorageError("unavailable", "down");
          return await deps.database.run(operation, input);
        },
      };
      await assert.rejects(
        receiveCallback({ ...deps, database: broken }, "main", callback({ id: `p-${id}`, state: "DELIVRD" })),
        StorageError,
      );
    });

    const twilio = (parameters: Record<string, string>): CallbackRequest =>
      sign({
        method: "POST",
        query: [],
        contentType: "application/x-www-form-urlencoded",
        body: Buffer.from(
          new URLSearchParams({ NumMedia: "0", To: "+15005550006", ...parameters }).toString(),
        ),
      });
    const reply = { contentType: "text/xml", body: "<Response/>" };
    const rows = async () =>
      await deps.database.run(recentInbound, {
        accountId: (await deps.database.run(findGatewayByIdentifier, "twilio"))!.account_id,
        channel: "sms",
        before: null,
        limit: 100,
      });

    test("an incoming message is stored once, and answered as its provider wants", async () => {
      await it.account({ name: "acme", country: "DE" });
      await it.gateway({ identifier: "twilio", kind: "twilio", settings });
      const count = announced;
      const hello = twilio({ MessageSid: "SM1", From: "+491511", Body: "Hello" });
      for (let i = 0; i < 2; i++)
        assert.deepEqual(await receiveCallback(deps, "twilio", hello), { kind: "done", reply });
      assert.equal(announced, count + 1, "a repeat announces nothing");
      const forged = { ...hello, body: Buffer.from(`${hello.body}&Extra=1`) };
      assert.deepEqual(await receiveCallback(deps, "twilio", forged), { kind: "forbidden" });
      const [row, ...more] = await rows();
      assert.deepEqual(more, []);
      assert.deepEqual(
        [row?.sender, row?.recipient, row?.body, row?.consent_keyword, row?.in_reply_to, row?.media],
        ["+491511", "+15005550006", "Hello", null, null, "[]"],
      );
      assert.equal(announced, count + 1, "a forged one announces nothing");
    });

    test("its sender is spelled as recipients are, and stays as it came when it is no number", async () => {
      const from = async (sid: string, From: string) => {
        await receiveCallback(deps, "twilio", twilio({ MessageSid: sid, From, Body: "stop" }));
        const [row] = await rows();
        return [row?.sender, row?.consent_keyword];
      };
      assert.deepEqual(await from("SM2", "0151 2345-6789"), ["+4915123456789", "out"]);
      assert.deepEqual(await from("SM3", "12345"), ["12345", "out"]);
      assert.deepEqual(await from("SM4", "Bank"), ["Bank", "out"]);
      const listed = await deps.database.run(listSuppressions, {
        accountId: (await rows())[0]!.account_id,
        channels: ["sms"],
        recipients: null,
        after: null,
        limit: 10,
      });
      assert.deepEqual(
        listed.map(({ recipient, reason }) => [recipient, reason]),
        [
          ["+4915123456789", "opt_out"],
          ["12345", "opt_out"],
          ["Bank", "opt_out"],
        ],
      );
    });

    test("a subscription is confirmed by one visit, and only when it is verified", async () => {
      await it.gateway({ identifier: "ses", channel: "email", kind: "ses", settings: ses.settings });
      const call = async (body: ses.Message, visited: OutboundResult) => {
        const outbound = scriptedOutbound((request) =>
          request.url === ses.certificateUrl ? answer(200, ses.validCertificate) : visited,
        );
        const made = { ...body, Timestamp: new Date(it.clock.now()).toISOString() };
        const result = await receiveCallback({ ...deps, outbound }, "ses", ses.posted(ses.signed(made)));
        const visits = outbound.requests.filter(({ url }) => url !== ses.certificateUrl);
        return { ...result, visits: visits.map(({ method, url }) => `${method} ${url}`) };
      };
      const visits = [`GET ${ses.subscribeUrl}`];
      assert.deepEqual(await call(ses.subscription(), answer(200)), { kind: "done", visits });
      for (const failed of [answer(404), answer(302), { kind: "no_answer", reason: "timeout" }] as const) {
        assert.deepEqual(await call(ses.subscription(), failed), { kind: "unavailable", visits });
      }
      const elsewhere = ses.subscription({ SubscribeURL: "https://evil.test/?Action=ConfirmSubscription" });
      assert.deepEqual(await call(elsewhere, answer(200)), { kind: "malformed", visits: [] });
      const otherTopic = ses.subscription({ TopicArn: `${ses.topic}2` });
      assert.deepEqual(await call(otherTopic, answer(200)), { kind: "forbidden", visits: [] });
      assert.doesNotMatch(it.log.text(), /Token=|2336412f/);
    });

    test("a signature that does not cover its event is good for one event, in any bytes and any process", async () => {
      await it.gateway({
        identifier: "mailgun",
        channel: "email",
        kind: "mailgun",
        settings: mailgun.settings,
      });
      const asked: string[] = [];
      const database: Database = {
        ...deps.database,
        run: async (operation, input) => {
          asked.push(operation.name);
          return await deps.database.run(operation, input);
        },
      };
      const call = async (payload: object, token: string) => {
        asked.length = 0;
        const seconds = Math.floor(it.clock.now() / 1000);
        const request = mailgun.signed({ timestamp: seconds, ...payload }, { seconds, token });
        const { kind } = await receiveCallback({ ...deps, database }, "mailgun", request);
        return `${kind} ${asked.filter((name) => name.startsWith("store"))}`;
      };
      const delivered = mailgun.event("delivered");
      const complained = mailgun.event("complained");
      assert.equal(await call(delivered, "t1"), "done storeReceipts");
      assert.equal(await call(complained, "t1"), "forbidden ");
      assert.equal(await call({ ...delivered, tags: ["again"] }, "t1"), "done storeReceipts");
      assert.equal(await call(complained, "t2"), "done storeEngagements");
      // What says nothing, or nothing that is understood, uses its token up as well.
      assert.equal(await call(mailgun.event("accepted"), "t3"), "done ");
      assert.equal(await call(delivered, "t3"), "forbidden ");
      assert.equal(await call({ event: "delivered" }, "t4"), "malformed ");
      assert.equal(await call(delivered, "t4"), "forbidden ");
      assert.equal(await call({ event: "delivered" }, "t4"), "malformed ");
    });

    test("media and broken text are stored in a form that every reader takes", async () => {
      const media = {
        NumMedia: "1",
        MediaUrl0: "https://media.test/1",
        MediaContentType0: "image/png",
      };
      const odd = twilio({ MessageSid: "SM5", From: "+491511", Body: "a\0b", ...media });
      await receiveCallback(deps, "twilio", odd);
      const [row] = await rows();
      assert.equal(row?.body, "ab");
      assert.deepEqual(JSON.parse(row?.media ?? ""), [
        { url: "https://media.test/1", content_type: "image/png" },
      ]);
    });
  });
}
