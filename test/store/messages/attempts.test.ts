// A message on its way: read when due, stamped under a fence, settled, recovered, cancelled, moved.

import assert from "node:assert/strict";
import test from "node:test";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { pauseByOperator, resumeByOperator } from "#store/gateways/actions.ts";
import { beginAttempts, nextDue, readDue, settleMessages } from "#store/messages/attempts.ts";
import { readBody } from "#store/messages/contents.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage } from "#store/messages/move.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import { onBothEngines } from "../conformance.ts";
import {
  claim,
  columnsOf,
  makeAccount,
  makeGateway,
  makeMessages,
  makeSending,
  messageRow,
  now,
  remaining,
  sendOf,
  settle,
  stamp,
  timeline,
} from "../rows.ts";

const cancelled: TransitionDetails = { at: now + 5, detail: "Cancelled." };

onBothEngines((open) => {
  test("due messages are read by priority, oldest due first, from a place on; future ones are not", async () => {
    const { database } = open();
    const { accountId, gatewayId, ids } = await makeMessages(database, {
      count: 3,
      each: { due_at: now - 5 },
    });
    const older = sendOf(accountId, gatewayId, { count: 2, each: { due_at: now - 9 } });
    const future = sendOf(accountId, gatewayId, { each: { due_at: now + 1, status: "scheduled" } });
    const large = sendOf(accountId, gatewayId, { count: 2, priority: 2 });
    const elsewhere = sendOf(accountId, await makeGateway(database, accountId));
    for (const send of [older, future, large, elsewhere]) await database.run(storeSends, send);
    const read = async (at: number, after: { dueAt: number; id: string } | null, limit = 100, priority = 0) =>
      (await database.run(readDue, { laneId: gatewayId, priority, now: at, after, limit })).map(
        ({ id }) => id,
      );
    const order = [...columnsOf(older.messages).id, ...ids];
    assert.deepEqual(await read(now, null), order);
    assert.deepEqual(await read(now, null, 3), order.slice(0, 3));
    for (let place = 0; place < order.length; place++) {
      const { due_at } = (
        await database.run(readDue, {
          laneId: gatewayId,
          priority: 0,
          now,
          after: null,
          limit: 100,
        })
      )[place]!;
      assert.deepEqual(await read(now, { dueAt: due_at, id: order[place]! }), order.slice(place + 1));
    }
    assert.deepEqual(await read(now, null, 100, 2), columnsOf(large.messages).id);
    assert.deepEqual(await read(now, null, 100, 1), []);
    assert.deepEqual(await read(now + 1, null), [...order, ...columnsOf(future.messages).id]);
    assert.deepEqual(await read(now - 6, null), columnsOf(older.messages).id);
  });

  test("a due message carries what sending needs", async () => {
    const { database } = open();
    const { accountId, gatewayId, ids } = await makeMessages(database);
    const [due] = await database.run(readDue, { laneId: gatewayId, priority: 0, now, after: null, limit: 1 });
    assert.match(due?.request_id ?? "", /^req_/);
    assert.deepEqual(
      { ...due },
      {
        id: ids[0],
        account_id: accountId,
        request_id: due?.request_id,
        recipient_raw: "+15550000",
        recipient: "+15550000",
        content: "text",
        body: "Hello 0",
        body_bytes: 7,
        priority: 0,
        due_at: now,
        attempts: 0,
        resends: 0,
        first_deferred_at: null,
        segments: 1,
      },
    );
  });

  test("a due message that is long comes without its body, which is read by itself", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId);
    const body = "Ж".repeat(8_193);
    const bodies = [body.slice(1), body];
    const sends = bodies.map((text) => sendOf(accountId, gatewayId, { each: { body: text } }));
    for (const send of sends) await database.run(storeSends, send);
    const rows = await database.run(readDue, { laneId: gatewayId, priority: 0, now, after: null, limit: 9 });
    const read = new Map(rows.map((row) => [row.id, [row.body, Number(row.body_bytes)]]));
    const [short, long] = sends.map(({ messages }) => messages[0]!.id);
    assert.deepEqual(read.get(short!), [bodies[0], 16_384]);
    assert.deepEqual(read.get(long!), [null, 16_386]);
    assert.equal(await database.run(readBody, long!), body);
    assert.equal(await database.run(readBody, "msg_none"), null);
  });

  test("the next due time is the earliest future one of any priority", async () => {
    const { database } = open();
    const { accountId, gatewayId } = await makeMessages(database);
    const next = () => database.run(nextDue, { laneId: gatewayId, priorities: [0, 1, 2], now });
    assert.equal(await next(), null);
    await database.run(storeSends, sendOf(accountId, gatewayId, { priority: 0, each: { due_at: now + 9 } }));
    await database.run(storeSends, sendOf(accountId, gatewayId, { priority: 2, each: { due_at: now + 4 } }));
    assert.equal(await next(), now + 4);
  });

  test("a stamp makes messages sending, no longer due, and writes it into their timeline", async () => {
    const store = open();
    const { gatewayId, ids, id, fence } = await makeSending(store, { count: 3 });
    const row = await messageRow(store, id);
    assert.deepEqual(
      [row.status, row.due_at, row.fence, row.attempts, row.version, row.updated_at],
      ["sending", null, fence, 1, 1, now],
    );
    assert.deepEqual(await timeline(store, ids[2]!), ["sending"]);
    const due = await store.database.run(readDue, {
      laneId: gatewayId,
      priority: 0,
      now,
      after: null,
      limit: 9,
    });
    assert.deepEqual(due, []);
    const again = await store.database.run(beginAttempts, {
      laneId: gatewayId,
      fence,
      ids,
      at: now,
      lateBefore: 0,
      day: null,
    });
    assert.deepEqual(again, { kind: "begun", attempts: new Map() });
  });

  test("a stamp under another fence changes nothing", async () => {
    const store = open();
    const { gatewayId, ids } = await makeMessages(store.database);
    const old = await claim(store, gatewayId, "prc_a");
    const fence = await claim(store, gatewayId, "prc_b");
    const run = (under: number) =>
      store.database.run(beginAttempts, {
        laneId: gatewayId,
        fence: under,
        ids,
        at: now,
        lateBefore: 0,
        day: null,
      });
    const both = await Promise.all([run(old), run(fence + 1)]);
    assert.deepEqual(both, [{ kind: "fenced" }, { kind: "fenced" }]);
    assert.equal((await messageRow(store, ids[0]!)).status, "queued");
    assert.deepEqual(await run(fence), { kind: "begun", attempts: new Map([[ids[0]!, 1]]) });
  });

  test("once an operator's pause is stored no attempt begins, and the one before it is settled", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 2 });
    const fence = await claim(store, gatewayId);
    const run = (id: string) =>
      store.database.run(beginAttempts, {
        laneId: gatewayId,
        fence,
        ids: [id],
        at: now,
        lateBefore: 0,
        day: null,
      });
    const [first = "", second = ""] = ids;
    assert.equal((await run(first)).kind, "begun");
    const identifier = `identifier-${gatewayId}`;
    const pause = { accountId, identifier, at: now, reason: "Paused by hand.", by: null };
    assert.ok(await store.database.run(pauseByOperator, pause));
    assert.deepEqual(await run(second), { kind: "paused" });
    assert.equal((await messageRow(store, second)).status, "queued");
    await settle(store, { id: first, gatewayId, fence }, "accepted");
    assert.equal((await messageRow(store, first)).status, "sent");
    assert.ok(await store.database.run(resumeByOperator, { accountId, identifier, at: now }));
    assert.equal((await run(second)).kind, "begun");
  });

  test("of stamps that go together each gets its own messages, and an id wanted twice goes to one", async () => {
    const store = open();
    const lanes = [await makeMessages(store.database, { count: 2 }), await makeMessages(store.database)];
    const [one, two] = lanes as [(typeof lanes)[0], (typeof lanes)[0]];
    const fence = await claim(store, one.gatewayId);
    const stampOf = (laneId: string, ids: string[], under = fence) =>
      store.database.run(beginAttempts, { laneId, fence: under, ids, at: now, lateBefore: 0, day: null });
    const [right, twice, foreign, fenced] = await Promise.all([
      stampOf(one.gatewayId, one.ids),
      stampOf(one.gatewayId, [one.ids[0]!]),
      stampOf(one.gatewayId, two.ids),
      stampOf(two.gatewayId, two.ids, 7),
    ]);
    assert.ok(right.kind === "begun" && twice.kind === "begun");
    // Which of the two is open: on PostgreSQL two groups may be in flight.
    const stamped = [...right.attempts, ...twice.attempts].sort();
    assert.deepEqual(
      stamped,
      one.ids.map((id) => [id, 1]),
    );
    assert.deepEqual(foreign, { kind: "begun", attempts: new Map() }, "another lane's message");
    assert.deepEqual(fenced, { kind: "fenced" });
    assert.equal((await messageRow(store, two.ids[0]!)).status, "queued");
  });

  test("a daily cap counts what was stamped that day, and starts anew the next", async () => {
    const store = open();
    const { gatewayId, ids } = await makeMessages(store.database, { count: 6 });
    const fence = await claim(store, gatewayId);
    const stampOn = (day: string | null, ...which: number[]) =>
      store.database.run(beginAttempts, {
        laneId: gatewayId,
        fence,
        ids: which.map((i) => ids[i]!),
        at: now,
        lateBefore: 0,
        day,
      });
    const counted = async () => {
      const [lane] = await store.query<object>("select day, day_count from lanes where id = ?", gatewayId);
      return { ...lane };
    };
    await Promise.all([stampOn("2027-01-15", 0, 1), stampOn("2027-01-15", 2)]);
    assert.deepEqual(await counted(), { day: "2027-01-15", day_count: 3 });
    await stampOn("2027-01-15", 0, 3);
    assert.deepEqual(await counted(), { day: "2027-01-15", day_count: 4 }, "already stamped counts once");
    await stampOn(null, 4);
    assert.deepEqual(await counted(), { day: "2027-01-15", day_count: 4 });
    await stampOn("2027-01-16", 5);
    assert.deepEqual(await counted(), { day: "2027-01-16", day_count: 1 });
  });

  test("a reference is kept although a receipt by our id was faster", async () => {
    const store = open();
    const { database } = store;
    const { gatewayId, ids } = await makeMessages(database);
    const fence = await claim(store, gatewayId);
    await stamp(database, gatewayId, fence, ids);
    const receipt = {
      gatewayId,
      key: "k",
      reference: null,
      messageId: ids[0]!,
      status: "delivered" as const,
    };
    await database.run(storeReceipts, {
      ...receipt,
      code: null,
      reason: null,
      bounce: null,
      recipient: null,
      at: null,
      receivedAt: now,
    });
    const details = { at: now, detail: "", reference: "SM1" };
    const settlement = {
      id: ids[0]!,
      laneId: gatewayId,
      fence,
      attempt: 1,
      details,
      parts: null,
      receipt: null,
    };
    await database.run(settleMessages, { ...settlement, step: "accepted" });
    const row = await messageRow(store, ids[0]!);
    assert.deepEqual([row.status, row.provider_reference], ["delivered", "SM1"]);
  });

  test("an account's messages and its credit agree after everything", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10 });
    const gatewayId = await makeGateway(store.database, accountId);
    const send = sendOf(accountId, gatewayId, { count: 10 });
    await store.database.run(storeSends, send);
    const refused = await store.database.run(storeSends, sendOf(accountId, gatewayId));
    assert.equal(refused.kind, "insufficient_credit");
    await store.database.run(cancelMessage, {
      accountId,
      channel: "sms",
      id: columnsOf(send.messages).id[0]!,
      details: cancelled,
    });
    assert.equal((await store.database.run(storeSends, sendOf(accountId, gatewayId))).kind, "stored");
    assert.equal(await remaining(store, accountId), 0);
  });
});
