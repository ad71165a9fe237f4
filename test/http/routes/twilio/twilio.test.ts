// Twilio's package for Node, unmodified but for its HTTP client: sends by SMS and WhatsApp, reads, lists, cancels, and checks callbacks.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import twilio from "twilio";
import { type Harness, harness } from "../../../harness.ts";
import { accountSid, callbacks, packageClient } from "./twilio-peer.ts";

const answered = { kind: "answer", status: 204, headers: {}, body: Buffer.from("") } as const;

describe("twilio's package for Node", () => {
  let it: Harness;
  let key: string;
  let client: Awaited<ReturnType<typeof packageClient>>;
  before(async () => {
    it = await harness({ respond: () => answered });
    ({ key } = await it.account({ country: "DE" }));
    await it.gateway({ identifier: "sms-main", default: true });
    await it.gateway({ identifier: "wa-main", channel: "whatsapp", default: true });
    client = await packageClient(it, key);
  });
  after(() => it?.close());

  test("sends an SMS, and fetches it once it is delivered", async () => {
    const made = await client.messages.create({ to: "+4915123450001", from: "+15005550006", body: "Hi" });
    assert.match(made.sid, /^SM[0-9a-f]{32}$/);
    assert.equal(made.status, "queued");
    assert.equal(made.accountSid, accountSid);
    assert.equal(made.numSegments, "1");
    assert.equal(made.direction, "outbound-api");
    assert.deepEqual([made.to, made.body, made.errorCode], ["+4915123450001", "Hi", null]);
    assert.equal(made.dateCreated.getTime(), Math.floor(it.clock.now() / 1000) * 1000);
    await it.settle();
    const fetched = await client.messages(made.sid).fetch();
    assert.equal(fetched.status, "delivered");
    assert.ok(fetched.dateSent instanceof Date);
  });

  test("sends a text and a file by WhatsApp", async () => {
    const text = await client.messages.create({
      to: "whatsapp:+4915123450001",
      from: "whatsapp:wa-main",
      body: "Hi",
    });
    assert.deepEqual([text.to, text.from], ["whatsapp:+4915123450001", "whatsapp:wa-main"]);
    const file = await client.messages.create({
      to: "whatsapp:+4915123450001",
      mediaUrl: ["https://cdn.example.com/a/invoice.pdf?v=1"],
    });
    assert.deepEqual([file.numMedia, file.body], ["1", ""]);
  });

  test("schedules, and cancels what is scheduled", async () => {
    const sendAt = new Date(it.clock.now() + 86_400_000);
    const made = await client.messages.create({
      to: "+4915123450001",
      messagingServiceSid: "sms-main",
      body: "Later",
      scheduleType: "fixed",
      sendAt,
    });
    assert.equal(made.status, "scheduled");
    const canceled = await client.messages(made.sid).update({ status: "canceled" });
    assert.equal(canceled.status, "canceled");
    const sent = await client.messages.create({ to: "+4915123450001", body: "Now" });
    await it.settle();
    await assert.rejects(client.messages(sent.sid).update({ status: "canceled" }), {
      status: 409,
      code: 30409,
    });
  });

  test("lists page after page, by recipient and by day", async () => {
    for (let i = 0; i < 5; i++) await client.messages.create({ to: "+4915123450099", body: `text ${i}` });
    const all = await client.messages.list({ to: "+4915123450099", pageSize: 2 });
    assert.deepEqual(
      all.map(({ body }) => body),
      [4, 3, 2, 1, 0].map((i) => `text ${i}`),
    );
    assert.equal((await client.messages.list({ to: "+4915123450099", limit: 3 })).length, 3);
    const today = new Date(it.clock.now());
    const tomorrow = new Date(it.clock.now() + 86_400_000);
    const of = (filter: object) => client.messages.list({ to: "+4915123450099", ...filter });
    assert.equal((await of({ dateSentAfter: tomorrow })).length, 0);
    assert.equal((await of({ dateSentBefore: tomorrow })).length, 5);
    assert.equal((await of({ dateSent: new Date(today.toISOString().slice(0, 10)) })).length, 5);
    assert.equal((await of({ dateSent: tomorrow })).length, 0);
    assert.equal((await of({ from: "sms-main" })).length, 5);
    assert.equal((await of({ from: "whatsapp:wa-main" })).length, 0);
  });

  test("its error has our reason and Twilio's code", async () => {
    await assert.rejects(client.messages.create({ to: "no-number", body: "Hi" }), {
      status: 400,
      code: 21211,
      message: "The To field must be a valid phone number.",
      moreInfo: "https://www.twilio.com/docs/errors/21211",
    });
    const wrong = await packageClient(it, "tl_00000000000000000000000000000000");
    await assert.rejects(wrong.messages.list({ limit: 1 }), { status: 401, code: 20003 });
  });

  test("its validator takes each callback by the auth token of the account, and no other one", async () => {
    const { authToken } = await client.api.v2010.accounts(accountSid).fetch();
    assert.match(authToken, /^[0-9a-f]{32}$/);
    const url = "https://app.example.com:8443/twilio?order=a%20b&x=1#top";
    const sent = it.requests.length;
    const made = await client.messages.create({ to: "+4915123450001", body: "Hi", statusCallback: url });
    await it.settle();
    const posted = callbacks(it);
    assert.equal(it.requests.length - sent, 4);
    assert.deepEqual(posted.map(({ form }) => form.MessageStatus).toSorted(), [
      "delivered",
      "queued",
      "sending",
      "sent",
    ]);
    for (const { url: asked, signature, form } of posted) {
      assert.equal(asked, "https://app.example.com:8443/twilio?order=a%20b&x=1");
      assert.equal(form.MessageSid, made.sid);
      assert.ok(twilio.validateRequest(authToken, signature, asked, form), JSON.stringify(form));
      assert.ok(!twilio.validateRequest(key, signature, asked, form));
      assert.ok(!twilio.validateRequest(authToken, signature, asked, { ...form, MessageStatus: "read" }));
    }
  });
});
