// What recipients do: counted once, people and machines apart, told and heeded, and only by who may speak of the mail.

import assert from "node:assert/strict";
import test from "node:test";
import {
  findMessageGateway,
  type IncomingEngagement,
  storeEngagements,
  unsubscribe,
} from "#store/feedback/engagements.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { makeAccount, makeGateway, makeSending, messageRow, now, receiptOf, timeline } from "../rows.ts";
import { listed, mailRow, makeSendingMails, makeSentMails } from "../sent-mails.ts";

/** Past the moment in which servers have a look. */
const later = now + 60_000;

function seen(messageId: string | null, options: Partial<IncomingEngagement> = {}): IncomingEngagement {
  return {
    gatewayId: null,
    kind: "opened",
    messageId,
    reference: null,
    key: null,
    count: 1,
    at: later,
    receivedAt: later,
    machine: false,
    url: null,
    userAgent: "Thunderbird",
    ip: "192.0.2.7",
    reason: null,
    recipient: null,
    ...options,
  };
}

const note = (store: Store, one: IncomingEngagement) => store.database.run(storeEngagements, one);

onBothEngines((open) => {
  test("openings by people and by machines are counted apart, and the first one stays the first", async () => {
    const store = open();
    const { id } = await makeSentMails(store);
    assert.equal(await note(store, seen(id)), "new");
    assert.equal(await note(store, seen(id, { at: later + 5, count: 3 })), "new");
    assert.equal(await note(store, seen(id, { machine: true, at: later - 5 })), "new");
    const { opened_at, open_count, machine_opens } = await mailRow(store, id);
    assert.deepEqual([opened_at, open_count, machine_opens], [later, 4, 1]);
    assert.deepEqual(await timeline(store, id), ["sending", "sent", "opened", "opened", "opened"]);
    assert.equal((await messageRow(store, id)).status, "sent");
  });

  test("who loads it while it is on its way, or within ten seconds, is the receiving server", async () => {
    const store = open();
    const { id } = await makeSentMails(store);
    const sending = await makeSendingMails(store);
    await note(store, seen(sending.id));
    await note(store, seen(id, { at: now + 10 + 9_999 }));
    assert.deepEqual((await mailRow(store, id)).open_count, 0);
    await note(store, seen(id, { at: now + 10 + 10_000 }));
    assert.deepEqual((await mailRow(store, id)).open_count, 1);
    const first = await mailRow(store, sending.id);
    assert.deepEqual([first.open_count, first.machine_opens, first.opened_at], [0, 1, null]);
  });

  test("followed links", async () => {
    const store = open();
    const { id } = await makeSentMails(store);
    const url = "https://shop.test/?a=1";
    await note(store, seen(id, { kind: "clicked", url }));
    await note(store, seen(id, { kind: "clicked", url, machine: true }));
    const { clicked_at, click_count, open_count } = await mailRow(store, id);
    assert.deepEqual([clicked_at, click_count, open_count], [later, 1, 0]);
    const events = await store.query<{ detail: string }>(
      "select detail from message_events where message_id = ? and type = 'clicked' order by seq",
      id,
    );
    assert.deepEqual(
      events.map(({ detail }) => detail),
      [`Followed: ${url}`, `Followed by a machine (Thunderbird): ${url}`],
    );
  });

  test("a provider's word counts once, by reference, by our id, and in one group with itself", async () => {
    const store = open();
    const { id, gatewayId } = await makeSentMails(store);
    const report = seen(null, { gatewayId, reference: `p-${id}`, key: "evt-1" });
    const again = seen(id, { gatewayId, key: "evt-1" });
    assert.deepEqual([await note(store, report), await note(store, report)], ["new", "repeated"]);
    const many = await Promise.all(
      Array.from({ length: 10 }, () => store.database.run(storeEngagements, again)),
    );
    assert.ok(many.every((answer) => answer === "repeated"));
    const both = [store.database, store.other].map((database) =>
      database.run(storeEngagements, { ...report, key: "evt-2" }),
    );
    assert.deepEqual((await Promise.all(both)).sort(), ["new", "repeated"]);
    assert.equal((await mailRow(store, id)).open_count, 2);
  });

  test("no report is about another gateway's mail, of an SMS, of what was never sent or is not there", async () => {
    const store = open();
    const { id, accountId, gatewayId } = await makeSentMails(store);
    const other = await makeGateway(store.database, accountId, { channel: "email" });
    assert.equal(await note(store, seen(id, { gatewayId: other })), "unknown");
    assert.equal(await note(store, seen(null, { gatewayId: other, reference: `p-${id}` })), "unknown");
    assert.equal(await note(store, seen(null, { gatewayId, reference: "p-none" })), "unknown");
    assert.equal(await note(store, seen("msg_none")), "unknown");
    const sms = await makeSending(store);
    assert.equal(await note(store, seen(sms.id, { kind: "complained" })), "unknown");
    assert.equal((await mailRow(store, id)).open_count, 0);
    assert.deepEqual(await timeline(store, sms.id), ["sending"]);
  });

  test("complaints and unsubscribes suppress, a deferral is only a line", async () => {
    const store = open();
    const recipients = ["a@example.com", "b@example.com", "c@example.com"];
    const { ids, accountId, gatewayId } = await makeSentMails(store, { recipients });
    const kinds = ["complained", "unsubscribed", "deferred"] as const;
    for (const [i, kind] of kinds.entries())
      await note(store, seen(ids[i]!, { gatewayId, kind, key: kind, reason: "said so" }));
    assert.deepEqual(await listed(store, accountId), [
      { recipient: "a@example.com", reason: "complaint", note: "said so" },
      { recipient: "b@example.com", reason: "unsubscribe", note: "said so" },
    ]);
    assert.equal((await mailRow(store, ids[0]!)).complained_at, later);
    for (const [i, kind] of kinds.entries())
      assert.deepEqual(await timeline(store, ids[i]!), ["sending", "sent", kind]);
    assert.equal((await messageRow(store, ids[2]!)).status, "sent");
  });

  test("webhooks are sent for openings, clicks and complaints, with what happened; of the rest not", async () => {
    const store = open();
    const { id, accountId } = await makeSentMails(store);
    await listen(store, accountId, ["message.*"]);
    await note(store, seen(id));
    await note(store, seen(id, { kind: "clicked", url: "https://shop.test/" }));
    await note(store, seen(id, { kind: "complained", key: "c" }));
    await note(store, seen(id, { kind: "deferred", key: "d" }));
    await note(store, seen(id, { kind: "unsubscribed", key: "u" }));
    const notes = await notesOf(store, accountId);
    assert.deepEqual(notes.map(({ type }) => type).sort(), [
      "message.clicked",
      "message.complained",
      "message.opened",
    ]);
    const opened = notes.find(({ type }) => type === "message.opened");
    assert.deepEqual(opened?.data.engagement, {
      at: new Date(later).toISOString(),
      machine: false,
      url: null,
      user_agent: "Thunderbird",
      ip: "192.0.2.7",
      reason: null,
    });
    assert.deepEqual([opened?.data.open_count, opened?.data.opened_at], [1, later]);
    assert.equal(opened?.data.status, "sent");
  });

  test("a timeline stays short, and goes on to be counted and to hear of states", async () => {
    const store = open();
    const { id, gatewayId } = await makeSentMails(store);
    for (let i = 0; i < 30; i++) await note(store, seen(id, { at: later + i }));
    await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        store.database.run(storeEngagements, seen(id, { kind: "deferred", gatewayId, key: `d${i}` })),
      ),
    );
    assert.equal((await mailRow(store, id)).open_count, 30);
    const before = await timeline(store, id);
    assert.equal(before.filter((type) => type === "opened").length, 20);
    assert.ok(before.length <= 201, String(before.length));
    await store.database.run(storeReceipts, receiptOf(gatewayId, "delivered", { messageId: id }));
    assert.equal((await timeline(store, id)).at(-1), "delivered");
  });

  test("a wrong clock of the provider's moves nothing before the sending or after the report", async () => {
    const store = open();
    const { id } = await makeSentMails(store);
    await note(store, seen(id, { at: later + 1e12, key: "a" }));
    assert.equal((await mailRow(store, id)).opened_at, later);
    await note(store, seen(id, { at: 5, key: "b" }));
    const { opened_at, machine_opens } = await mailRow(store, id);
    assert.deepEqual([opened_at, machine_opens], [later, 1]);
  });

  test("unsubscribing by our link holds with the message and without it, once, and for this account only", async () => {
    const store = open();
    const recipient = "gone@example.com";
    const { id, accountId } = await makeSentMails(store, { recipients: [recipient] });
    const word = { accountId, recipient, messageId: id, at: later };
    assert.equal(await store.database.run(unsubscribe, word), true);
    assert.equal(await store.database.run(unsubscribe, word), true);
    assert.deepEqual(await timeline(store, id), ["sending", "sent", "unsubscribed"]);
    assert.deepEqual(await listed(store, accountId), [{ recipient, reason: "unsubscribe", note: null }]);
    const other = await makeAccount(store.database);
    assert.equal(
      await store.database.run(unsubscribe, { ...word, accountId: other, messageId: "msg_x" }),
      true,
    );
    assert.equal((await listed(store, other)).length, 1);
    assert.equal(await store.database.run(unsubscribe, { ...word, accountId: "acc_none" }), false);
  });

  test("what was held after a restore stays held, also when a recipient opens what went out before", async () => {
    const store = open();
    const { id } = await makeSentMails(store);
    await store.query("update messages set status = 'queued', held_due_at = 5 where id = ?", id);
    await note(store, seen(id));
    const row = await messageRow(store, id);
    assert.deepEqual([row.held_due_at, row.due_at, row.status], [5, null, "queued"]);
  });

  test("the carrier of a mail", async () => {
    const store = open();
    const { id, gatewayId } = await makeSentMails(store);
    const sms = await makeSending(store);
    assert.equal((await store.database.run(findMessageGateway, id))?.gateway_id, gatewayId);
    assert.equal(await store.database.run(findMessageGateway, sms.id), null);
    assert.equal(await store.database.run(findMessageGateway, "msg_none"), null);
  });
});
