// Long texts of which some parts are never reported: after ten minutes the others decide, for the kinds of gateways of which that is true.

import assert from "node:assert/strict";
import { test } from "node:test";
import { settlePartlyDelivered } from "#store/feedback/partly-delivered.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { makeSending, messageRow, receiptOf, settle, timeline } from "../rows.ts";

const start = 1_900_000_000_000;
const wait = 600_000;

/** A message of two parts that the provider took, or of which the answer to the second was lost. */
async function sent(store: Store, outcome: "accepted" | "outcome_unknown" = "accepted") {
  const sending = await makeSending(store);
  const references = [`${sending.id} A`, `${sending.id} B`];
  const own = outcome === "accepted" ? references : references.slice(0, 1);
  const parts = { references: own, each: true, ...(outcome === "accepted" ? {} : { of: 2 }) };
  await settle(store, sending, outcome, { details: { reference: references[0]! }, parts });
  const report = (part: 0 | 1, status: "delivered" | "undelivered", receivedAt: number) =>
    store.database.run(
      storeReceipts,
      receiptOf(sending.gatewayId, status, { reference: references[part]!, receivedAt }),
    );
  const status = async () => (await messageRow(store, sending.id)).status;
  return { id: sending.id, report, status };
}

const sweep = (store: Store, at: number, kinds = ["http-api"]) =>
  store.database.run(settlePartlyDelivered, { kinds, at, limit: 10 });

onBothEngines((open) => {
  test("after ten minutes without the others, a message is what those that came say, and only once", async () => {
    const store = open();
    const message = await sent(store);
    await message.report(1, "delivered", start);
    assert.equal(await message.status(), "sent");
    assert.equal(await sweep(store, start + wait - 1), 0);
    assert.equal(await sweep(store, start + wait), 1);
    assert.equal(await message.status(), "delivered");
    assert.equal((await timeline(store, message.id)).at(-1), "delivered");
    assert.equal(await sweep(store, start + wait), 0);
  });

  test("what the others say in time counts, and each part begins the wait anew", async () => {
    const store = open();
    const [both, failed, again] = [await sent(store), await sent(store), await sent(store)];
    for (const one of [both, failed, again]) await one.report(0, "delivered", start);
    await both.report(1, "delivered", start + 1);
    await failed.report(1, "undelivered", start + 1);
    await again.report(0, "delivered", start + 5_000);
    assert.equal(await sweep(store, start + wait), 2);
    assert.deepEqual(
      [await both.status(), await failed.status(), await again.status()],
      ["delivered", "undelivered", "sent"],
    );
    assert.equal(await sweep(store, start + wait + 5_000), 1);
    assert.equal(await again.status(), "delivered");
  });

  test("a message of which a part is in doubt, or of a kind that reports on every part, stays sent", async () => {
    const store = open();
    const doubtful = await sent(store, "outcome_unknown");
    await doubtful.report(0, "delivered", start);
    assert.equal(await sweep(store, start + wait), 1);
    assert.equal(await doubtful.status(), "sent");
    const other = await sent(store);
    await other.report(0, "delivered", start);
    assert.equal(await sweep(store, start + wait, ["smpp"]), 1);
    assert.equal(await other.status(), "sent");
    assert.equal(await sweep(store, start + wait), 0, "it is looked at once");
  });
});
