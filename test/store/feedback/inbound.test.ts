// Messages from people: stored once, tied to what they answer, heeded, and told of; a repeat changes nothing.

import assert from "node:assert/strict";
import test from "node:test";
import { type IncomingMessage, recentInbound, searchInbound, storeInbound } from "#store/feedback/inbound.ts";
import { addSuppressions } from "#store/feedback/suppressions.ts";
import { storeSends } from "#store/messages/insert.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import type { InboundTable } from "#store/schema/feedback.ts";
import type { SuppressionsTable } from "#store/schema/schema.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import {
  columnsOf,
  fresh,
  makeAccount,
  makeGateway,
  makeSending,
  now,
  sendOf,
  settle,
  stamp,
} from "../rows.ts";

const sender = "+15550000";
const week = 7 * 86_400_000;

function inbound(
  accountId: string,
  gatewayId: string,
  options: Partial<IncomingMessage["message"]> & Pick<Partial<IncomingMessage>, "replyTo"> = {},
): IncomingMessage {
  const { replyTo = null, ...message } = options;
  const at = message.received_at ?? now + 1000;
  return {
    message: {
      id: fresh("in"),
      account_id: accountId,
      gateway_id: gatewayId,
      channel: "sms",
      reference: fresh("SM"),
      sender,
      recipient: "+15559999",
      body: "Thanks",
      media: "[]",
      received_at: at,
      consent_keyword: null,
      details: null,
      ...message,
    },
    gatewayIdentifier: "main",
    replyTo,
    sentSince: at - week,
  };
}

async function answered(store: Store, incoming: IncomingMessage): Promise<string | null> {
  assert.equal(await store.database.run(storeInbound, incoming), "new");
  const [row] = await store.query<InboundTable>(
    "select * from inbound_messages where id = ?",
    incoming.message.id,
  );
  assert.ok(row);
  return row.in_reply_to;
}

const listed = (store: Store, accountId: string) =>
  store.query<SuppressionsTable>(
    "select * from suppressions where account_id = ? order by recipient",
    accountId,
  );

onBothEngines((open) => {
  test("a message is stored, heeded and told of once, however often it comes", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const gatewayId = await makeGateway(store.database, accountId);
    await listen(store, accountId);
    const stop = inbound(accountId, gatewayId, { reference: "SM-1", body: "Stop", consent_keyword: "out" });
    const again = () => ({ ...stop, message: { ...stop.message, id: fresh("in") } });
    assert.equal(await store.database.run(storeInbound, stop), "new");
    // The person came back meanwhile: a late repeat of the first word must not count against the second.
    const start = inbound(accountId, gatewayId, { body: "start", consent_keyword: "in" });
    assert.equal(await store.database.run(storeInbound, start), "new");
    const repeats = await Promise.all([
      store.database.run(storeInbound, again()),
      store.other.run(storeInbound, again()),
    ]);
    assert.deepEqual(repeats, ["repeated", "repeated"]);
    assert.deepEqual(await listed(store, accountId), []);
    const notes = await notesOf(store, accountId);
    assert.deepEqual(
      notes.map(({ id }) => id).sort(),
      [stop, start].map(({ message }) => eventIdOf(message.id, "received")).sort(),
    );
    const rows = await store.query("select id from inbound_messages where gateway_id = ?", gatewayId);
    assert.equal(rows.length, 2);
  });

  test("an opt-out counts for the number and for WhatsApp's id of the person, and so does the opt-in", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const gatewayId = await makeGateway(store.database, accountId);
    const inboundOf = (body: string, consent_keyword: "out" | "in") => {
      const details = {
        type: "text",
        reply: null,
        profile_name: "Ada",
        user_id: "US.1349",
        forwarded: false,
      };
      return inbound(accountId, gatewayId, { body, consent_keyword, details: JSON.stringify(details) });
    };
    await store.database.run(storeInbound, inboundOf("stop", "out"));
    const recipients = (await listed(store, accountId)).map(({ recipient, reason }) => [recipient, reason]);
    assert.deepEqual(recipients, [
      [sender, "opt_out"],
      ["US.1349", "opt_out"],
    ]);
    await store.database.run(storeInbound, inboundOf("start", "in"));
    assert.deepEqual(await listed(store, accountId), []);
  });

  test("of one message that comes by two connections at once one is stored", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const gatewayId = await makeGateway(store.database, accountId);
    for (let round = 0; round < 20; round++) {
      const one = inbound(accountId, gatewayId, { consent_keyword: "out" });
      const two = { ...one, message: { ...one.message, id: fresh("in") } };
      const results = await Promise.all([
        store.database.run(storeInbound, one),
        store.other.run(storeInbound, two),
      ]);
      assert.deepEqual(results.sort(), ["new", "repeated"]);
    }
    assert.equal((await listed(store, accountId)).length, 1);
  });

  test("the event says what the lookup says", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "accepted", { details: { reference: "p-1" } });
    await listen(store, sending.accountId, ["message.received"]);
    const media = [{ url: "https://media.test/1", content_type: "image/png" }];
    const incoming = inbound(sending.accountId, sending.gatewayId, { media: JSON.stringify(media) });
    await answered(store, incoming);
    const [note] = await notesOf(store, sending.accountId);
    assert.deepEqual(note, {
      id: eventIdOf(incoming.message.id, "received"),
      type: "message.received",
      at: now + 1000,
      data: {
        id: incoming.message.id,
        channel: "sms",
        from: sender,
        to: "+15559999",
        gateway_identifier: "main",
        message: "Thanks",
        media,
        in_reply_to: sending.id,
        opt: null,
        type: null,
        reply: null,
        profile_name: null,
        user_id: null,
        forwarded: null,
      },
    });
  });

  test("it answers what the provider names; a name that is not ours is no reason to guess", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 2, each: { recipient: sender } });
    const [first, second] = sending.ids as [string, string];
    for (const [i, id] of [first, second].entries())
      await settle(store, { ...sending, id }, "accepted", {
        details: { at: now + i, reference: `p-${id}` },
      });
    const { accountId, gatewayId } = sending;
    const from = (options: Parameters<typeof inbound>[2]) =>
      answered(store, inbound(accountId, gatewayId, options));
    assert.equal(await from({ replyTo: `p-${first}` }), first);
    assert.equal(await from({ replyTo: `p-${first}`, sender: "+15550099" }), first, "from another phone");
    assert.equal(await from({ replyTo: "p-foreign" }), null);
    assert.equal(await from({}), second);
    // Another gateway's reference is another name.
    const other = await makeGateway(store.database, accountId);
    assert.equal(await answered(store, inbound(accountId, other, { replyTo: `p-${first}` })), null);
  });

  test("without a name it answers the latest that can have reached the sender by that gateway in a week", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 6, each: { recipient: sender } });
    const { accountId, gatewayId, fence, ids } = sending;
    const [old, sent, doubted, deferred, failed, wire] = ids as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const settled = (id: string, at: number, step: Parameters<typeof settle>[2], more: object = {}) =>
      settle(store, { ...sending, id }, step, { details: { at, ...more } });
    await settled(old, now - week - 1, "accepted");
    const ask = (options: Parameters<typeof inbound>[2] = {}) =>
      answered(store, inbound(accountId, gatewayId, { received_at: now, ...options }));
    // Five more are on the wire.
    assert.equal(await ask(), wire);
    await settled(deferred, now - 10, "deferred", { dueAt: now + 100 });
    await settled(failed, now - 10, "rejected");
    await settled(wire, now - 10, "rejected");
    await settled(doubted, now - 30, "outcome_unknown");
    assert.equal(await ask(), sent, "the last on the wire");
    await settled(sent, now - 20, "accepted");
    assert.equal(await ask(), sent);
    await store.query("update messages set sent_at = ? where id = ?", now - week - 1, sent);
    assert.equal(await ask(), doubted, "what may have been sent may be answered");
    await store.database.run(resolveUnknown, {
      accountId,
      channel: "sms",
      id: doubted,
      step: "resent_by_account",
      details: { at: now - 5, dueAt: now - 5, detail: "", resend: true },
    });
    assert.equal(await ask(), doubted, "also while it waits to be sent again");
    await stamp(store.database, gatewayId, fence, [doubted]);
    await settle(store, { ...sending, id: doubted }, "rejected", { attempt: 2, details: { at: now - 4 } });
    assert.equal(await ask(), doubted, "and when that was refused: the first time may have been enough");
    await store.query("update messages set updated_at = ? where id = ?", now - week - 1, doubted);
    assert.equal(await ask(), null, "everything else is too old, or never reached anybody");
    assert.equal(await ask({ received_at: now - 1000 }), doubted);
  });

  test("what went to another person, by another gateway, channel or account, or never, is not answered", async () => {
    const store = open();
    const { database } = store;
    const sending = await makeSending(store, { each: { recipient: sender } });
    await settle(store, sending, "accepted");
    const { accountId, gatewayId, id } = sending;
    assert.equal(await answered(store, inbound(accountId, gatewayId)), id);
    const waiting = sendOf(accountId, gatewayId, { each: { recipient: sender } });
    await database.run(storeSends, waiting);
    assert.equal(await answered(store, inbound(accountId, gatewayId)), id);
    assert.notEqual(columnsOf(waiting.messages).id[0], id);
    const otherAccount = await makeAccount(database);
    const theirs = await makeGateway(database, otherAccount);
    const beside = await makeGateway(database, accountId);
    for (const other of [
      inbound(accountId, gatewayId, { sender: "+15550001" }),
      inbound(accountId, gatewayId, { channel: "whatsapp" }),
      inbound(accountId, beside),
      inbound(otherAccount, theirs),
    ])
      assert.equal(await answered(store, other), null);
  });

  test("an opt-in takes back an opt-out of this account and channel, and nothing else", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId);
    const other = await makeAccount(database);
    const others = await makeGateway(database, other);
    const by = (options: Parameters<typeof inbound>[2], account = accountId, gateway = gatewayId) =>
      database.run(storeInbound, inbound(account, gateway, options));
    await by({ consent_keyword: "out" });
    await by({ consent_keyword: "out" });
    await by({ consent_keyword: "out", sender: "+15550002" });
    await by({ consent_keyword: "out", channel: "whatsapp" });
    await by({ consent_keyword: "out" }, other, others);
    const manual = { accountId, channel: "sms" as const, recipients: ["+15550003"], note: "asked", at: now };
    await database.run(addSuppressions, manual);
    await by({ consent_keyword: "out", sender: "+15550003" });
    const view = async (account: string) =>
      (await listed(store, account)).map((row) => [row.channel, row.recipient, row.reason]).sort();
    assert.deepEqual(await view(accountId), [
      ["sms", sender, "opt_out"],
      ["sms", "+15550002", "opt_out"],
      ["sms", "+15550003", "manual"],
      ["whatsapp", sender, "opt_out"],
    ]);
    await by({ consent_keyword: "in" });
    await by({ consent_keyword: "in", sender: "+15550003" });
    await by({ consent_keyword: "in", sender: "+15550004" });
    assert.deepEqual(await view(accountId), [
      ["sms", "+15550002", "opt_out"],
      ["sms", "+15550003", "manual"],
      ["whatsapp", sender, "opt_out"],
    ]);
    assert.deepEqual(await view(other), [["sms", sender, "opt_out"]]);
  });

  test("the newest come first, page by page, of one channel or of all, and of one account", async () => {
    const store = open();
    const { database } = store;
    const accountId = await makeAccount(database);
    const gatewayId = await makeGateway(database, accountId);
    const otherAccount = await makeAccount(database);
    await database.run(storeInbound, inbound(otherAccount, await makeGateway(database, otherAccount)));
    const ids: string[] = [];
    for (const channel of ["sms", "whatsapp", "sms", "email", "sms"] as const) {
      const one = inbound(accountId, gatewayId, { channel });
      await database.run(storeInbound, one);
      ids.unshift(one.message.id);
    }
    const page = async (channel: "sms" | "email" | null, before: string | null, limit: number) =>
      (await database.run(recentInbound, { accountId, channel, before, limit })).map(({ id }) => id);
    assert.deepEqual(await page(null, null, 50), ids);
    assert.deepEqual(await page(null, null, 2), ids.slice(0, 2));
    assert.deepEqual(await page(null, ids[1]!, 2), ids.slice(2, 4));
    assert.deepEqual(await page("sms", null, 50), [ids[0], ids[2], ids[4]]);
    assert.deepEqual(await page("sms", ids[2]!, 50), [ids[4]]);
    const [row] = await database.run(recentInbound, { accountId, channel: null, before: null, limit: 1 });
    assert.equal(row?.identifier, `identifier-${gatewayId}`);
  });

  test("one person's are found among all, and one gateway's, of one account", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    const [one, other] = [await makeGateway(database, accountId), await makeGateway(database, accountId)];
    const foreign = await makeAccount(database);
    const stored: string[] = [];
    for (const [gatewayId, from, channel] of [
      [one, "+15550001", "sms"],
      [other, "+15550001", "whatsapp"],
      [one, "+15550002", "sms"],
      [one, "15550001", "sms"],
    ] as const) {
      const next = inbound(accountId, gatewayId, { channel, sender: from });
      await database.run(storeInbound, next);
      stored.push(next.message.id);
    }
    const found = async (filter: Partial<Parameters<typeof searchInbound.run>[1]>) =>
      (
        await database.run(searchInbound, {
          accountId,
          channel: null,
          senders: null,
          gatewayId: null,
          before: null,
          limit: 9,
          ...filter,
        })
      ).map(({ id }) => stored.indexOf(id));
    assert.deepEqual(await found({ senders: ["+15550001", "15550001"] }), [3, 1, 0]);
    assert.deepEqual(await found({ senders: ["+15550001"], channel: "whatsapp" }), [1]);
    assert.deepEqual(await found({ senders: ["+15550001", "15550001"], before: stored[3]!, limit: 1 }), [1]);
    assert.deepEqual(await found({ gatewayId: one }), [3, 2, 0]);
    assert.deepEqual(await found({ gatewayId: one, senders: ["+15550001"] }), [0]);
    assert.deepEqual(await found({ accountId: foreign, gatewayId: one }), []);
  });
});
