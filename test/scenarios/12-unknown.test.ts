// When it is unknown whether a message was sent: the status says so, and never repeated blindly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Harness, harness } from "../harness.ts";
import { answer, asked, noAnswer, provider, report, story, takes } from "./provider.ts";

const contact = { number: "+4915123456789", message: "Hi" };

async function opened(on_unknown?: "hold" | "resend"): Promise<Harness> {
  const it = await harness();
  await it.account({ plan: { name: "basic", credit: { sms: 10 } } });
  await it.gateway({ identifier: "main", ...provider, on_unknown });
  return it;
}

const remaining = async (it: Harness) => (await it.get("/api/account")).json().data.credit.sms.remaining;

for (const [what, respond] of [
  ["no answer", () => noAnswer],
  ["a 500", () => answer(500)],
  ["a 503", () => answer(503)],
  [
    "a 200 that is no JSON",
    () => ({ kind: "answer" as const, status: 200, headers: {}, body: Buffer.from("<html>") }),
  ],
] as const) {
  test(`${what} leaves the message unknown: in sight, countable, not repeated, not refunded`, async () => {
    const it = await opened();
    it.respond(respond);
    const [id] = await it.accepted([contact]);
    await it.advance(86_400_000 / 4);
    const record = await it.message(id!);
    assert.equal(record.status, "unknown");
    assert.ok(record.error);
    assert.equal(record.next_attempt_at, null);
    assert.equal(it.requests.length, 1);
    assert.equal((await it.get("/api/get/sms?status=unknown")).json().data.length, 1);
    assert.equal(await remaining(it), 9);
    await it.close();
  });
}

for (const [state, status, credit] of [
  ["ACCEPTD", "sent", 9],
  ["DELIVRD", "delivered", 9],
  ["UNDELIV", "undelivered", 9],
  ["REJECTD", "failed", 10],
] as const) {
  test(`a later receipt (${status}) settles it`, async () => {
    const it = await opened();
    it.respond(() => noAnswer);
    const [id] = await it.accepted([contact]);
    await it.advance(3_600_000);
    assert.equal((await report(it, "main", { id: "lost", ref: id, state })).statusCode, 200);
    const record = await it.message(id!);
    assert.equal(record.status, status);
    assert.equal(record.provider_reference, "lost");
    assert.deepEqual(await story(it, id!), ["queued", "sending", "unknown", status]);
    assert.equal(await remaining(it), credit);
    await it.close();
  });
}

test("with the policy resend it goes out exactly once more, under the same id", async () => {
  const it = await opened("resend");
  it.respond((request) => (it.requests.length === 1 ? noAnswer : takes(request)));
  const [id] = await it.accepted([contact]);
  await it.settle();
  const waiting = await it.message(id!);
  assert.equal(waiting.status, "queued");
  assert.ok(waiting.next_attempt_at);
  await it.advance(3_600_000);
  assert.deepEqual(
    asked(it).map((one) => one.id),
    [id, id],
  );
  assert.equal((await it.message(id!)).status, "sent");
  await it.close();
});

test("a second doubt ends it: resend means one repeat", async () => {
  const it = await opened("resend");
  it.respond(() => noAnswer);
  const [id] = await it.accepted([contact]);
  await it.advance(3_600_000);
  assert.equal(it.requests.length, 2);
  assert.equal((await it.message(id!)).status, "unknown");
  await it.close();
});

test("a receipt that comes before the repeat makes it needless", async () => {
  const it = await opened("resend");
  it.respond(() => noAnswer);
  const [id] = await it.accepted([contact]);
  await it.settle();
  await report(it, "main", { ref: id, state: "DELIVRD" });
  await it.advance(3_600_000);
  assert.equal(it.requests.length, 1);
  assert.equal((await it.message(id!)).status, "delivered");
  await it.close();
});
