// Bounces: what puts an address on the suppression list, what does not, and how a row of soft ones is counted.

import assert from "node:assert/strict";
import test from "node:test";
import { deleteSoftBounces } from "#store/feedback/bounces.ts";
import { unsubscribe } from "#store/feedback/engagements.ts";
import { type IncomingReceipt, storeReceipts } from "#store/feedback/receipts.ts";
import { addSuppressions } from "#store/feedback/suppressions.ts";
import { settleMessages } from "#store/messages/attempts.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { fresh, makeSending, messageRow, now, receiptOf, settlement } from "../rows.ts";
import { listed, makeSendingMails, makeSentMails, type SentMails } from "../sent-mails.ts";

const bounced = (mails: SentMails, options: Partial<IncomingReceipt> = {}) =>
  receiptOf(mails.gatewayId, "bounced", {
    reference: `p-${mails.id}`,
    code: "5.1.1",
    reason: "User unknown",
    bounce: "hard",
    ...options,
  });

async function softRow(store: Store, accountId: string) {
  const rows = await store.query<{ recipient: string; count: number }>(
    "select recipient, count from soft_bounces where account_id = ?",
    accountId,
  );
  return rows.map((row) => ({ ...row }));
}

/** One more mail to the same address, by the same gateway. */
const another = (store: Store, mails: SentMails, recipient: string) =>
  makeSentMails(store, { ...mails, ids: [], recipients: [recipient] });

onBothEngines((open) => {
  test("a hard bounce suppresses at once, with the server's words, however often it comes", async () => {
    const store = open();
    const recipient = "ann@example.com";
    const mails = await makeSentMails(store, { recipients: [recipient] });
    await store.database.run(storeReceipts, bounced(mails));
    await store.database.run(storeReceipts, bounced(mails, { code: "5.1.10" }));
    assert.equal((await messageRow(store, mails.id)).status, "bounced");
    const note = "The provider reported: User unknown · 5.1.1";
    assert.deepEqual(await listed(store, mails.accountId), [{ recipient, reason: "bounce", note }]);
    assert.deepEqual(await softRow(store, mails.accountId), []);
  });

  test("who is on the list already stays there with the first reason", async () => {
    const store = open();
    const recipient = "bob@example.com";
    const mails = await makeSentMails(store, { recipients: [recipient] });
    const { accountId } = mails;
    const manual = { accountId, channel: "email", recipients: [recipient], note: "asked", at: now } as const;
    await store.database.run(addSuppressions, manual);
    await store.database.run(storeReceipts, bounced(mails));
    assert.deepEqual(await listed(store, accountId), [{ recipient, reason: "manual", note: "asked" }]);
  });

  test("a bounce that says nothing of the address, and one of what was never sent, suppress no address", async () => {
    const store = open();
    const mails = await makeSentMails(store);
    await store.database.run(storeReceipts, bounced(mails, { bounce: null, code: "5.3.4" }));
    assert.equal((await messageRow(store, mails.id)).status, "bounced");
    const elsewhere = await makeSentMails(store);
    const foreign = bounced(mails, { reference: null, messageId: elsewhere.id });
    await store.database.run(storeReceipts, foreign);
    assert.deepEqual(await listed(store, mails.accountId), []);
    assert.deepEqual(await listed(store, elsewhere.accountId), []);
    assert.equal((await messageRow(store, elsewhere.id)).status, "sent");
  });

  test("a report before our own record of the reference suppresses with it", async () => {
    const store = open();
    const mails = await makeSendingMails(store, { recipients: ["early@example.com"] });
    await store.database.run(storeReceipts, bounced(mails));
    assert.deepEqual(await listed(store, mails.accountId), []);
    const details = { reference: `p-${mails.id}` };
    await store.database.run(settleMessages, settlement(mails, "accepted", { details }));
    assert.equal((await messageRow(store, mails.id)).status, "bounced");
    assert.deepEqual(
      (await listed(store, mails.accountId)).map(({ recipient }) => recipient),
      ["early@example.com"],
    );
  });

  test("five soft bounces in a row suppress; one message never counts twice; a delivery ends the row", async () => {
    const store = open();
    const recipient = "soft@example.com";
    const first = await makeSentMails(store, { recipients: [recipient] });
    const soft = async (mails: SentMails, code = "4.2.2") =>
      await store.database.run(storeReceipts, bounced(mails, { bounce: "soft", code }));
    await soft(first);
    await soft(first, "4.2.1");
    await soft(first, "4.4.7");
    assert.deepEqual(await softRow(store, first.accountId), [{ recipient, count: 1 }]);
    const delivered = await another(store, first, recipient);
    const receipt = receiptOf(first.gatewayId, "delivered", { reference: `p-${delivered.id}` });
    await store.database.run(storeReceipts, receipt);
    assert.deepEqual(await softRow(store, first.accountId), []);
    for (let i = 1; i <= 5; i++) {
      assert.deepEqual(await listed(store, first.accountId), [], `before number ${i}`);
      await soft(await another(store, first, recipient));
    }
    const [entry] = await listed(store, first.accountId);
    assert.deepEqual([entry?.recipient, entry?.reason], [recipient, "bounce"]);
    assert.deepEqual(await softRow(store, first.accountId), [], "the list ends the row");
  });

  test("an address that comes to the list in another way has no row of soft bounces any more", async () => {
    const store = open();
    const { database } = store;
    const recipients = ["hand@example.com", "link@example.com", "hard@example.com", "stays@example.com"];
    const mails = await makeSentMails(store, { recipients });
    const { accountId } = mails;
    const otherMails = await makeSentMails(store, { recipients: recipients.slice(0, 1) });
    for (const id of mails.ids)
      await database.run(storeReceipts, bounced({ ...mails, id }, { bounce: "soft" }));
    await database.run(storeReceipts, bounced(otherMails, { bounce: "soft" }));
    assert.equal((await softRow(store, accountId)).length, 4);
    const byHand = { accountId, recipients: [recipients[0]!], note: null, at: now };
    await database.run(addSuppressions, { ...byHand, channel: "sms" });
    assert.equal((await softRow(store, accountId)).length, 4);
    await database.run(addSuppressions, { ...byHand, channel: "email" });
    await database.run(unsubscribe, { accountId, recipient: recipients[1]!, messageId: "msg_none", at: now });
    // A hard one and a soft one in the same group, in whichever order.
    const { id } = await another(store, mails, recipients[2]!);
    await Promise.all([
      database.run(storeReceipts, bounced({ ...mails, id })),
      database.run(storeReceipts, bounced({ ...mails, id: mails.ids[2]! }, { bounce: "soft" })),
    ]);
    assert.deepEqual(await softRow(store, accountId), [{ recipient: recipients[3], count: 1 }]);
    assert.equal((await softRow(store, otherMails.accountId)).length, 1);
  });

  test("rows that rested are forgotten, the oldest first, some at a time; others stay", async () => {
    const store = open();
    const recipients = ["c@example.com", "b@example.com", "a@example.com", "new@example.com"];
    const mails = await makeSentMails(store, { recipients });
    // Before those of all other tests.
    for (const [i, id] of mails.ids.entries()) {
      const receivedAt = i < 3 ? 1_000 + i : now;
      await store.database.run(storeReceipts, bounced({ ...mails, id }, { bounce: "soft", receivedAt }));
    }
    await store.query(
      "update soft_bounces set updated_at = 1000 where recipient = 'c@example.com' returning 1",
    );
    const left = async () => (await softRow(store, mails.accountId)).map(({ recipient }) => recipient).sort();
    const forget = (before: number, limit: number) =>
      store.database.run(deleteSoftBounces, { before, limit });
    assert.equal(await forget(1_000, 10), 0);
    assert.equal(await forget(1_002, 1), 1);
    assert.deepEqual(await left(), ["a@example.com", "b@example.com", "new@example.com"]);
    assert.equal(await forget(1_003, 10), 2);
    assert.deepEqual(await left(), ["new@example.com"]);
  });

  test("a row that rested for a quarter begins anew", async () => {
    const store = open();
    const recipient = "rest@example.com";
    const first = await makeSentMails(store, { recipients: [recipient] });
    const late = await another(store, first, recipient);
    const soft = (mails: SentMails, receivedAt: number) =>
      store.database.run(storeReceipts, bounced(mails, { bounce: "soft", receivedAt }));
    await soft(first, now + 20);
    await soft(late, now + 91 * 86_400_000);
    assert.deepEqual(await softRow(store, first.accountId), [{ recipient, count: 1 }]);
  });

  test("many soft bounces of one address in one group are counted one by one", async () => {
    const store = open();
    const recipient = "group@example.com";
    const mails = await makeSentMails(store, { recipients: Array.from({ length: 4 }, () => recipient) });
    await Promise.all(
      mails.ids.map((id) =>
        store.database.run(storeReceipts, bounced({ ...mails, id }, { bounce: "soft", key: fresh("key") })),
      ),
    );
    assert.deepEqual(await softRow(store, mails.accountId), [{ recipient, count: 4 }]);
    assert.deepEqual(await listed(store, mails.accountId), []);
  });

  test("a refusal of the address at the sending is a hard bounce; other refusals, and an SMS's, are not", async () => {
    const store = open();
    const refusals = [
      ["5.1.1", "no such user", true],
      ["550 5.1.10", "null MX", true],
      ["550", "No such user here", true],
      ["550", "Your account is disabled", false],
      ["5.1.8", "bad sender", false],
      ["5.7.1", "spam", false],
      ["5.3.4", "too big", false],
    ] as const;
    for (const [code, detail, suppressed] of refusals) {
      const mails = await makeSendingMails(store);
      await store.database.run(settleMessages, settlement(mails, "rejected", { details: { code, detail } }));
      assert.equal((await messageRow(store, mails.id)).status, "failed");
      assert.equal((await listed(store, mails.accountId)).length, suppressed ? 1 : 0, `${code} ${detail}`);
    }
    const sms = await makeSending(store);
    await store.database.run(settleMessages, settlement(sms, "rejected", { details: { code: "5.1.1" } }));
    assert.deepEqual(await store.query("select 1 from suppressions where account_id = ?", sms.accountId), []);
  });

  test("bounces of many addresses by two connections at once end without a deadlock", async () => {
    const store = open();
    const recipients = Array.from({ length: 20 }, (_, i) => `r${i}@example.com`);
    const mails = await makeSentMails(store, { recipients });
    const run = (ids: readonly string[], database: Store["database"]) =>
      ids.map((id) => database.run(storeReceipts, bounced({ ...mails, id }, { key: fresh("key") })));
    await Promise.all([...run(mails.ids, store.database), ...run(mails.ids.toReversed(), store.other)]);
    assert.equal((await listed(store, mails.accountId)).length, 20);
  });
});
