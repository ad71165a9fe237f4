// What people write back, and what it does: it is kept, announced, tied to what it answers, and STOP means stop.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { accountSid, settings, sid, sign } from "../gateways/sms/twilio/twilio-example.ts";
import { type Harness, harness } from "../harness.ts";
import { inject } from "../inject.ts";
import { answer, story } from "./provider.ts";
import { hook, listen, posts, says } from "./receiver.ts";

const person = "+4915123456789";
const contact = { number: person, message: "Hi" };

/** Twilio takes everything; the receiver of webhooks too. */
function world(request: OutboundRequest): OutboundResult {
  if (request.url === hook) return says(204);
  assert.ok(request.url.includes(accountSid));
  const to = new URLSearchParams(String(request.body)).get("To");
  return answer(201, { sid: `${sid.slice(0, -4)}${to?.slice(-4)}`, status: "queued" });
}

async function opened(): Promise<Harness & { accountId: string }> {
  // The address at which the example signs.
  const it = await harness({ respond: world, settings: { publicUrl: "https://sms.example.test" } });
  const { id } = await it.account({ country: "DE", plan: { name: "basic", credit: { sms: 100 } } });
  await it.gateway({ identifier: "sms-main", kind: "twilio", settings, default: true });
  await listen(it, id, { events: ["message.received", "message.suppressed"] });
  return { ...it, accountId: id };
}

let written = 0;
/** A person writes to the account's number; Twilio tells us `times` times. */
async function write(it: Harness, body: string, from = person, times = 1): Promise<void> {
  written += 1;
  const parameters = { MessageSid: `SM${written}`, From: from, To: settings.from, Body: body, NumMedia: "0" };
  const signed = sign({
    method: "POST",
    query: [],
    contentType: "application/x-www-form-urlencoded",
    body: Buffer.from(new URLSearchParams(parameters).toString()),
  });
  for (let time = 0; time < times; time++) {
    const reply = await inject(it.system.app, {
      method: "POST",
      url: "/callbacks/sms-main",
      headers: signed.headers,
      payload: signed.body,
    });
    assert.equal(reply.statusCode, 200, reply.body);
  }
  await it.settle();
}

async function sent(it: Harness, message: object = contact): Promise<string> {
  const [id] = await it.accepted([message]);
  await it.settle();
  return id!;
}

const remaining = async (it: Harness) => (await it.get("/api/account")).json().data.credit.sms.remaining;
const received = async (it: Harness, query = "") => (await it.get(`/api/received/sms${query}`)).json();
const transmissions = (it: Harness) => it.requests.filter(({ url }) => url !== hook).length;

test("an answer is found by lookup and posted once, with the message that it answers", async () => {
  const it = await opened();
  const first = await sent(it);
  await it.advance(60_000);
  const id = await sent(it);
  await it.advance(60_000);
  await write(it, "Thanks, see you!", person, 3);
  const page = await received(it);
  assert.equal(page.data.length, 1);
  assert.equal(page.next_cursor, null);
  const [record] = page.data;
  assert.deepEqual(
    [record.from, record.to, record.message, record.in_reply_to, record.opt, record.gateway_identifier],
    [person, settings.from, "Thanks, see you!", id, null, "sms-main"],
  );
  assert.notEqual(first, id);
  const { received_at, ...data } = record;
  assert.equal(received_at, new Date(it.clock.now()).toISOString());
  const events = posts(it);
  assert.equal(events.length, 1);
  assert.equal(events[0]?.type, "message.received");
  assert.deepEqual(events[0]?.data, data);
  assert.equal((await it.message(id)).status, "sent", "it changes nothing of the message");
  await it.close();
});

test("STOP: nothing more goes there, what it cost comes back, and START opens the way again", async () => {
  const it = await opened();
  await sent(it);
  await write(it, " stop\n");
  assert.equal((await received(it)).data[0].opt, "out");
  const id = await sent(it, { number: "0151 23456789", message: "Still there?" });
  const record = await it.message(id);
  assert.equal(record.status, "suppressed");
  assert.equal(record.error?.code, "suppressed");
  assert.deepEqual(await story(it, id), ["queued", "suppressed"]);
  assert.equal(transmissions(it), 1);
  assert.equal(await remaining(it), 99);
  const other = await sent(it, { ...contact, number: "+4915123456780" });
  assert.equal((await it.message(other)).status, "sent", "it is one person's word");
  await write(it, "Start");
  assert.equal((await it.message(await sent(it))).status, "sent");
  assert.equal((await it.message(id)).status, "suppressed", "what ended stays ended");
  assert.deepEqual(
    posts(it).map(({ type }) => type),
    ["message.received", "message.suppressed", "message.received"],
  );
  await it.close();
});

test("a word inside a sentence is no opt-out, and a repeated STOP does not undo the START after it", async () => {
  const it = await opened();
  await write(it, "Please stop by at noon");
  await write(it, "STOP it");
  assert.equal((await it.message(await sent(it))).status, "sent");
  // Twilio's repeat of the STOP comes after the START.
  await write(it, "STOP");
  const stop = written;
  await write(it, "UNSTOP");
  const start = written;
  written = stop - 1;
  await write(it, "STOP");
  written = start;
  assert.equal((await it.message(await sent(it))).status, "sent");
  assert.deepEqual(
    (await received(it)).data.map(({ opt }: { opt: string | null }) => opt),
    ["in", "out", null, null],
  );
  await it.close();
});

test("a STOP counts for what is scheduled already, and for its own account alone", async () => {
  const it = await opened();
  const [later] = await it.accepted([{ ...contact, schedule_at: "2026-01-03 00:00:00" }]);
  await write(it, "Unsubscribe");
  await it.advance(3 * 86_400_000);
  assert.equal((await it.message(later!)).status, "suppressed");
  assert.equal(transmissions(it), 0);
  const other = await it.account({ name: "other", country: "DE" });
  await it.gateway({ identifier: "theirs", kind: "twilio", settings, default: true });
  it.as(other);
  assert.equal((await it.message(await sent(it))).status, "sent");
  assert.deepEqual((await received(it)).data, []);
  await it.close();
});

test("pages of what people wrote, and the lookup's faults", async () => {
  const it = await opened();
  for (const body of ["one", "two", "three"]) await write(it, body);
  const bodies = ({ data }: { data: { message: string }[] }) => data.map(({ message }) => message);
  const first = await received(it, "?limit=2");
  assert.deepEqual(bodies(first), ["three", "two"]);
  assert.deepEqual(bodies(await received(it, `?limit=2&cursor=${first.next_cursor}`)), ["one"]);
  const bad = await it.get("/api/received/sms?limit=0&cursor=x");
  assert.equal(bad.statusCode, 422);
  assert.equal((await it.get("/api/received/sms?cursor=x")).statusCode, 422);
  assert.equal((await it.get("/api/received/fax")).statusCode, 404);
  assert.deepEqual((await it.get("/api/received/whatsapp")).json().data, []);
  await it.close();
});
