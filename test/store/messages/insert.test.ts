// Acceptance: a send is stored whole or not at all, and pays exactly once.

import assert from "node:assert/strict";
import test from "node:test";
import { StorageError } from "#store/database.ts";
import { confirmRequest, type StoredSend, storeSends } from "#store/messages/insert.ts";
import type { SendInput } from "#store/messages/send.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import {
  columnsOf,
  fresh,
  makeAccount,
  makeGateway,
  messageRow,
  now,
  remaining,
  sendOf,
  setAllowance,
} from "../rows.ts";

const storedIds = async (store: Store, accountId: string) =>
  (
    await store.query<{ id: string }>("select id from messages where account_id = ? order by id", accountId)
  ).map(({ id }) => id);

const storedRequests = async (store: Store, accountId: string) =>
  new Set(
    (await store.query<{ id: string }>("select id from requests where account_id = ?", accountId)).map(
      ({ id }) => id,
    ),
  );

onBothEngines((open) => {
  test("a send is stored with every column as given", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10 });
    const gatewayId = await makeGateway(store.database, accountId);
    const send = sendOf(accountId, gatewayId, {
      count: 2,
      priority: 1,
      each: {
        gateway_pinned: 1,
        recipient_raw: "0151 23456",
        recipient: "+4915123456",
        content: "text",
        body: "Grüße \u{1f600}\nzweite 'Zeile' ?",
        status: "scheduled",
        due_at: now + 5000,
        schedule_at: "2027-01-15 09:00:05",
        scheduled_for: now + 5000,
        encoding: "ucs2",
        segments: 3,
        cost: 3,
        reference: "order-4711",
        metadata: '{"customer":"c-17"}',
      },
    });
    assert.deepEqual(await store.database.run(storeSends, send), { kind: "stored" });
    assert.deepEqual(
      { ...(await messageRow(store, columnsOf(send.messages).id[1]!)) },
      {
        id: columnsOf(send.messages).id[1],
        account_id: accountId,
        request_id: send.requestId,
        channel: "sms",
        gateway_id: gatewayId,
        gateway_pinned: 1,
        recipient_raw: "0151 23456",
        recipient: "+4915123456",
        content: "text",
        body: "Grüße \u{1f600}\nzweite 'Zeile' ?",
        test: 0,
        status: "scheduled",
        priority: 1,
        due_at: now + 5000,
        fence: 0,
        version: 0,
        attempts: 0,
        resends: 0,
        first_deferred_at: null,
        schedule_at: "2027-01-15 09:00:05",
        scheduled_for: now + 5000,
        created_at: now,
        updated_at: now,
        sent_at: null,
        delivered_at: null,
        read_at: null,
        provider_reference: null,
        error_code: null,
        error_message: null,
        encoding: "ucs2",
        segments: 3,
        cost: 3,
        reference: "order-4711",
        metadata: '{"customer":"c-17"}',
        refunded: 0,
        held_due_at: null,
        spread_id: null,
      },
    );
    const [request] = await store.query("select * from requests where id = ?", send.requestId);
    assert.deepEqual(
      { ...request! },
      {
        id: send.requestId,
        account_id: accountId,
        channel: "sms",
        contacts: 2,
        created_at: now,
      },
    );
    assert.equal(await remaining(store, accountId), 4);
  });

  test("sends that go together keep their own columns", async () => {
    const store = open();
    const sends: SendInput[] = [];
    for (let i = 0; i < 30; i++) {
      const accountId = await makeAccount(store.database);
      const gatewayId = await makeGateway(store.database, accountId);
      const each = { body: `of ${i}`, segments: i + 1, scheduled_for: i % 2 === 0 ? null : now + i };
      sends.push(sendOf(accountId, gatewayId, { count: 1 + (i % 4), priority: i % 3, at: now + i, each }));
    }
    const answers = await Promise.all(sends.map((send) => store.database.run(storeSends, send)));
    assert.ok(answers.every(({ kind }) => kind === "stored"));
    for (const send of sends) {
      assert.deepEqual(await storedIds(store, send.accountId), columnsOf(send.messages).id);
      const row = await messageRow(store, columnsOf(send.messages).id.at(-1)!);
      assert.equal(row.request_id, send.requestId);
      assert.equal(row.gateway_id, columnsOf(send.messages).gateway_id[0]);
      assert.equal(row.body, columnsOf(send.messages).body[0]);
      assert.equal(row.segments, columnsOf(send.messages).segments[0]);
      assert.equal(row.scheduled_for, columnsOf(send.messages).scheduled_for[0]);
      assert.equal(row.priority, send.priority);
      assert.equal(row.created_at, send.at);
    }
  });

  test("10,000 messages in one send", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10_000 });
    const gatewayId = await makeGateway(store.database, accountId);
    const send = sendOf(accountId, gatewayId, { count: 10_000 });
    assert.deepEqual(await store.database.run(storeSends, send), { kind: "stored" });
    assert.deepEqual(await storedIds(store, accountId), columnsOf(send.messages).id);
    assert.equal(await remaining(store, accountId), 0);
  });

  test("100 sends at once on credit for some of them: exact balance, each answered rightly", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 60 });
    const gatewayId = await makeGateway(store.database, accountId);
    const sends = Array.from({ length: 100 }, (_, i) => sendOf(accountId, gatewayId, { count: 1 + (i % 3) }));
    const answers = await Promise.all(
      sends.map((send, i) => (i % 2 === 0 ? store.database : store.other).run(storeSends, send)),
    );
    const left = await remaining(store, accountId);
    const requests = await storedRequests(store, accountId);
    let paid = 0;
    answers.forEach((answer, i) => {
      const send = sends[i]!;
      assert.equal(requests.has(send.requestId), answer.kind === "stored");
      if (answer.kind === "stored") paid += send.cost;
      else {
        assert.ok(answer.kind === "insufficient_credit");
        assert.ok(answer.remaining < send.cost, "refused although it could have paid");
        assert.ok(answer.remaining >= left);
      }
    });
    assert.equal(paid, 60 - left);
    assert.ok(left < 3, "more could have been paid");
    const expected = sends
      .filter((_, i) => answers[i]!.kind === "stored")
      .flatMap((send) => columnsOf(send.messages).id);
    assert.deepEqual(await storedIds(store, accountId), expected.sort());
  });

  test("200 sends at once on a credit of 1: exactly one", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 1 });
    const gatewayId = await makeGateway(store.database, accountId);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (i % 2 === 0 ? store.database : store.other).run(storeSends, sendOf(accountId, gatewayId)),
      ),
    );
    assert.equal(answers.filter(({ kind }) => kind === "stored").length, 1);
    assert.ok(answers.every((answer) => answer.kind !== "insufficient_credit" || answer.remaining === 0));
    assert.equal((await storedIds(store, accountId)).length, 1);
    assert.equal(await remaining(store, accountId), 0);
  });

  test("what costs nothing is stored without credit, and no allowance is no bound", async () => {
    const store = open();
    const poor = await makeAccount(store.database, { sms: 0 });
    const free = sendOf(poor, await makeGateway(store.database, poor), { each: { cost: 0, test: 1 } });
    const unlimited = await makeAccount(store.database);
    const big = sendOf(unlimited, await makeGateway(store.database, unlimited), {
      each: { cost: 1_000_000 },
    });
    const answers = await Promise.all([free, big].map((send) => store.database.run(storeSends, send)));
    assert.deepEqual(answers, [{ kind: "stored" }, { kind: "stored" }]);
  });

  test("a monthly allowance is full again once, at the first send of the month", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 5, renews: "monthly" });
    const gatewayId = await makeGateway(store.database, accountId);
    const sendAt = (at: number, count: number, renewedFrom: number): Promise<StoredSend> =>
      store.database.run(storeSends, sendOf(accountId, gatewayId, { at, count, renewedFrom }));
    assert.equal((await sendAt(now + 1, 4, now - 1000)).kind, "stored");
    assert.deepEqual(await sendAt(now + 2, 2, now - 1000), { kind: "insufficient_credit", remaining: 1 });
    // The next month began at now + 100: a refused send renews the balance too.
    assert.deepEqual(await sendAt(now + 200, 6, now + 100), { kind: "insufficient_credit", remaining: 5 });
    assert.equal(await remaining(store, accountId), 5);
    assert.equal((await sendAt(now + 201, 5, now + 100)).kind, "stored");
    assert.deepEqual(await sendAt(now + 202, 1, now + 100), { kind: "insufficient_credit", remaining: 0 });
  });

  test("an allowance that does not renew stays used", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 1 });
    const gatewayId = await makeGateway(store.database, accountId);
    const send = () => sendOf(accountId, gatewayId, { at: now + 10, renewedFrom: now + 5 });
    assert.equal((await store.database.run(storeSends, send())).kind, "stored");
    assert.equal((await store.database.run(storeSends, send())).kind, "insufficient_credit");
  });

  test("channels pay from their own balance", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 0 });
    await setAllowance(store.database, accountId, "email", 1);
    const gatewayId = await makeGateway(store.database, accountId, { channel: "email" });
    const send = sendOf(accountId, gatewayId, { channel: "email" });
    assert.equal((await store.database.run(storeSends, send)).kind, "stored");
    assert.equal(await remaining(store, accountId), 0);
    assert.equal(await remaining(store, accountId, "email"), 0);
  });

  test("a poisoned member of a group fails alone, and costs nothing", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 100 });
    const gatewayId = await makeGateway(store.database, accountId);
    const sends = Array.from({ length: 40 }, () => sendOf(accountId, gatewayId, { count: 2 }));
    const twice = sends[7]!;
    twice.messages[1]!.id = twice.messages[0]!.id;
    const empty = sends[23]!;
    empty.messages[0]!.body = null as unknown as string;
    const answers = await Promise.allSettled(sends.map((send) => store.database.run(storeSends, send)));
    answers.forEach((answer, i) => {
      if (i !== 7 && i !== 23) assert.equal(answer.status, "fulfilled", `send ${i}`);
      else {
        assert.ok(answer.status === "rejected");
        assert.ok(answer.reason instanceof StorageError);
        assert.equal(answer.reason.fault, "failed");
      }
    });
    assert.equal((await storedIds(store, accountId)).length, 76);
    const requests = await storedRequests(store, accountId);
    assert.ok(!requests.has(twice.requestId) && !requests.has(empty.requestId));
    assert.equal(await remaining(store, accountId), 24);
  });

  test("a fault in the last of many messages stores none of them", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 1000 });
    const gatewayId = await makeGateway(store.database, accountId);
    const send = sendOf(accountId, gatewayId, { count: 500 });
    send.messages[499]!.id = send.messages[0]!.id;
    await assert.rejects(store.database.run(storeSends, send), StorageError);
    assert.deepEqual(await storedIds(store, accountId), []);
    assert.equal((await storedRequests(store, accountId)).size, 0);
    assert.equal(await remaining(store, accountId), 1000);
  });

  test("a balance below zero is refused by the table itself", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 1 });
    await assert.rejects(store.query("update credits set remaining = -1 where account_id = ?", accountId));
  });

  test("confirmRequest tells what is stored, and leaves nothing behind", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const send = sendOf(accountId, await makeGateway(store.database, accountId));
    const proof = { requestId: send.requestId, accountId, channel: "sms", at: now } as const;
    assert.equal(await store.database.run(confirmRequest, proof), false);
    assert.equal((await storedRequests(store, accountId)).size, 0);
    await store.database.run(storeSends, send);
    assert.equal(await store.database.run(confirmRequest, proof), true);
    assert.equal((await messageRow(store, columnsOf(send.messages).id[0]!)).request_id, send.requestId);
    assert.equal(await store.database.run(confirmRequest, { ...proof, requestId: fresh("req") }), false);
  });

  test("a send whose gateway was deleted since it was chosen is refused whole, and frees its key", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10 });
    const gatewayId = await makeGateway(store.database, accountId);
    const send = sendOf(accountId, gatewayId, {
      count: 2,
      idempotencyKey: { path: "/p", key: "k", fingerprint: "f" },
    });
    send.messages[1]!.gateway_id = "gw_deleted";
    assert.deepEqual(await store.database.run(storeSends, send), { kind: "gateway_gone" });
    assert.deepEqual(await storedIds(store, accountId), []);
    assert.equal(await remaining(store, accountId), 10);
    assert.deepEqual(
      await store.query("select key from idempotency_keys where account_id = ?", accountId),
      [],
    );
  });
});
