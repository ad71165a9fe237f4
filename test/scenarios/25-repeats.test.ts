// A caller that heard no answer asks again under the same Idempotency-Key, and no one gets the message twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sendReply } from "#contract/replies.ts";
import { ground, type Harness, harness, someEngines } from "../harness.ts";
import { provider, takes } from "./provider.ts";

const contact = (rest: object = {}) => ({ number: "+4915123456789", message: "Hi", ...rest });
const keyed = (key: string) => ({ "idempotency-key": key });

async function opened(): Promise<Harness> {
  const it = await harness({ respond: takes });
  await it.account();
  await it.gateway({ identifier: "main", ...provider });
  return it;
}

test("the same request again gets the first answer, and one message goes out for each contact", async () => {
  const it = await opened();
  const contacts = [contact(), contact({ number: "004930123456", schedule_at: "2030-01-01 00:00:00" })];
  const first = await it.send(contacts, keyed("order 17"));
  assert.equal(first.statusCode, 200);
  assert.equal(first.headers["idempotent-replayed"], undefined);
  await it.advance(60_000);
  const again = await it.send(contacts, keyed("order 17"));
  assert.equal(again.statusCode, 200);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.deepEqual(sendReply.parse(again.json()), first.json());
  // The message has moved on since; the answer is the one that was given then.
  assert.deepEqual(
    again.json().data.contact.map(({ status }: { status: string }) => status),
    ["queued", "scheduled"],
  );
  await it.advance(60_000);
  assert.equal(it.requests.length, 1);
  assert.equal((await it.get("/api/get/sms")).json().data.length, 2);
  await it.close();
});

test("sameness is judged on what the contacts say, not on their bytes", async () => {
  const it = await opened();
  await it.send([contact()], keyed("k"));
  const spelled = await it.send(
    [{ message: " Hi ", schedule_at: null, number: "+4915123456789", unknown: 1 }],
    keyed("k"),
  );
  assert.equal(spelled.headers["idempotent-replayed"], "true");
  await it.close();
});

test("another request under a used key is refused, and stores nothing", async () => {
  const it = await opened();
  await it.send([contact()], keyed("k"));
  for (const other of [
    [contact({ message: "Ho" })],
    [contact(), contact()],
    [contact({ schedule_at: "2030-01-01 00:00:00" })],
  ]) {
    const reply = await it.send(other, keyed("k"));
    assert.equal(reply.statusCode, 422);
    assert.equal(reply.json().code, "idempotency_mismatch");
    assert.deepEqual(Object.keys(reply.json().errors), ["Idempotency-Key"]);
  }
  assert.equal((await it.get("/api/get/sms")).json().data.length, 1);
  await it.close();
});

test("a refused request leaves its key free", async () => {
  const it = await opened();
  assert.equal((await it.send([contact({ number: "abc" })], keyed("k"))).statusCode, 422);
  it.storageFault("full");
  assert.equal((await it.send([contact()], keyed("k"))).statusCode, 503);
  it.storageFault(null);
  const reply = await it.send([contact()], keyed("k"));
  assert.equal(reply.statusCode, 200);
  assert.equal(reply.headers["idempotent-replayed"], undefined);
  await it.close();
});

test("a key lasts 24 hours; without one, or with another account, every request is new", async () => {
  const it = await opened();
  const ids = async (key?: string) =>
    (await it.send([contact()], key === undefined ? {} : keyed(key))).json().data.contact[0].id as string;
  const first = await ids("k");
  assert.notEqual(await ids(), await ids());
  await it.advance(86_400_000 - 1000);
  assert.equal(await ids("k"), first);
  await it.advance(2000);
  assert.notEqual(await ids("k"), first);
  await it.account({ name: "other" });
  await it.gateway({ identifier: "theirs", ...provider });
  assert.notEqual(await ids("k"), first);
  await it.close();
});

test("an empty or endless key is refused, not ignored", async () => {
  const it = await opened();
  for (const key of ["", "k".repeat(256)]) {
    const reply = await it.send([contact()], keyed(key));
    assert.equal(reply.statusCode, 422);
    assert.deepEqual(Object.keys(reply.json().errors), ["Idempotency-Key"]);
  }
  assert.equal((await it.send([contact()], keyed("k".repeat(255)))).statusCode, 200);
  await it.close();
});

test("credit is taken once, and a repeat works when none is left", async () => {
  const it = await harness({ respond: takes });
  await it.account({ plan: { name: "small", credit: { sms: 1 } } });
  await it.gateway({ identifier: "main", ...provider });
  assert.equal((await it.send([contact()], keyed("k"))).statusCode, 200);
  assert.equal((await it.send([contact()], keyed("k"))).headers["idempotent-replayed"], "true");
  assert.equal((await it.send([contact()], keyed("l"))).statusCode, 402);
  await it.close();
});

test("a repeat is answered although its gateway was switched off since", async () => {
  const it = await opened();
  await it.send([contact({ gateway_identifier: "main" })], keyed("k"));
  await it.gateway({ identifier: "main", ...provider, active: false });
  const again = await it.send([contact({ gateway_identifier: "main" })], keyed("k"));
  assert.equal(again.headers["idempotent-replayed"], "true");
  await it.close();
});

for (const engine of someEngines(import.meta.filename)) {
  test(`many requests at once under one key make one set (${engine})`, async () => {
    const shared = await ground(engine);
    const one = await harness({ ground: shared, respond: takes });
    const account = await one.account();
    await one.gateway({ identifier: "main", ...provider });
    // Two processes, where the engine allows them.
    const two =
      engine === "postgres" ? await harness({ ground: shared, clock: one.clock, respond: takes }) : one;
    two.as(account);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? one : two).send([contact()], keyed("race"))),
    );
    const fresh = replies.filter(
      (reply) => reply.statusCode === 200 && !reply.headers["idempotent-replayed"],
    );
    assert.equal(fresh.length, 1);
    for (const reply of replies) {
      if (reply.statusCode === 200) assert.deepEqual(reply.json(), fresh[0]!.json());
      else assert.deepEqual([reply.statusCode, reply.json().code], [409, "idempotency_in_progress"]);
    }
    assert.equal((await one.get("/api/get/sms")).json().data.length, 1);
    if (two !== one) await two.close();
    await one.close();
    await shared.remove();
  });
}

test("a process that dies after storing has kept the key with the messages", async () => {
  const shared = await ground("sqlite");
  const one = await harness({ ground: shared, respond: takes, dieAt: "accept.after" });
  const account = await one.account();
  await one.gateway({ identifier: "main", ...provider });
  void one.send([contact()], keyed("k"));
  while (!one.dead()) await one.settle();
  await one.kill();
  const two = await harness({ ground: shared, respond: takes });
  two.as(account);
  const again = await two.send([contact()], keyed("k"));
  assert.equal(again.headers["idempotent-replayed"], "true");
  await two.advance(60_000);
  assert.equal(two.requests.length, 1);
  await two.close();
  await shared.remove();
});
