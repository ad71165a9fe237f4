// What a provider says of a gateway: the newest counts, and a pause is one from either writer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type StoredAccountUpdate, storeAccountUpdate } from "#store/gateways/account-updates.ts";
import { resumeByOperator } from "#store/gateways/actions.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, now } from "../rows.ts";

onBothEngines((open) => {
  async function gateway() {
    const store = open();
    const accountId = await makeAccount(store.database);
    const gatewayId = await makeGateway(store.database, accountId);
    const update = (change: Partial<StoredAccountUpdate>) =>
      store.database.run(storeAccountUpdate, {
        gatewayId,
        at: now,
        facts: {},
        aboutNumber: null,
        notice: null,
        pauseUntil: null,
        lifted: false,
        now,
        ...change,
      });
    const row = async () => {
      const [found] = await store.query<{ facts: string; notice: string | null; changed_at: number }>(
        "select facts, notice, changed_at from gateway_account_updates where gateway_id = ?",
        gatewayId,
      );
      return { ...found, facts: JSON.parse(found?.facts ?? "null") };
    };
    const lane = async () => {
      const [found] = await store.query<{
        paused_until: number | null;
        pause_reason: string;
        revision: number;
      }>("select paused_until, pause_reason, revision from lanes where id = ?", gatewayId);
      return { ...found };
    };
    const resume = async () => {
      const [{ identifier = "" } = {}] = await store.query<{ identifier: string }>(
        "select identifier from gateways where id = ?",
        gatewayId,
      );
      await store.database.run(resumeByOperator, { accountId, identifier, at: now + 1 });
    };
    return { update, row, lane, resume };
  }

  test("facts gather, and older ones replace none", async () => {
    const { update, row } = await gateway();
    await update({ facts: { quality: "high", limit: "TIER_1K" } });
    await update({ at: now + 5, facts: { quality: "low" }, notice: "Flagged" });
    await update({ at: now + 2, facts: { quality: "medium", name: "Acme" }, notice: "Older" });
    assert.deepEqual(await row(), {
      facts: { quality: "low", limit: "TIER_1K", name: "Acme" },
      notice: "Flagged",
      changed_at: now + 5,
    });
  });

  test("updates about another number change nothing once the number is known", async () => {
    const { update, row } = await gateway();
    await update({ facts: { number: "+1555" } });
    await update({ at: now + 1, aboutNumber: "+1666", facts: { quality: "low" }, notice: "Flagged" });
    await update({ at: now + 2, aboutNumber: "+1555", facts: { quality: "high" } });
    assert.deepEqual((await row()).facts, { number: "+1555", quality: "high" });
    assert.equal((await row()).notice, null);
  });

  test("a pause lasts as long as its longest, and repeated updates do not undo an operator's resumption", async () => {
    const { update, lane, resume } = await gateway();
    const restricted = { notice: "Restricted", pauseUntil: now + 1000 };
    assert.equal(await update(restricted), true);
    assert.deepEqual(await lane(), { paused_until: now + 1000, pause_reason: "Restricted", revision: 1 });
    assert.equal(await update({ at: now + 1, notice: "Again", pauseUntil: now + 500 }), false);
    await resume();
    assert.equal((await lane()).paused_until, null);
    assert.equal(await update({ ...restricted, at: now + 1, notice: "Again", pauseUntil: now + 500 }), false);
    assert.equal((await lane()).paused_until, null);
    assert.equal(await update({ at: now + 2, notice: "Past", pauseUntil: now }), false);
  });

  test("what is lifted lets the lane probe at once; a lane that is not paused stays as it is", async () => {
    const { update, lane } = await gateway();
    assert.equal(await update({ notice: "Reinstated", lifted: true }), false);
    await update({ at: now + 1, notice: "Banned", pauseUntil: now + 1000 });
    assert.equal(await update({ at: now + 2, notice: "Reinstated", lifted: true, now: now + 2 }), true);
    const { paused_until, pause_reason } = await lane();
    assert.deepEqual([paused_until, pause_reason], [now + 2, "Banned"]);
  });
});
