// Texts that come back, in each order of the report and of what became of the attempt.

import assert from "node:assert/strict";
import test from "node:test";
import { type IncomingReceipt, storeReceipts } from "#store/feedback/receipts.ts";
import { lastHeard } from "#store/feedback/reply-windows.ts";
import { deleteGateway, readDraining } from "#store/gateways/delete.ts";
import { settleMessages } from "#store/messages/attempts.ts";
import { recoverMessages } from "#store/messages/recover.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import {
  claim,
  fresh,
  makeGateway,
  makeSending,
  messageRow,
  now,
  receiptOf,
  settle,
  settlement,
  stamp,
  timeline,
} from "../rows.ts";

onBothEngines((open) => {
  const stateOf = async (store: Store, id: string) => {
    const { status, due_at, resends } = await messageRow(store, id);
    return [status, due_at !== null, resends];
  };
  const unapplied = async (store: Store, gatewayId: string) =>
    (await store.query("select 1 from receipts where gateway_id = ? and applied = 0", gatewayId)).length;

  /** A message under way to a person who wrote a day ago, and the steps that may come in any order. */
  async function underWay(store: Store, heardAt = now - 50) {
    const sending = await makeSending(store);
    const { gatewayId, id } = sending;
    const { recipient } = await messageRow(store, id);
    const columns = "insert into reply_windows (gateway_id, sender, heard_at) values (?, ?, ?)";
    await store.query(columns, gatewayId, recipient, heardAt);
    const reference = fresh("wamid");
    const report = (status: IncomingReceipt["status"], more: Partial<IncomingReceipt> = {}) =>
      store.database.run(storeReceipts, receiptOf(gatewayId, status, { messageId: id, reference, ...more }));
    const accept = () => settle(store, sending, "accepted", { details: { reference } });
    const heard = () => store.database.run(lastHeard, { gatewayId, sender: recipient });
    return { ...sending, reference, report, accept, heard };
  }

  test("a report that overtakes the settlement ends as one that comes after it", async () => {
    const store = open();
    const byReference = { messageId: null };
    for (const more of [{}, byReference]) {
      const inOrder = await underWay(store);
      await inOrder.accept();
      await inOrder.report("returned", more);
      const overtaken = await underWay(store);
      await overtaken.report("returned", more);
      assert.equal((await messageRow(store, overtaken.id)).status, "sending");
      assert.equal(await overtaken.accept(), "returned", "its lane learns that it is due");
      for (const { id, gatewayId, heard } of [inOrder, overtaken]) {
        assert.deepEqual(await stateOf(store, id), ["queued", true, 1]);
        assert.deepEqual(await timeline(store, id), ["sending", "sent", "queued"]);
        assert.equal(await heard(), null, "the window is closed");
        assert.equal(await unapplied(store, gatewayId), 0);
      }
      const [one, other] = [await messageRow(store, inOrder.id), await messageRow(store, overtaken.id)];
      assert.deepEqual([one.due_at, one.sent_at], [other.due_at, other.sent_at]);
    }
  });

  test("both at once, from two processes", async () => {
    const store = open();
    for (let round = 0; round < 10; round++) {
      const one = await underWay(store);
      const report = receiptOf(one.gatewayId, "returned", { messageId: one.id, reference: one.reference });
      const settled = settlement(one, "accepted", { details: { reference: one.reference } });
      await Promise.all([
        store.other.run(storeReceipts, report),
        store.database.run(settleMessages, settled),
        store.database.run(storeReceipts, report),
      ]);
      assert.deepEqual(await stateOf(store, one.id), ["queued", true, 1]);
      assert.equal(await one.heard(), null);
      assert.equal(await unapplied(store, one.gatewayId), 0);
    }
  });

  test("a report with another one before it, while the attempt is under way", async () => {
    const store = open();
    const first = await underWay(store);
    await first.report("sent");
    await first.report("returned");
    await first.accept();
    const second = await underWay(store);
    await second.report("returned");
    await second.report("sent");
    await second.accept();
    for (const { id, gatewayId } of [first, second]) {
      assert.deepEqual(await stateOf(store, id), ["queued", true, 1]);
      assert.equal(await unapplied(store, gatewayId), 0);
    }
  });

  test("one whose outcome stays unknown comes back by the id in the report, also after its process ended", async () => {
    const store = open();
    const unknown = await underWay(store);
    await unknown.report("returned");
    assert.equal(await settle(store, unknown, "outcome_unknown"), "returned");
    const left = await underWay(store);
    await left.report("returned");
    const fence = await claim(store, left.gatewayId, "prc_2");
    const details = { at: now + 9, detail: "?", code: "interrupted", message: "?" };
    const held = { step: "outcome_unknown" as const, details };
    const input = { laneId: left.gatewayId, fence, limit: 10, first: held, again: held };
    assert.equal(await store.database.run(recoverMessages, input), 1);
    const resent = await underWay(store);
    await resent.report("returned");
    const again = { ...details, dueAt: now, resend: true };
    await store.database.run(recoverMessages, {
      ...input,
      laneId: resent.gatewayId,
      fence: await claim(store, resent.gatewayId, "prc_2"),
      first: { step: "resent", details: again },
    });
    for (const { id, gatewayId, heard } of [unknown, left, resent]) {
      assert.deepEqual(await stateOf(store, id), ["queued", true, 1]);
      assert.equal(await heard(), null);
      assert.equal(await unapplied(store, gatewayId), 0);
    }
  });

  test("a report on the first transmission does not end the second one, which is under way", async () => {
    const store = open();
    const one = await underWay(store);
    await one.report("returned");
    await settle(store, one, "deferred", { details: { dueAt: now } });
    await stamp(store.database, one.gatewayId, one.fence, [one.id]);
    await settle(store, one, "accepted", { attempt: 2, details: { reference: fresh("wamid") } });
    assert.deepEqual(await stateOf(store, one.id), ["sent", false, 0]);
  });

  test("a report on the first transmission is no proof about a second one that ends unknown", async () => {
    const store = open();
    const details = { at: now + 9, detail: "?", code: "interrupted", message: "?" };
    const second = async () => {
      const one = await underWay(store);
      await one.report("returned");
      await settle(store, one, "deferred", { details: { dueAt: now } });
      await stamp(store.database, one.gatewayId, one.fence, [one.id]);
      return one;
    };
    const settled = await second();
    assert.equal(await settle(store, settled, "outcome_unknown", { attempt: 2 }), "settled");
    const left = await second();
    const step = { step: "outcome_unknown" as const, details };
    await store.database.run(recoverMessages, {
      laneId: left.gatewayId,
      fence: await claim(store, left.gatewayId, "prc_2"),
      limit: 10,
      first: step,
      again: step,
    });
    const resent = await underWay(store);
    await settle(store, resent, "outcome_unknown");
    const again = { ...details, dueAt: now };
    const resolve = { accountId: resent.accountId, channel: null, id: resent.id, details: again };
    await store.database.run(resolveUnknown, { ...resolve, step: "resent_by_account" });
    await stamp(store.database, resent.gatewayId, resent.fence, [resent.id]);
    await resent.report("returned");
    assert.equal(await settle(store, resent, "outcome_unknown", { attempt: 2 }), "settled");
    for (const { id } of [settled, left, resent])
      assert.deepEqual(await stateOf(store, id), ["unknown", false, 0]);
  });

  test("a report of the gateway that a message had before is no proof about what the next one did", async () => {
    const store = open();
    const one = await underWay(store);
    await one.report("returned");
    await settle(store, one, "deferred", { details: { dueAt: now, uncounted: true } });
    const gatewayId = await makeGateway(store.database, one.accountId);
    await store.query("update messages set gateway_id = ? where id = ?", gatewayId, one.id);
    const fence = await claim(store, gatewayId);
    await stamp(store.database, gatewayId, fence, [one.id]);
    assert.equal(await settle(store, { id: one.id, gatewayId, fence }, "outcome_unknown"), "settled");
    assert.deepEqual(await stateOf(store, one.id), ["unknown", false, 0]);
  });

  test("a process that slept does not apply a report to the attempt of the lane's next owner", async () => {
    const store = open();
    const slept = await underWay(store);
    const { gatewayId, id, reference } = slept;
    const fence = await claim(store, gatewayId, "prc_2");
    const details = { at: now + 5, detail: "?", code: "interrupted", message: "?", dueAt: now, resend: true };
    const resent = { step: "resent" as const, details };
    await store.database.run(recoverMessages, {
      laneId: gatewayId,
      fence,
      limit: 1,
      first: resent,
      again: resent,
    });
    await stamp(store.database, gatewayId, fence, [id]);
    await slept.report("returned");
    assert.equal(await settle(store, slept, "outcome_unknown", { details: { reference: null } }), "late");
    assert.deepEqual(await stateOf(store, id), ["sending", false, 1]);
    const next = { id, gatewayId, fence };
    const accepted = { attempt: 2, details: { reference: `${reference}-2` } };
    assert.equal(await settle(store, next, "accepted", accepted), "settled");
    assert.deepEqual(await stateOf(store, id), ["sent", false, 1]);
  });

  test("what the person wrote after the message was sent keeps the window open, in both orders", async () => {
    const store = open();
    const inOrder = await underWay(store, now + 15);
    await inOrder.accept();
    await inOrder.report("returned");
    const overtaken = await underWay(store, now + 15);
    await overtaken.report("returned");
    await overtaken.accept();
    for (const { heard } of [inOrder, overtaken]) assert.equal(await heard(), now + 15);
  });

  test("it holds its gateway: one that was deleted takes nothing back, and one that got it drains", async () => {
    const store = open();
    const remove = ({ accountId, gatewayId }: { accountId: string; gatewayId: string }) =>
      store.database.run(deleteGateway, {
        accountId,
        identifier: `identifier-${gatewayId}`,
        at: now,
        priorities: [0, 1, 2],
        countTo: 10,
      });
    const late = await underWay(store);
    await late.accept();
    assert.deepEqual(await remove(late), { kind: "deleted" });
    await late.report("returned");
    assert.deepEqual(await stateOf(store, late.id), ["undelivered", false, 0]);
    for (let round = 0; round < 10; round++) {
      const one = await underWay(store);
      await one.accept();
      const [removed] = await Promise.all([remove(one), one.report("returned")]);
      const [status] = await stateOf(store, one.id);
      assert.equal(status, removed.kind === "deleted" ? "undelivered" : "queued");
      const draining = await store.database.run(readDraining, null);
      assert.equal(
        draining.some(({ id }) => id === one.gatewayId),
        removed.kind === "draining",
      );
    }
  });
});
