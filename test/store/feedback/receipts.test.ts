// Providers' reports: early, late, twice, in any order, and only for messages of their own gateway.

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { receiptSteps } from "#contract/messages/states.ts";
import { type IncomingReceipt, storeReceipts } from "#store/feedback/receipts.ts";
import type { ReceiptsTable } from "#store/schema/feedback.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import {
  fresh,
  makeAccount,
  makeGateway,
  makeMessages,
  makeSending,
  messageRow,
  now,
  receiptOf,
  remaining,
  settle,
  stamp,
  timeline,
} from "../rows.ts";

async function receiptRow(store: Store, { gatewayId, key }: IncomingReceipt): Promise<ReceiptsTable> {
  const [row] = await store.query<ReceiptsTable>(
    "select * from receipts where gateway_id = ? and key = ?",
    gatewayId,
    key,
  );
  assert.ok(row);
  return row;
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first, at) =>
    permutations(list.filter((_, other) => other !== at)).map((rest) => [first, ...rest]),
  );
}

onBothEngines((open) => {
  test("a message with a reference for each part is delivered when all parts are, in any order", async () => {
    const references = ["P1", "P2", "P3"];
    for (const early of permutations(references).flatMap((order) =>
      [0, 1, 2, 3].map((count) => ({ order, count })),
    )) {
      const store = open();
      const sending = await makeSending(store);
      const report = (reference: string | undefined) =>
        store.database.run(
          storeReceipts,
          receiptOf(sending.gatewayId, "delivered", { reference: `${sending.id} ${reference}` }),
        );
      for (const reference of early.order.slice(0, early.count)) await report(reference);
      const own = references.map((reference) => `${sending.id} ${reference}`);
      const details = { reference: own[0] ?? null };
      await settle(store, sending, "accepted", { details, parts: { references: own, each: true } });
      for (const reference of early.order.slice(early.count)) {
        assert.equal((await messageRow(store, sending.id)).status, "sent");
        await report(reference);
      }
      assert.equal((await messageRow(store, sending.id)).status, "delivered", JSON.stringify(early));
    }
  });

  test("one part that was not delivered decides, and one receipt is enough where there is one for all", async () => {
    const store = open();
    const parts = { references: ["A", "B"], each: true };
    const failing = await makeSending(store);
    await settle(store, failing, "accepted", { details: { reference: "A" }, parts });
    await store.database.run(storeReceipts, receiptOf(failing.gatewayId, "delivered", { reference: "A" }));
    await store.database.run(storeReceipts, receiptOf(failing.gatewayId, "undelivered", { reference: "B" }));
    assert.equal((await messageRow(store, failing.id)).status, "undelivered");
    const once = await makeSending(store);
    await settle(store, once, "accepted", { details: { reference: "A" }, parts: { ...parts, each: false } });
    await store.database.run(storeReceipts, receiptOf(once.gatewayId, "delivered", { reference: "B" }));
    assert.equal((await messageRow(store, once.id)).status, "delivered");
  });

  test("reports on the parts that were taken settle a message of which another part is in doubt", async () => {
    const store = open();
    for (const [reported, status] of [
      ["delivered", "sent"],
      ["undelivered", "undelivered"],
    ] as const) {
      const sending = await makeSending(store);
      const own = ["P1", "P2"].map((reference) => `${sending.id} ${reference}`);
      const report = (reference: string | undefined, step: "delivered" | "undelivered") =>
        store.database.run(storeReceipts, receiptOf(sending.gatewayId, step, { reference: `${reference}` }));
      // One receipt is faster than our own record.
      await report(own[1], "delivered");
      const details = { reference: own[0] ?? null };
      await settle(store, sending, "outcome_unknown", {
        details,
        parts: { references: own, each: true, of: 3 },
      });
      await report(own[0], reported);
      assert.equal((await messageRow(store, sending.id)).status, status);
    }
  });

  test("a report after our own record moves the message, with the provider's words", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "accepted", { details: { reference: "SM1" } });
    const receipt = receiptOf(sending.gatewayId, "undelivered", {
      reference: "SM1",
      code: "30005",
      reason: "Unknown handset.",
    });
    assert.equal(await store.database.run(storeReceipts, receipt), "new");
    const row = await messageRow(store, sending.id);
    assert.deepEqual(
      [row.status, row.error_code, row.error_message, row.updated_at],
      ["undelivered", "30005", "Unknown handset.", now + 20],
    );
    const { applied, message_id } = await receiptRow(store, receipt);
    assert.deepEqual([applied, message_id], [1, sending.id]);
    const [event] = await store.query<{ detail: string }>(
      "select detail from message_events where message_id = ? and type = 'undelivered'",
      sending.id,
    );
    assert.equal(event?.detail, "The provider reported: Unknown handset. · 30005");
  });

  test("a report before our own record waits for it, and is applied with it", async () => {
    const store = open();
    const sending = await makeSending(store);
    const early = [
      receiptOf(sending.gatewayId, "sent", { reference: "SM2", receivedAt: now + 1 }),
      receiptOf(sending.gatewayId, "delivered", { reference: "SM2", receivedAt: now + 2 }),
    ];
    for (const receipt of early) assert.equal(await store.database.run(storeReceipts, receipt), "new");
    assert.equal((await messageRow(store, sending.id)).status, "sending");
    assert.equal((await receiptRow(store, early[0]!)).applied, 0);
    assert.equal(await settle(store, sending, "accepted", { details: { reference: "SM2" } }), "settled");
    const row = await messageRow(store, sending.id);
    assert.deepEqual([row.status, row.delivered_at], ["delivered", now + 2]);
    for (const receipt of early) assert.equal((await receiptRow(store, receipt)).applied, 1);
    assert.deepEqual(await timeline(store, sending.id), ["sending", "sent", "delivered"]);
  });

  test("reports of one millisecond that wait are applied in the provider's order, or by what they say", async () => {
    const steps = ["sent", "delivered", "read"] as const;
    for (const dated of [true, false])
      for (const order of permutations([0, 1, 2])) {
        const store = open();
        const sending = await makeSending(store);
        const reference = `${sending.id} R`;
        for (const nth of order)
          await store.database.run(
            storeReceipts,
            receiptOf(sending.gatewayId, steps[nth]!, {
              reference,
              receivedAt: now + 9,
              at: dated ? now + nth : null,
            }),
          );
        await settle(store, sending, "accepted", { details: { reference } });
        const seen = await timeline(store, sending.id);
        assert.deepEqual(seen, ["sending", "sent", "delivered", "read"], order.join());
        assert.equal((await messageRow(store, sending.id)).delivered_at, now + 9);
      }
  });

  test("a repeated report has no effect, alone, in one group, and before the message is known", async () => {
    const store = open();
    const sending = await makeSending(store);
    const receipt = receiptOf(sending.gatewayId, "delivered", { reference: "SM3" });
    const run = () => store.database.run(storeReceipts, receipt);
    assert.deepEqual([await run(), await run()], ["new", "repeated"]);
    await settle(store, sending, "accepted", { details: { reference: "SM3" } });
    const again = await Promise.all(Array.from({ length: 20 }, run));
    assert.ok(again.every((answer) => answer === "repeated"));
    assert.deepEqual(await timeline(store, sending.id), ["sending", "sent", "delivered"]);
    // The same words about another gateway's message are another report.
    const elsewhere = { ...receipt, gatewayId: "gw_other" };
    assert.equal(await store.database.run(storeReceipts, elsewhere), "new");
  });

  test("a report by our id alone settles a message whose reference was never learned", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "outcome_unknown");
    const receipt = receiptOf(sending.gatewayId, "delivered", { messageId: sending.id, reference: "SM4" });
    await store.database.run(storeReceipts, receipt);
    const row = await messageRow(store, sending.id);
    assert.deepEqual([row.status, row.provider_reference], ["delivered", "SM4"]);
  });

  test("a later report by that reference alone finds the message that our id led to", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "outcome_unknown");
    const { gatewayId, id } = sending;
    await store.database.run(
      storeReceipts,
      receiptOf(gatewayId, "sent", { messageId: id, reference: "SM4b" }),
    );
    await store.database.run(storeReceipts, receiptOf(gatewayId, "delivered", { reference: "SM4b" }));
    assert.equal((await messageRow(store, id)).status, "delivered");
  });

  test("an earlier report by reference alone is applied once another one names the message", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "outcome_unknown");
    const { gatewayId, id } = sending;
    const early = receiptOf(gatewayId, "delivered", { reference: "SM4c" });
    await store.database.run(storeReceipts, early);
    const naming = receiptOf(gatewayId, "sent", { messageId: id, reference: "SM4c", receivedAt: now + 21 });
    await store.database.run(storeReceipts, naming);
    const row = await messageRow(store, id);
    assert.deepEqual([row.status, row.provider_reference], ["delivered", "SM4c"]);
    for (const receipt of [early, naming]) assert.equal((await receiptRow(store, receipt)).applied, 1);
  });

  test("every report settles a message in doubt", async () => {
    const store = open();
    const sending = await makeSending(store, { count: receiptSteps.length });
    for (const [i, status] of receiptSteps.entries()) {
      const id = sending.ids[i]!;
      await settle(store, { ...sending, id }, "outcome_unknown");
      await store.database.run(storeReceipts, receiptOf(sending.gatewayId, status, { messageId: id }));
      assert.equal((await messageRow(store, id)).status, status);
    }
    assert.equal(await remaining(store, sending.accountId), 1000 - receiptSteps.length + 1, "failed refunds");
  });

  test("what comes back is sent once more, and late reports on its first transmission change nothing", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 3 });
    const { gatewayId } = sending;
    const [id = "", doubtful = "", delivered = ""] = sending.ids;
    const report = (status: IncomingReceipt["status"], of: string, reference: string) =>
      store.database.run(
        storeReceipts,
        receiptOf(gatewayId, status, { messageId: of, reference, receivedAt: now }),
      );
    const stateOf = async (of: string) => {
      const { status, due_at, resends, error_code } = await messageRow(store, of);
      return [status, due_at !== null, resends, error_code];
    };
    await settle(store, sending, "accepted", { details: { reference: "W1" } });
    await report("returned", id, "W1");
    assert.deepEqual(await stateOf(id), ["queued", true, 1, "returned"]);
    for (const late of ["sent", "undelivered", "failed", "returned"] as const) await report(late, id, "W1");
    assert.deepEqual(await stateOf(id), ["queued", true, 1, "returned"]);
    const attempts = await stamp(store.database, gatewayId, sending.fence, [id]);
    await settle(store, sending, "accepted", {
      attempt: attempts.get(id) ?? 0,
      details: { reference: "W2" },
    });
    await report("undelivered", id, "W1");
    assert.deepEqual(await stateOf(id), ["sent", false, 1, null]);
    // The second time is the last one.
    await report("returned", id, "W2");
    assert.deepEqual(await stateOf(id), ["undelivered", false, 1, "returned"]);

    await settle(store, { ...sending, id: doubtful }, "outcome_unknown");
    // In one call, in any order: the transmission that came back is over.
    await Promise.all([report("returned", doubtful, "W3"), report("sent", doubtful, "W3")]);
    assert.deepEqual(await stateOf(doubtful), ["queued", true, 1, "returned"]);
    // It arrived after all.
    await report("delivered", doubtful, "W3");
    assert.deepEqual(await stateOf(doubtful), ["delivered", false, 1, null]);

    await report("delivered", delivered, "W4");
    await report("returned", delivered, "W4");
    assert.equal((await messageRow(store, delivered)).status, "delivered");
  });

  test("a gateway speaks for its own messages alone, by id and by reference", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "accepted", { details: { reference: "SM5" } });
    const otherGateway = await makeGateway(store.database, await makeAccount(store.database));
    const forged = receiptOf(otherGateway, "failed", { messageId: sending.id, reference: "SM5" });
    assert.equal(await store.database.run(storeReceipts, forged), "new");
    assert.equal((await messageRow(store, sending.id)).status, "sent");
    assert.equal((await receiptRow(store, forged)).applied, 0);
    // The forged pair has not poisoned the reference for its own gateway.
    const own = receiptOf(sending.gatewayId, "delivered", { reference: "SM5" });
    await store.database.run(storeReceipts, own);
    assert.equal((await messageRow(store, sending.id)).status, "delivered");
  });

  test("a report on an unknown message changes nothing and harms no other report in its group", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "accepted", { details: { reference: "SM6" } });
    const answers = await Promise.all([
      store.database.run(storeReceipts, receiptOf(sending.gatewayId, "delivered", { messageId: "msg_0" })),
      store.database.run(storeReceipts, receiptOf(sending.gatewayId, "delivered", { reference: "SM6" })),
      store.database.run(storeReceipts, receiptOf(sending.gatewayId, "delivered")),
    ]);
    assert.deepEqual(answers, ["new", "new", "new"]);
    assert.equal((await messageRow(store, sending.id)).status, "delivered");
  });

  test("what was never handed to a provider is moved by no report", async () => {
    const store = open();
    const { gatewayId, ids, accountId } = await makeMessages(store.database);
    await store.database.run(storeReceipts, receiptOf(gatewayId, "failed", { messageId: ids[0]! }));
    assert.equal((await messageRow(store, ids[0]!)).status, "queued");
    assert.equal(await remaining(store, accountId), 999);
  });

  test("a report that a waiting message was delivered after all keeps it from being sent again", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "deferred", { details: { dueAt: now + 100 } });
    const { gatewayId, id } = sending;
    await store.database.run(storeReceipts, receiptOf(gatewayId, "delivered", { messageId: id }));
    const row = await messageRow(store, id);
    assert.deepEqual([row.status, row.due_at], ["delivered", null]);
    await assert.rejects(stamp(store.database, gatewayId, sending.fence, [id]), { code: "ERR_ASSERTION" });
  });

  test("reports end alike in any order, with any repeats", async () => {
    const store = open();
    const rank = ["sent", "failed", "undelivered", "delivered", "bounced", "read"];
    const orders = fc.array(fc.constantFrom(...receiptSteps), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(orders, fc.nat(6), async (steps, learnedAfter) => {
        const sending = await makeSending(store);
        const reference = fresh("ref");
        const learn = () => settle(store, sending, "accepted", { details: { reference } });
        for (const [i, step] of steps.entries()) {
          if (i === learnedAfter) await learn();
          await store.database.run(storeReceipts, receiptOf(sending.gatewayId, step, { reference }));
        }
        if (learnedAfter >= steps.length) await learn();
        const best = Math.max(...steps.map((step) => rank.indexOf(step)));
        assert.equal((await messageRow(store, sending.id)).status, rank[best]);
        const seen = (await timeline(store, sending.id)).slice(1).map((type) => rank.indexOf(type));
        assert.deepEqual(
          seen,
          seen.toSorted((a, b) => a - b),
          "forward only",
        );
        const refunded = seen.includes(rank.indexOf("failed")) ? 1000 : 999;
        assert.equal(await remaining(store, sending.accountId), refunded);
      }),
      { numRuns: 25, seed: 4711 },
    );
  });

  test("all 120 orders of five reports, doubled, our own settling anywhere among them or nowhere, end alike", async () => {
    const store = open();
    const rank = ["sent", "failed", "undelivered", "delivered", "bounced", "read"];
    const orders = permutations(["sent", "failed", "undelivered", "delivered", "read"] as const);
    const sending = await makeSending(store, { count: orders.length });
    const { gatewayId } = sending;
    await Promise.all(
      orders.map(async (order, i) => {
        const id = sending.ids[i]!;
        const reference = `p-${id}`;
        // Seven places: before each of the five, after them, and none. Without a settling only our id can lead to it.
        const place = i % 7;
        const named = place === 6 || i % 2 === 0;
        const learn = () => settle(store, { ...sending, id }, "accepted", { details: { reference } });
        const reports = order.map((status) =>
          receiptOf(gatewayId, status, { reference, messageId: named ? id : null }),
        );
        for (const [at, report] of reports.entries()) {
          if (at === place) await learn();
          await Promise.all([
            store.database.run(storeReceipts, report),
            store.other.run(storeReceipts, report),
          ]);
        }
        if (place === 5) await learn();
        for (const report of reports)
          assert.equal(await store.database.run(storeReceipts, report), "repeated");
      }),
    );
    let returned = 0;
    for (const [i, order] of orders.entries()) {
      const id = sending.ids[i]!;
      const row = await messageRow(store, id);
      assert.deepEqual([row.status, row.due_at], ["read", null], order.join(" "));
      assert.ok(row.sent_at !== null && row.delivered_at !== null && row.read_at !== null);
      const seen = (await timeline(store, id)).slice(1).map((type) => rank.indexOf(type));
      const rising = seen.every((one, at) => at === 0 || one > seen[at - 1]!);
      assert.ok(rising, `${order.join(" ")}: ${seen}`);
      if (seen.includes(rank.indexOf("failed"))) returned += 1;
    }
    assert.equal(await remaining(store, sending.accountId), 1000 - orders.length + returned);
  });
});
