// Taking a message back: as long as it has not been handed over.

import assert from "node:assert/strict";
import { test } from "node:test";
import { recordReply } from "#contract/replies.ts";
import { unknownChannel } from "#http/path-params.ts";
import { type Harness, harness } from "../harness.ts";
import { provider, story, takes } from "./provider.ts";

const contact = (rest: object = {}) => ({ number: "+4915123456789", message: "Hi", ...rest });

async function opened(started = true): Promise<Harness> {
  const it = await harness({ respond: takes, started });
  await it.account();
  await it.gateway({ identifier: "main", ...provider });
  return it;
}

test("a queued message that is cancelled never leaves", async () => {
  const it = await opened(false);
  const [id, other] = await it.accepted([contact(), contact()]);
  const reply = await it.post(`/api/cancel/sms/${id}`);
  assert.equal(reply.statusCode, 200);
  const { data } = recordReply.parse(reply.json());
  assert.equal(data.status, "cancelled");
  assert.equal(data.next_attempt_at, null);
  await it.system.start();
  await it.advance(3_600_000);
  assert.equal(it.requests.length, 1);
  assert.equal((await it.message(other!)).status, "sent");
  assert.deepEqual(await story(it, id!), ["queued", "cancelled"]);
  await it.close();
});

test("a scheduled one too, and cancelling again says the same", async () => {
  const it = await opened();
  const [id] = await it.accepted([contact({ schedule_at: "2026-01-01 05:00:00" })]);
  await it.advance(3_600_000);
  const first = await it.post(`/api/cancel/sms/${id}`);
  const again = await it.post(`/api/cancel/sms/${id}`);
  assert.equal(again.statusCode, 200);
  assert.deepEqual(again.json(), first.json());
  await it.advance(86_400_000);
  assert.equal(it.requests.length, 0);
  assert.deepEqual(await story(it, id!), ["scheduled", "cancelled"]);
  await it.close();
});

test("one that waits for its next try can be cancelled", async () => {
  const it = await opened();
  await it.gateway({ identifier: "box", kind: "sandbox" });
  const [id] = await it.accepted([contact({ number: "+15550000004", gateway_identifier: "box" })]);
  await it.settle();
  assert.equal((await it.message(id!)).attempts, 1);
  assert.equal((await it.post(`/api/cancel/sms/${id}`)).statusCode, 200);
  await it.advance(3_600_000);
  assert.equal((await it.message(id!)).attempts, 1);
  await it.close();
});

test("what is on the wire or has ended cannot be cancelled: 409", async () => {
  const it = await opened();
  it.respond(async (request) => {
    await it.clock.sleep(5000);
    return takes(request);
  });
  const [id] = await it.accepted([contact()]);
  await it.settle();
  for (const status of ["sending", "sent"]) {
    assert.equal((await it.message(id!)).status, status);
    const reply = await it.post(`/api/cancel/sms/${id}`);
    assert.equal(reply.statusCode, 409);
    assert.equal(reply.json().code, "not_cancellable");
    assert.match(reply.json().message, new RegExp(status));
    await it.advance(10_000);
  }
  await it.close();
});

test("an unknown id, another account's and another channel are one and the same 404", async () => {
  const it = await opened(false);
  const [id] = await it.accepted([contact()]);
  const bodies = [
    await it.post("/api/cancel/sms/msg_01k3j5m8q2x9v7n4c6b0d1f3gh"),
    await it.post(`/api/cancel/email/${id}`),
  ];
  const elsewhere = await it.post(`/api/cancel/fax/${id}`);
  assert.deepEqual([elsewhere.statusCode, elsewhere.json()], [404, unknownChannel.body]);
  await it.account({ name: "stranger" });
  bodies.push(await it.post(`/api/cancel/sms/${id}`));
  for (const reply of bodies) {
    assert.equal(reply.statusCode, 404);
    assert.deepEqual(reply.json(), { success: false, message: "Not found.", code: "not_found" });
  }
  await it.close();
});
