// The sandbox: what happens is decided by the recipient, and no provider is needed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { EmailRecord } from "#contract/messages/record.ts";
import { type Harness, harness } from "../harness.ts";
import { story } from "./provider.ts";

let it: Harness;
before(async () => {
  it = await harness();
  await it.account({ plan: { name: "basic", credit: { sms: 3 } } });
  await it.gateway({ identifier: "box", default: true });
});
after(() => it?.close());

const send = async (number: string) => (await it.accepted([{ number, message: "Hi" }]))[0]!;

for (const [digits, status, attempts, types] of [
  ["0001", "delivered", 1, ["queued", "sending", "sent", "delivered"]],
  ["9999", "delivered", 1, ["queued", "sending", "sent", "delivered"]],
  ["0002", "undelivered", 1, ["queued", "sending", "sent", "undelivered"]],
  ["0003", "failed", 1, ["queued", "sending", "failed"]],
  [
    "0004",
    "delivered",
    3,
    ["queued", "sending", "queued", "sending", "queued", "sending", "sent", "delivered"],
  ],
  ["0005", "unknown", 1, ["queued", "sending", "unknown"]],
  ["0006", "delivered", 1, ["queued", "sending", "sent", "delivered"]],
  // No SMS is read.
  ["0008", "delivered", 1, ["queued", "sending", "sent", "delivered"]],
] as const) {
  test(`…${digits} ends ${status} after ${attempts} tries`, async () => {
    const id = await send(`+1555000${digits}`);
    await it.advance(600_000);
    const record = await it.message(id);
    assert.equal(record.status, status);
    assert.equal(record.attempts, attempts);
    assert.deepEqual(await story(it, id), types);
    assert.equal(record.test, true);
    assert.equal(record.error === null, status === "delivered");
  });
}

test("…0006 takes its five seconds", async () => {
  const id = await send("+15550000006");
  await it.advance(4999);
  assert.equal((await it.message(id)).status, "sending");
  await it.advance(1);
  assert.equal((await it.message(id)).status, "delivered");
});

test("a mail to opened@… is opened after 15 s, also when storage is away at that moment", async () => {
  await it.gateway({ identifier: "mailbox", channel: "email", default: true });
  const contact = [{ email: "opened@example.test", subject: "Hi", message: "Hi" }];
  const reply = await it.post("/api/email/send", { contact });
  const record = async () =>
    (await it.get(`/api/get/email/${reply.json().data.contact[0].id}`)).json().data as EmailRecord;
  await it.advance(14_000);
  assert.deepEqual([(await record()).status, (await record()).open_count], ["delivered", 0]);
  it.storageFault("unavailable");
  await it.advance(3_000);
  it.storageFault(null);
  await it.advance(10_000);
  assert.equal((await record()).open_count, 1);
});

test("it spent no credit and asked no provider", async () => {
  assert.equal((await it.get("/api/account")).json().data.credit.sms.remaining, 3);
  assert.equal(it.requests.length, 0);
});

test("a fresh installation has one: the default account can send at once", async () => {
  const fresh = await harness();
  const keys = await fresh.system.createDefaultAccount();
  assert.ok(keys);
  assert.equal(await fresh.system.createDefaultAccount(), null, "only on the first start");
  fresh.as({ id: "", key: keys.apiKey });
  const [id] = await fresh.accepted([{ number: "+15550000001", message: "Hello" }]);
  await fresh.settle();
  const record = await fresh.message(id!);
  assert.equal(record.status, "delivered");
  assert.equal(record.gateway_identifier, "sandbox-sms");
  await fresh.close();
});
