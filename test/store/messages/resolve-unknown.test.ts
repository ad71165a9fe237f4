// The account's own answers: only to what is unknown, and never against a receipt, whichever of them comes first.

import assert from "node:assert/strict";
import test from "node:test";
import { receiptSteps } from "#contract/messages/states.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { beginAttempts } from "#store/messages/attempts.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import { onBothEngines } from "../conformance.ts";
import {
  makeAccount,
  makeSending,
  messageRow,
  now,
  receiptOf,
  remaining,
  settle,
  stamp,
  timeline,
} from "../rows.ts";

const at = now + 100;
const again = { at, dueAt: at, detail: "Sent again by the account.", resend: true };

onBothEngines((open) => {
  const resolve = (
    of: { accountId: string; id: string },
    step: "resent_by_account" | "marked_sent" | "marked_failed",
    channel: "sms" | "email" | null = "sms",
  ) =>
    open().database.run(resolveUnknown, {
      accountId: of.accountId,
      channel,
      id: of.id,
      step,
      details:
        step === "resent_by_account" ? again : { at, detail: "Marked.", code: step, message: "Marked." },
    });

  async function doubted() {
    const sending = await makeSending(open());
    await settle(open(), sending, "outcome_unknown", {
      details: { code: "timeout", message: "No answer." },
    });
    return sending;
  }

  test("sent again: it is due now, keeps its tries and its error, and goes out once more", async () => {
    const store = open();
    const of = await doubted();
    assert.deepEqual(await resolve(of, "resent_by_account"), {
      kind: "resolved",
      channel: "sms",
    });
    const row = await messageRow(store, of.id);
    assert.deepEqual(
      [row.status, row.due_at, row.attempts, row.resends, row.error_code],
      ["queued", at, 1, 1, "timeout"],
    );
    const attempts = await stamp(store.database, of.gatewayId, of.fence, [of.id], at);
    assert.equal(attempts.get(of.id), 2);
    await settle(store, of, "accepted", { attempt: 2, details: { reference: "second" } });
    assert.deepEqual(await timeline(store, of.id), ["sending", "unknown", "queued", "sending", "sent"]);
    assert.equal(await remaining(store, of.accountId), 999);
  });

  test("marked as sent: without an error; marked as failed: the credit comes back, once", async () => {
    const store = open();
    const sent = await doubted();
    await resolve(sent, "marked_sent", null);
    const row = await messageRow(store, sent.id);
    assert.deepEqual([row.status, row.sent_at, row.error_code, row.due_at], ["sent", at, null, null]);
    assert.equal(await remaining(store, sent.accountId), 999);
    const failed = await doubted();
    await resolve(failed, "marked_failed");
    await resolve(failed, "marked_failed");
    const { status, error_code, error_message } = await messageRow(store, failed.id);
    assert.deepEqual([status, error_code, error_message], ["failed", "marked_failed", "Marked."]);
    assert.equal(await remaining(store, failed.accountId), 1000);
    // A receipt that proves the answer wrong is believed, and charges nothing.
    await store.database.run(
      storeReceipts,
      receiptOf(failed.gatewayId, "delivered", { messageId: failed.id }),
    );
    assert.equal((await messageRow(store, failed.id)).status, "delivered");
    assert.equal(await remaining(store, failed.accountId), 1000);
  });

  test("what is not unknown stays, and says what it is; another's is not there", async () => {
    const store = open();
    const of = await makeSending(store);
    const steps = ["resent_by_account", "marked_sent", "marked_failed"] as const;
    for (const step of steps)
      assert.deepEqual(await resolve(of, step), { kind: "not_unknown", status: "sending" });
    await settle(store, of, "outcome_unknown");
    const otherAccount = await makeAccount(store.database);
    for (const step of steps) {
      assert.deepEqual(await resolve({ ...of, accountId: otherAccount }, step), { kind: "not_found" });
      assert.deepEqual(await resolve(of, step, "email"), { kind: "not_found" });
      assert.deepEqual(await resolve({ ...of, id: "msg_0" }, step), { kind: "not_found" });
    }
    assert.equal((await messageRow(store, of.id)).status, "unknown");
    await resolve(of, "marked_sent");
    for (const step of steps)
      assert.deepEqual(await resolve(of, step), { kind: "not_unknown", status: "sent" });
  });

  test("a receipt that comes before the second stamp keeps the message from being sent twice", async () => {
    const store = open();
    for (const status of receiptSteps) {
      const of = await doubted();
      await resolve(of, "resent_by_account");
      await store.database.run(storeReceipts, receiptOf(of.gatewayId, status, { messageId: of.id }));
      const row = await messageRow(store, of.id);
      assert.deepEqual([row.status, row.due_at], [status, null]);
      const late = { laneId: of.gatewayId, fence: of.fence, ids: [of.id], at, lateBefore: 0, day: null };
      assert.deepEqual(await store.database.run(beginAttempts, late), {
        kind: "begun",
        attempts: new Map(),
      });
    }
  });

  test("a receipt that comes after it counts as well, and our own acceptance does not take it back", async () => {
    const store = open();
    const of = await doubted();
    await resolve(of, "resent_by_account");
    await stamp(store.database, of.gatewayId, of.fence, [of.id], at);
    await store.database.run(storeReceipts, receiptOf(of.gatewayId, "delivered", { messageId: of.id }));
    await settle(store, of, "accepted", { attempt: 2, details: { reference: "second" } });
    const row = await messageRow(store, of.id);
    assert.deepEqual([row.status, row.provider_reference], ["delivered", "second"]);
  });

  test("an answer and a receipt at once: the receipt decides, 60 times", async () => {
    const store = open();
    for (let round = 0; round < 60; round++) {
      const of = await doubted();
      const step = (["resent_by_account", "marked_sent", "marked_failed"] as const)[round % 3]!;
      const receipt = receiptOf(of.gatewayId, "delivered", { messageId: of.id });
      const [answer] = await Promise.all([resolve(of, step), store.other.run(storeReceipts, receipt)]);
      const row = await messageRow(store, of.id);
      assert.deepEqual([row.status, row.due_at], ["delivered", null]);
      assert.ok(answer.kind === "resolved" || answer.kind === "not_unknown");
    }
  });

  test("two answers at once: one counts", async () => {
    const store = open();
    for (let round = 0; round < 20; round++) {
      const of = await doubted();
      const answers = await Promise.all([resolve(of, "marked_sent"), resolve(of, "marked_failed")]);
      assert.deepEqual(answers.map(({ kind }) => kind).sort(), ["not_unknown", "resolved"]);
      const expected = answers[0].kind === "resolved" ? ["sent", 999] : ["failed", 1000];
      assert.deepEqual(
        [(await messageRow(store, of.id)).status, await remaining(store, of.accountId)],
        expected,
      );
    }
  });
});
