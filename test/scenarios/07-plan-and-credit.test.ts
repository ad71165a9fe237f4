// What a message costs, when credit comes back, and what the end of a plan stops.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Harness, type HarnessOptions, harness, someEngines } from "../harness.ts";
import { answer, noAnswer, provider, readRequest, report, stored, takes } from "./provider.ts";

const contact = (message = "Hi", rest: object = {}) => ({ number: "+4915123456789", message, ...rest });

async function opened(sms: number | null, options: HarnessOptions = {}, plan: object = {}): Promise<Harness> {
  const it = await harness({ respond: takes, ...options });
  await it.account({ plan: { name: "basic", credit: { sms }, ...plan } });
  await it.gateway({ identifier: "main", ...provider });
  return it;
}

const credit = async (it: Harness) => (await it.get("/api/account")).json().data.credit.sms;
const remaining = async (it: Harness) => (await credit(it))?.remaining;

for (const engine of someEngines(import.meta.filename)) {
  describe(`credit on ${engine}`, () => {
    test("a message costs its segments, taken when it is accepted", async () => {
      const it = await opened(100, { engine, started: false });
      await it.accepted([contact(), contact("x".repeat(161)), contact("é🎉".repeat(40))]);
      // 1 + 2 + 2: emoji make it UCS-2, 120 units in two parts.
      assert.deepEqual(await credit(it), { allowance: 100, remaining: 95 });
      await it.close();
    });

    test("not enough for the whole request: 402, nothing of it accepted, nothing taken", async () => {
      const it = await opened(3, { engine });
      const reply = await it.send([contact(), contact(), contact("x".repeat(200))]);
      assert.equal(reply.statusCode, 402);
      assert.equal(reply.json().code, "insufficient_credit");
      assert.equal(reply.json().success, false);
      assert.equal(await stored(it), 0);
      assert.equal(await remaining(it), 3);
      assert.equal((await it.send([contact(), contact(), contact()])).statusCode, 200);
      assert.equal(await remaining(it), 0);
      assert.equal((await it.send([contact()])).statusCode, 402);
      await it.close();
    });

    test("fifty senders at once never spend more than there is", async () => {
      const it = await opened(20, { engine });
      const replies = await Promise.all(Array.from({ length: 50 }, () => it.send([contact()])));
      assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 20);
      assert.equal(replies.filter(({ statusCode }) => statusCode === 402).length, 30);
      assert.equal(await remaining(it), 0);
      assert.equal(await stored(it), 20);
      await it.close();
    });
  });
}

test("credit comes back once for what failed and for what was cancelled, not for what was sent or is unknown", async () => {
  const it = await opened(10, {
    respond: (request) => {
      const { text } = readRequest(request);
      if (text === "bad") return answer(400, { message: "no" });
      return text === "lost" ? noAnswer : takes(request);
    },
  });
  const [bad, fine, lost, later] = await it.accepted([
    contact("bad"),
    contact("fine"),
    contact("lost"),
    contact("later", { schedule_at: "2026-01-02 00:00:00" }),
  ]);
  await it.settle();
  assert.equal((await it.message(bad!)).status, "failed");
  assert.equal((await it.message(lost!)).status, "unknown");
  assert.equal(await remaining(it), 7);
  await it.post(`/api/cancel/sms/${later}`);
  await it.post(`/api/cancel/sms/${later}`);
  assert.equal(await remaining(it), 8);
  // The provider reports that it never sent one of them: that one comes back, once.
  for (const err of ["a", "b"]) await report(it, "main", { ref: fine, state: "REJECTD", err });
  assert.equal((await it.message(fine!)).status, "failed");
  assert.equal(await remaining(it), 9);
  // Delivered after all: not charged again.
  await report(it, "main", { ref: fine, state: "DELIVRD" });
  assert.equal((await it.message(fine!)).status, "delivered");
  assert.equal(await remaining(it), 9);
  await it.close();
});

test("without an allowance sending is unlimited, and shown as null", async () => {
  const it = await opened(null);
  assert.equal((await it.send(Array.from({ length: 500 }, () => contact()))).statusCode, 200);
  const { data } = (await it.get("/api/account")).json();
  assert.deepEqual(data.credit, { sms: null, whatsapp: null, email: null });
  assert.deepEqual(data.plan, { name: "basic", expires_at: null });
  await it.close();
});

test("a monthly allowance is full again on the account's local first of the month", async () => {
  const it = await harness({ respond: takes, clock: movableClock(Date.parse("2026-02-28T08:00:00Z")) });
  const account = {
    time_zone: "Pacific/Auckland",
    plan: { name: "basic", credit: { sms: 5 }, renews: "monthly" as const },
  };
  // In Auckland the first of March begins at 11:00 UTC of the 28th.
  await it.account(account);
  await it.gateway({ identifier: "main", ...provider });
  await it.accepted(Array.from({ length: 5 }, () => contact()));
  assert.equal((await it.send([contact()])).statusCode, 402);
  await it.clock.advanceTo(Date.parse("2026-02-28T10:59:59Z"));
  assert.equal((await it.send([contact()])).statusCode, 402);
  await it.advance(1000);
  assert.equal(await remaining(it), 5);
  assert.equal((await it.send([contact(), contact()])).statusCode, 200);
  assert.equal(await remaining(it), 3);
  await it.close();
});

test("a sandbox spends nothing", async () => {
  const it = await opened(1);
  await it.gateway({ identifier: "box", kind: "sandbox" });
  const [id] = await it.accepted([contact("x".repeat(500), { gateway_identifier: "box" })]);
  assert.equal((await it.message(id!)).test, true);
  assert.equal(await remaining(it), 1);
  await it.close();
});

test("a plan that ends between acceptance and due time does not stop the message", async () => {
  const it = await opened(null, {}, { expires_at: "2026-01-01T06:00:00Z" });
  await it.accepted([contact("promised", { schedule_at: "2026-01-01 12:00:00" })]);
  await it.advance(7 * 3_600_000);
  assert.equal((await it.send([contact()])).statusCode, 403);
  await it.advance(6 * 3_600_000);
  assert.equal(it.requests.length, 1);
  await it.close();
});
