// Notes for webhook endpoints: written with the change, only where an active endpoint asks for it, with the
// fields as they were.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { storeSends } from "#store/messages/insert.ts";
import type { OutboxTable } from "#store/schema/webhooks.ts";
import { messageEventId } from "#store/webhooks/outbox.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, makeSending, now, receiptOf, sendOf, settle } from "../rows.ts";

onBothEngines((open) => {
  const listen = (accountId: string, events: string[], active = 1) =>
    open().query(
      `insert into webhook_endpoints (id, account_id, url, url_hash, events, active, secret, created_at, updated_at)
       values (?, ?, ?, ?, ?, ?, 'sealed', 1, 1)`,
      fresh("wh"),
      accountId,
      `https://${fresh("host")}.test/`,
      fresh("hash"),
      JSON.stringify(events),
      active,
    );
  const notes = async (accountId: string) => {
    const rows = await open().query<OutboxTable>(
      "select * from outbox where account_id = ? order by id",
      accountId,
    );
    return rows.map((row) => ({
      ...row,
      at: Number(row.at),
      data: JSON.parse(row.data) as Record<string, unknown>,
    }));
  };

  test("where no endpoint listens, nothing is written", async () => {
    const { accountId, ...of } = await makeSending(open());
    await listen(await makeAccount(open().database), ["*"]);
    await listen(accountId, ["*"], 0);
    await listen(accountId, ["message.read"]);
    await settle(open(), of, "accepted", { details: { reference: "p1" } });
    assert.deepEqual(await notes(accountId), []);
  });

  test("each change is one note, with the fields as they were at that moment", async () => {
    const sending = await makeSending(open());
    const { accountId, gatewayId, id } = sending;
    await listen(accountId, ["message.*"]);
    await settle(open(), sending, "accepted", { details: { reference: "p1" } });
    await open().database.run(storeReceipts, receiptOf(gatewayId, "delivered", { reference: "p1" }));
    const [sent, delivered] = await notes(accountId);
    assert.ok(sent && delivered);
    assert.deepEqual(
      [sent, delivered].map((note) => [note.id, note.type, note.message_id, note.at]),
      [
        [messageEventId(id, 2), "message.sent", id, now + 10],
        [messageEventId(id, 3), "message.delivered", id, now + 20],
      ],
    );
    assert.equal(sent.data.status, "sent");
    assert.equal(sent.data.delivered_at, null);
    assert.equal(sent.data.provider_reference, "p1");
    assert.equal(delivered.data.status, "delivered");
    assert.equal(delivered.data.sent_at, now + 10);
    assert.equal(delivered.data.delivered_at, now + 20);
  });

  test("two changes in one transaction are two notes", async () => {
    const sending = await makeSending(open());
    await listen(sending.accountId, ["*"]);
    const { id, gatewayId } = sending;
    await open().database.run(storeReceipts, receiptOf(gatewayId, "delivered", { reference: "early" }));
    await settle(open(), sending, "accepted", { details: { reference: "early" } });
    assert.deepEqual(
      (await notes(sending.accountId)).map((note) => [note.id, note.type, note.data.status]),
      [
        [messageEventId(id, 2), "message.sent", "sent"],
        [messageEventId(id, 3), "message.delivered", "delivered"],
      ],
    );
  });

  test("what changes nothing leaves no note", async () => {
    const sending = await makeSending(open());
    await listen(sending.accountId, ["*"]);
    await settle(open(), { ...sending, fence: sending.fence - 1 }, "deferred");
    const late = { ...sending, id: sending.id };
    await settle(open(), late, "accepted", { details: { reference: "p1" } });
    await settle(open(), late, "accepted", { details: { reference: "p1" } });
    const receipt = receiptOf(sending.gatewayId, "sent", { reference: "p1" });
    await open().database.run(storeReceipts, receipt);
    await open().database.run(storeReceipts, receipt);
    assert.deepEqual(
      (await notes(sending.accountId)).map(({ type }) => type),
      ["message.sent"],
    );
  });

  test("a request is one note, however many its messages", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId);
    await listen(accountId, ["message.scheduled"]);
    const send = sendOf(accountId, gatewayId, { count: 30, priority: 1 });
    await database.run(storeSends, send);
    const [note, ...more] = await notes(accountId);
    assert.deepEqual(more, []);
    assert.equal(note?.type, "request");
    assert.equal(note.priority, 1);
    assert.deepEqual(note.data, {
      request_id: send.requestId,
      first_id: send.messages[0]!.id,
      last_id: send.messages[29]!.id,
    });
  });

  test("credit that runs low is reported once on its way down", async () => {
    const { database } = open();
    const accountId = await makeAccount(database, { sms: 20 });
    const gatewayId = await makeGateway(database, accountId);
    await listen(accountId, ["credit.low"]);
    for (const count of [17, 2, 1]) await database.run(storeSends, sendOf(accountId, gatewayId, { count }));
    assert.deepEqual(
      (await notes(accountId)).map(({ type, data }) => [type, data]),
      [["credit.low", { channel: "sms", allowance: 20, remaining: 1 }]],
    );
  });
});
