// Receipts that name no message of their gateway are noticed, with one event, and end with the first that does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeReceipts } from "#store/feedback/receipts.ts";
import {
  noteReceiptsMatch,
  noteReceiptsUnmatched,
  unmatchedReason,
  unmatchedSince,
} from "#store/gateways/unmatched-receipts.ts";
import { onBothEngines } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { makeSending, now, receiptOf, settle } from "../rows.ts";

onBothEngines((open) => {
  test("one known message among the receipts is enough, and a change makes one event", async () => {
    const store = open();
    const sending = await makeSending(store);
    const { gatewayId, accountId } = sending;
    await listen(store, accountId, ["gateway.*"]);
    await settle(store, sending, "accepted", { details: { reference: "known" } });
    for (const reference of ["known", "lost-1", "lost-2"])
      await store.database.run(storeReceipts, receiptOf(gatewayId, "delivered", { reference }));
    const compare = (references: string[], at = now) =>
      store.database.run(noteReceiptsMatch, { gatewayId, at, references });
    const since = async () => {
      const [row] = await store.query<{ facts: string }>(
        "select facts from gateway_account_updates where gateway_id = ?",
        gatewayId,
      );
      return row === undefined ? null : unmatchedSince(JSON.parse(row.facts));
    };
    assert.equal(await compare(["lost-1", "known"]), "same");
    assert.equal(await since(), null);
    assert.equal(await compare(["lost-1", "lost-2"], now + 1), "began");
    assert.equal(await compare(["lost-2"], now + 2), "same");
    assert.equal(await store.database.run(noteReceiptsUnmatched, { gatewayId, at: now + 3 }), "same");
    assert.equal(await since(), now + 1);
    assert.equal(await compare(["lost-1", "known"]), "ended");
    assert.equal(await since(), null);
    assert.equal(await store.database.run(noteReceiptsUnmatched, { gatewayId, at: now + 4 }), "began");
    assert.deepEqual(
      (await notesOf(store, accountId)).map(({ type, data }) => [type, data.reason]),
      Array.from({ length: 2 }, () => ["gateway.receipts_unmatched", unmatchedReason]),
    );
  });
});
