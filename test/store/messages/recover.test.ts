// Attempts without an outcome: never handed over, or left by an earlier owner of the lane.

import assert from "node:assert/strict";
import test from "node:test";
import { recoverMessages, revertAttempts } from "#store/messages/recover.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import { onBothEngines } from "../conformance.ts";
import { claim, makeSending, messageRow, now, settle, stamp, timeline } from "../rows.ts";

onBothEngines((open) => {
  test("what was stamped but never handed over goes back to the queue, under its own fence alone", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 2 });
    const details: TransitionDetails = { at: now + 5, detail: "Never left.", dueAt: now, uncounted: true };
    const unstamp = (fence: number, laneId = sending.gatewayId) =>
      store.database.run(revertAttempts, { laneId, fence, ids: sending.ids, details });
    await unstamp(sending.fence + 1);
    await unstamp(sending.fence, "gw_other");
    assert.equal((await messageRow(store, sending.id)).status, "sending");
    await settle(store, { ...sending, id: sending.ids[1]! }, "accepted");
    await unstamp(sending.fence);
    const row = await messageRow(store, sending.id);
    assert.deepEqual([row.status, row.due_at, row.attempts], ["queued", now, 0]);
    assert.equal((await messageRow(store, sending.ids[1]!)).status, "sent");
    await stamp(store.database, sending.gatewayId, sending.fence, [sending.id]);
    assert.deepEqual(await timeline(store, sending.id), ["sending", "queued", "sending"]);
  });

  test("what an earlier owner left sending follows the policy: once for new ones, otherwise for repeats", async () => {
    const store = open();
    const sending = await makeSending(store, { count: 5 });
    const fence = await claim(store, sending.gatewayId, "prc_2");
    const first = { at: now + 5, detail: "Once more.", dueAt: now, resend: true, code: "interrupted" };
    const again = {
      at: now + 9,
      detail: "Not again.",
      code: "interrupted",
      message: "It may have been sent.",
    };
    const recover = (under: number, limit: number) =>
      store.database.run(recoverMessages, {
        laneId: sending.gatewayId,
        fence: under,
        limit,
        first: { step: "resent", details: first },
        again: { step: "outcome_unknown", details: again },
      });
    await settle(store, { ...sending, id: sending.ids[4]! }, "accepted");
    assert.equal(await recover(sending.fence, 10), 0, "its own stamps are not left over");
    assert.equal(await recover(fence, 3), 3);
    assert.equal(await recover(fence, 3), 1);
    assert.equal(await recover(fence, 3), 0);
    let row = await messageRow(store, sending.id);
    assert.deepEqual([row.status, row.due_at, row.resends, row.attempts], ["queued", now, 1, 1]);
    assert.equal((await messageRow(store, sending.ids[4]!)).status, "sent");
    const attempts = await stamp(store.database, sending.gatewayId, fence, [sending.id]);
    assert.equal(attempts.get(sending.id), 2);
    assert.equal(await recover(await claim(store, sending.gatewayId, "prc_3"), 3), 1);
    row = await messageRow(store, sending.id);
    assert.deepEqual(
      [row.status, row.error_code, row.error_message],
      ["unknown", "interrupted", again.message],
    );
    assert.deepEqual(await timeline(store, sending.id), ["sending", "queued", "sending", "unknown"]);
  });
});
