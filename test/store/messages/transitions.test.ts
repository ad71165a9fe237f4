// Settlements: what an outcome makes of a message, its timeline and its credit, and what a late one still may.

import assert from "node:assert/strict";
import test from "node:test";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { type Settlement, settleMessages } from "#store/messages/attempts.ts";
import { cancelMessage } from "#store/messages/move.ts";
import { revertAttempts } from "#store/messages/recover.ts";
import { onBothEngines } from "../conformance.ts";
import {
  claim,
  makeSending,
  messageRow,
  now,
  receiptOf,
  remaining,
  setAllowance,
  settle,
  settlement,
  stamp,
  timeline,
} from "../rows.ts";

onBothEngines((open) => {
  test("accepted: sent, with the provider's reference; no error stays", async () => {
    const store = open();
    const sending = await makeSending(store);
    assert.equal(await settle(store, sending, "accepted", { details: { reference: "SM1" } }), "settled");
    const row = await messageRow(store, sending.id);
    assert.deepEqual(
      [row.status, row.sent_at, row.updated_at, row.provider_reference, row.error_code, row.due_at],
      ["sent", now + 10, now + 10, "SM1", null, null],
    );
    assert.deepEqual(await timeline(store, sending.id), ["sending", "sent"]);
    assert.equal(await remaining(store, sending.accountId), 999);
  });

  test("accepted with the end in the same answer: both steps are in the timeline", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "accepted", {
      details: { reference: "SM1" },
      receipt: { step: "delivered", details: { at: now + 11, detail: "" } },
    });
    const row = await messageRow(store, sending.id);
    assert.deepEqual([row.status, row.sent_at, row.delivered_at], ["delivered", now + 10, now + 11]);
    assert.deepEqual(await timeline(store, sending.id), ["sending", "sent", "delivered"]);
  });

  test("rejected: failed, with the reason, and the credit comes back exactly once", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 2, each: { cost: 4 } });
    assert.equal(await remaining(store, sending.accountId), 992);
    const details = { code: "21211", message: "Not a number." };
    assert.equal(await settle(store, sending, "rejected", { details }), "settled");
    assert.equal(await settle(store, sending, "rejected", { details }), "settled");
    await store.database.run(
      storeReceipts,
      receiptOf(sending.gatewayId, "failed", { messageId: sending.id }),
    );
    const row = await messageRow(store, sending.id);
    assert.deepEqual(
      [row.status, row.error_code, row.error_message, row.refunded, row.sent_at],
      ["failed", "21211", "Not a number.", 1, null],
    );
    assert.equal(await remaining(store, sending.accountId), 996);
    assert.deepEqual(await timeline(store, sending.id), ["sending", "failed"]);
  });

  test("a delivery that comes after the credit went back takes none again", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "rejected");
    const { gatewayId, id } = sending;
    for (const status of ["delivered", "failed", "read"] as const) {
      await store.database.run(storeReceipts, receiptOf(gatewayId, status, { messageId: id }));
    }
    assert.equal((await messageRow(store, id)).status, "read");
    assert.equal(await remaining(store, sending.accountId), 1000);
  });

  test("a message that is cancelled, was sent after all, and is then reported failed gives its credit back once", async () => {
    const store = open();
    const sending = await makeSending(store);
    const { gatewayId, id, accountId } = sending;
    await settle(store, sending, "deferred", { details: { dueAt: now } });
    const details = { at: now + 5, detail: "Cancelled." };
    await store.database.run(cancelMessage, { accountId, channel: "sms", id, details });
    await settle(store, sending, "accepted");
    await store.database.run(storeReceipts, receiptOf(gatewayId, "failed", { messageId: id }));
    assert.deepEqual(await timeline(store, id), ["sending", "queued", "cancelled", "sent", "failed"]);
    assert.equal(await remaining(store, accountId), 1000);
  });

  test("a refund of a channel that became unlimited meanwhile harms nothing", async () => {
    const store = open();
    const sending = await makeSending(store);
    const { accountId } = sending;
    await setAllowance(store.database, accountId, "sms", null);
    assert.equal(await settle(store, sending, "rejected"), "settled");
    assert.equal((await messageRow(store, sending.id)).refunded, 1);
  });

  test("deferred: queued until the next try, with when its tries began and whether this one counted", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 2 });
    const details = { dueAt: now + 5000, code: "503", message: "Busy.", firstDeferredAt: now };
    await settle(store, sending, "deferred", { details });
    let row = await messageRow(store, sending.id);
    assert.deepEqual(
      [row.status, row.due_at, row.attempts, row.first_deferred_at, row.error_code, row.refunded],
      ["queued", now + 5000, 1, now, "503", 0],
    );
    const other = { ...sending, id: sending.ids[1]! };
    await settle(store, other, "deferred", {
      details: { ...details, uncounted: true, firstDeferredAt: null },
    });
    row = await messageRow(store, other.id);
    assert.deepEqual([row.attempts, row.first_deferred_at], [0, null]);
    await stamp(store.database, sending.gatewayId, sending.fence, [sending.id], now + 5000);
    await settle(store, sending, "accepted", { attempt: 2 });
    row = await messageRow(store, sending.id);
    assert.deepEqual([row.status, row.error_code, row.error_message], ["sent", null, null]);
  });

  test("in doubt: unknown keeps its credit; repeated is queued once more", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 2 });
    await settle(store, sending, "outcome_unknown", {
      details: { code: "no_answer", message: "No answer." },
    });
    const row = await messageRow(store, sending.id);
    assert.deepEqual(
      [row.status, row.due_at, row.refunded, row.error_code],
      ["unknown", null, 0, "no_answer"],
    );
    const other = { ...sending, id: sending.ids[1]! };
    await settle(store, other, "resent", { details: { dueAt: now + 20, resend: true } });
    const repeated = await messageRow(store, other.id);
    assert.deepEqual([repeated.status, repeated.resends, repeated.attempts], ["queued", 1, 1]);
    assert.equal(await remaining(store, sending.accountId), 998);
  });

  test("the same attempt's outcome, known after it was in doubt, still settles it", async () => {
    const store = open();
    const steps = ["accepted", "rejected", "deferred"] as const;
    const ends = ["sent", "failed", "queued"];
    const sending = await makeSending(store, { count: 3 });
    for (const [i, step] of steps.entries()) {
      const one = { ...sending, id: sending.ids[i]! };
      await settle(store, one, "outcome_unknown");
      assert.equal(await settle(store, one, step, { details: { dueAt: now } }), "settled");
      assert.equal((await messageRow(store, one.id)).status, ends[i]);
    }
  });

  test("who lost the lane settles nothing but a proof of sending", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 2 });
    const fence = await claim(store, sending.gatewayId, "prc_2");
    for (const id of sending.ids) {
      const details = { at: now + 1, detail: "", dueAt: now };
      const { gatewayId: laneId } = sending;
      await store.database.run(revertAttempts, {
        laneId,
        fence: sending.fence,
        ids: [id],
        details,
      });
      await stamp(store.database, sending.gatewayId, fence, [id]);
    }
    for (const step of ["rejected", "deferred", "outcome_unknown", "resent"] as const) {
      assert.equal(await settle(store, sending, step), "late");
      assert.equal((await messageRow(store, sending.id)).status, "sending");
    }
    assert.equal(await remaining(store, sending.accountId), 998);
    assert.equal(await settle(store, sending, "accepted", { details: { reference: "SM7" } }), "late");
    const row = await messageRow(store, sending.id);
    assert.deepEqual([row.status, row.provider_reference], ["sent", "SM7"]);
    // The new owner's outcome comes behind that.
    const own = { ...sending, fence };
    assert.equal(await settle(store, own, "rejected", { attempt: 2 }), "settled");
    assert.equal((await messageRow(store, sending.id)).status, "sent");
  });

  test("an earlier attempt's outcome, late, changes nothing of the next attempt", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "deferred", { details: { dueAt: now } });
    await stamp(store.database, sending.gatewayId, sending.fence, [sending.id]);
    assert.equal(await settle(store, sending, "rejected", { attempt: 1 }), "late");
    assert.equal((await messageRow(store, sending.id)).status, "sending");
  });

  test("a message that is gone is late, and the rest of its group settled", async () => {
    const store = open();
    const sending = await makeSending(store);
    const gone = { ...sending, id: "msg_0" };
    const answers = await Promise.all([settle(store, gone, "accepted"), settle(store, sending, "accepted")]);
    assert.deepEqual(answers, ["late", "settled"]);
  });

  test("300 outcomes at once: every message, timeline and balance is right", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 300, each: { cost: 2 } });
    const steps = ["accepted", "rejected", "outcome_unknown"] as const;
    const all: Settlement[] = sending.ids.map((id, i) =>
      settlement({ ...sending, id }, steps[i % 3]!, {
        details: i % 3 === 0 ? { reference: `ref-${id}` } : {},
      }),
    );
    const answers = await Promise.all(all.map((one) => store.database.run(settleMessages, one)));
    assert.ok(answers.every((answer) => answer === "settled"));
    const counts = await store.query<{ status: string; count: number }>(
      "select status, count(*) as count from messages where account_id = ? group by status order by status",
      sending.accountId,
    );
    assert.deepEqual(
      counts.map(({ status, count }) => [status, count]),
      [
        ["failed", 100],
        ["sent", 100],
        ["unknown", 100],
      ],
    );
    assert.equal(await remaining(store, sending.accountId), 1000 - 600 + 200);
    const [events] = await store.query<{ count: number }>(
      "select count(*) as count from message_events where account_id = ?",
      sending.accountId,
    );
    assert.equal(events?.count, 600);
  });

  test("a doubt and a proof at once: the proof counts, whichever came first", async () => {
    const store = open();
    for (let round = 0; round < 20; round++) {
      const sending = await makeSending(store);
      const both = [settlement(sending, "outcome_unknown"), settlement(sending, "accepted")];
      if (round % 2 === 1) both.reverse();
      const answers = await Promise.all(
        both.map((one, i) => (i === 0 ? store.database : store.other).run(settleMessages, one)),
      );
      assert.deepEqual(answers, ["settled", "settled"]);
      assert.equal((await messageRow(store, sending.id)).status, "sent");
    }
  });
});
