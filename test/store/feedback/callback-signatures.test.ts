// Proofs that are good for one event: kept until they are too old, in any order.

import assert from "node:assert/strict";
import test from "node:test";
import { claimSignature, deleteExpiredSignatures } from "#store/feedback/callback-signatures.ts";
import { onBothEngines } from "../conformance.ts";

onBothEngines((open) => {
  const use = (proof: string, event: string, expires_at = 100) =>
    open().database.run(claimSignature, { signature_hash: proof, event_hash: event, expires_at });

  test("the event that came first is the one, however often it comes; others are not", async () => {
    assert.equal(await use("p1", "delivered"), true);
    assert.equal(await use("p1", "delivered"), true);
    assert.equal(await use("p1", "complained"), false);
    assert.equal(await use("p2", "complained"), true);
    assert.equal(await use("p1", "delivered"), true);
  });

  test("of several events that come at once one is taken", async () => {
    const events = Array.from({ length: 20 }, (_, i) => `event ${i}`);
    const taken = await Promise.all(events.map((event) => use("race", event)));
    assert.equal(taken.filter(Boolean).length, 1);
  });

  test("what is too old is forgotten, the oldest first and so many at a time", async () => {
    const { database, query } = open();
    await query("delete from callback_signatures");
    for (const at of [30, 10, 20, 40]) await use(`at ${at}`, "event", at);
    const left = async () =>
      (
        await query<{ signature_hash: string }>(
          "select signature_hash from callback_signatures order by expires_at",
        )
      ).map(({ signature_hash }) => signature_hash);
    assert.equal(await database.run(deleteExpiredSignatures, { now: 30, limit: 2 }), 2);
    assert.deepEqual(await left(), ["at 30", "at 40"]);
    assert.equal(await database.run(deleteExpiredSignatures, { now: 30, limit: 2 }), 1);
    assert.deepEqual(await left(), ["at 40"]);
  });
});
