// Removing what is old: whole things with all that belongs to them, a bounded number at a time, and never what is
// pending or unknown.

import assert from "node:assert/strict";
import test from "node:test";
import { storeReceipts } from "#store/feedback/receipts.ts";
import {
  type DeletionStep,
  deleteAuditEntries,
  deleteInbound,
  deleteMessages,
  deleteUnmatchedReceipts,
  deleteWebhookEvents,
} from "#store/maintenance/retention.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { fresh, makeMessages, makeSending, messageRow, now, receiptOf, settle } from "../rows.ts";

const later = now + 86_400_000;

/** Walks to the end; every batch's number of removals. */
async function walk(one: (after: string) => Promise<DeletionStep>): Promise<number[]> {
  const removed: number[] = [];
  for (let after = ""; removed.length < 100; ) {
    const batch = await one(after);
    removed.push(batch.deleted);
    if (batch.next === null) return removed;
    after = batch.next;
  }
  throw new Error("no end");
}

const messagesFrom = (store: Store, first: string, options: Partial<{ limit: number; since: number }> = {}) =>
  walk((after) =>
    store.database.run(deleteMessages, {
      // Behind the rows of the other cases.
      after: after === "" ? `msg_${String(Number(first.slice(4)) - 1).padStart(8, "0")}` : after,
      before: "msg_z",
      unchangedSince: options.since ?? later,
      limit: options.limit ?? 100,
    }),
  );

const count = async (store: Store, from: string, ...values: string[]) =>
  Number((await store.query<{ n: number }>(`select count(*) as n from ${from}`, ...values))[0]!.n);

onBothEngines((open) => {
  test("an ended message goes with its events, references and receipts, and its request with the last of them", async () => {
    const store = open();
    const sent = await makeSending(store, { count: 3 });
    for (const id of sent.ids)
      await settle(store, { ...sent, id }, "accepted", { details: { reference: `p-${id}` } });
    await store.database.run(
      storeReceipts,
      receiptOf(sent.gatewayId, "delivered", { reference: `p-${sent.ids[0]}` }),
    );
    const { request_id } = await messageRow(store, sent.ids[0]!);
    // The last of them is not old enough.
    await store.query("update messages set updated_at = ? where id = ?", later, sent.ids[2]!);
    assert.deepEqual(await messagesFrom(store, sent.ids[0]!), [2]);
    for (const id of sent.ids.slice(0, 2)) {
      assert.equal(await count(store, "messages where id = ?", id), 0);
      for (const table of ["message_events", "message_references", "receipts"])
        assert.equal(await count(store, `${table} where message_id = ?`, id), 0, table);
    }
    assert.equal(await count(store, "message_events where message_id = ?", sent.ids[2]!), 2);
    assert.equal(await count(store, "message_references where message_id = ?", sent.ids[2]!), 1);
    const [request] = await store.query<{ contacts: number }>(
      "select contacts from requests where id = ?",
      request_id,
    );
    assert.equal(request?.contacts, 1);
    assert.deepEqual(await messagesFrom(store, sent.ids[0]!, { since: later + 1 }), [1]);
    assert.equal(await count(store, "requests where id = ?", request_id), 0);
    assert.equal(
      await count(store, "credit_entries where account_id = ?", sent.accountId),
      1 + 1,
      "the ledger stays",
    );
  });

  test("what is pending, held or unknown stays, however old", async () => {
    const store = open();
    const { ids } = await makeMessages(store.database, { count: 5 });
    const states = ["queued", "scheduled", "sending", "unknown", "queued"];
    for (const [i, status] of states.entries())
      await store.query("update messages set status = ?, due_at = null where id = ?", status, ids[i]!);
    await store.query("update messages set held_due_at = 1 where id = ?", ids[4]!);
    assert.deepEqual(await messagesFrom(store, ids[0]!), [0]);
    for (const id of ids) assert.ok(await messageRow(store, id));
    await store.query(
      "update messages set held_due_at = null, status = 'cancelled' where request_id = (select request_id from messages where id = ?)",
      ids[0]!,
    );
  });

  test("batches are bounded, and go on behind what they leave", async () => {
    const store = open();
    const { ids } = await makeMessages(store.database, { count: 25 });
    await store.query("update messages set status = 'failed', due_at = null where due_at is not null");
    for (const id of ids.slice(3, 9))
      await store.query("update messages set status = 'unknown' where id = ?", id);
    assert.deepEqual(await messagesFrom(store, ids[0]!, { limit: 10 }), [4, 10, 5]);
    assert.equal(await count(store, "messages where status = 'unknown' and id >= ?", ids[0]!), 6);
    await store.query("update messages set status = 'failed'");
  });

  test("a receipt that moves a message while it is looked at keeps it", async () => {
    const store = open();
    const sent = await makeSending(store, { count: 30 });
    for (const id of sent.ids)
      await settle(store, { ...sent, id }, "accepted", { details: { reference: `p-${id}` } });
    const receipts = sent.ids.map((id) =>
      store.database.run(
        storeReceipts,
        receiptOf(sent.gatewayId, "delivered", { reference: `p-${id}`, receivedAt: later }),
      ),
    );
    await Promise.all([messagesFrom(store, sent.ids[0]!), ...receipts]);
    for (const id of sent.ids) {
      const kept = await count(store, "messages where id = ?", id);
      assert.equal(await count(store, "message_events where message_id = ?", id), kept === 1 ? 3 : 0);
      if (kept === 1) assert.equal((await messageRow(store, id)).status, "delivered");
    }
  });

  test("inbound messages and audit entries: the oldest first, up to the bound", async () => {
    const store = open();
    for (let i = 0; i < 7; i++) {
      await store.query(
        `insert into inbound_messages (id, account_id, gateway_id, channel, reference, sender, recipient, body, media, received_at)
         values (?, 'acc_0', 'gw_0', 'sms', ?, '+1', '+2', '', '[]', 1)`,
        `in_${i}`,
        `r${i}`,
      );
      await store.query(
        `insert into audit_entries (id, at, actor_kind, actor_name, action, detail, outcome)
         values (?, 1, 'unknown', '', 'x', '{}', '200')`,
        `aud_${i}`,
      );
    }
    assert.deepEqual(
      await walk(() => store.database.run(deleteInbound, { before: "in_5", limit: 2 })),
      [2, 2, 1],
    );
    assert.equal(await count(store, "inbound_messages"), 2);
    assert.deepEqual(
      await walk(() => store.database.run(deleteAuditEntries, { before: "aud_5", limit: 5 })),
      [5, 0],
    );
    assert.equal(await count(store, "audit_entries"), 2);
  });

  test("receipts that met no message go with the notes of their references; those that did stay", async () => {
    const store = open();
    const sent = await makeSending(store);
    await settle(store, sent, "accepted", { details: { reference: "known" } });
    const report = (reference: string | null, receivedAt: number) =>
      store.database.run(storeReceipts, receiptOf(sent.gatewayId, "sent", { reference, receivedAt }));
    await report("known", now);
    await report("stranger", now);
    await report(null, now);
    await report("young", later);
    const removed = await walk((after) =>
      store.database.run(deleteUnmatchedReceipts, { after, before: later, limit: 1 }),
    );
    // One look is at one unmatched receipt, and there are others than these.
    assert.ok(removed.every((count) => count <= 1));
    assert.equal(
      removed.reduce((sum, one) => sum + one, 0),
      2,
    );
    const rest = await store.query<{ reference: string }>(
      "select reference from receipts where gateway_id = ? order by reference",
      sent.gatewayId,
    );
    assert.deepEqual(
      rest.map(({ reference }) => reference),
      ["known", "young"],
    );
    const references = await store.query<{ reference: string }>(
      "select reference from message_references where gateway_id = ? order by reference",
      sent.gatewayId,
    );
    assert.deepEqual(
      references.map(({ reference }) => reference),
      ["known", "young"],
    );
  });

  test("webhook events go with their ended deliveries; one that is still to be tried keeps its event", async () => {
    const store = open();
    const add = async (id: string, at: number, delivered: string[]) => {
      await store.query(
        "insert into webhook_events (id, account_id, type, at, body) values (?, 'acc_0', 'message.sent', ?, '{}')",
        id,
        at,
      );
      for (const [i, status] of delivered.entries()) {
        await store.query(
          `insert into webhook_deliveries (endpoint_id, event_id, account_id, type, priority, due_at, held_due_at, status, attempts, log, created_at, updated_at)
           values (?, ?, 'acc_0', 'message.sent', 0, ?, ?, ?, 1, '[]', 1, 1)`,
          `whe_${i}`,
          id,
          status === "pending" ? 5 : null,
          status === "held" ? 5 : null,
          status === "held" ? "pending" : status,
        );
      }
    };
    const events = Array.from({ length: 6 }, () => fresh("evt"));
    await add(events[0]!, 1, ["delivered", "failed"]);
    await add(events[1]!, 1, ["delivered", "pending"]);
    await add(events[2]!, 1, ["held"]);
    await add(events[3]!, 2, []);
    await add(events[4]!, 3, ["delivered"]);
    await add(events[5]!, 10, ["delivered"]);
    const steps = await walk((after) =>
      store.database.run(deleteWebhookEvents, { after, before: 10, limit: 2 }),
    );
    assert.deepEqual(steps, [1, 1, 1]);
    const left = await store.query<{ id: string }>("select id from webhook_events order by id");
    assert.deepEqual(
      left.map(({ id }) => id),
      [events[1], events[2], events[5]],
    );
    const rows = await store.query<{ event_id: string }>(
      "select event_id from webhook_deliveries order by event_id",
    );
    assert.deepEqual(
      rows.map(({ event_id }) => event_id),
      [events[1], events[1], events[2], events[5]],
    );
  });
});
