// Messages that wait: cancelled, or moved to another gateway.

import assert from "node:assert/strict";
import test from "node:test";
import { storeSends } from "#store/accept.ts";
import type { Happening } from "#store/change.ts";
import { stampMessages } from "#store/progress.ts";
import { cancelMessage, moveWaiting } from "#store/waiting.ts";
import { onBothEngines } from "./conformance.ts";
import {
  claim,
  columnsOf,
  makeGateway,
  makeMessages,
  messageRow,
  now,
  remaining,
  sendOf,
  stamp,
  timeline,
} from "./rows.ts";

const cancelled: Happening = { at: now + 5, detail: "Cancelled." };

onBothEngines((open) => {
  test("cancelling: once and again the same, never another's, not what is under way; the credit comes back once", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, {
      count: 2,
      each: { cost: 3, status: "scheduled" },
    });
    const id = ids[0]!;
    const cancel = (account: string, which = id, channel: "sms" | "email" = "sms") =>
      store.database.run(cancelMessage, { accountId: account, channel, id: which, happening: cancelled });
    assert.deepEqual(await cancel("acc_0"), { kind: "not_found" });
    assert.deepEqual(await cancel(accountId, id, "email"), { kind: "not_found" });
    assert.deepEqual(await cancel(accountId, "msg_0"), { kind: "not_found" });
    assert.equal(await remaining(store, accountId), 994);
    assert.deepEqual(await cancel(accountId), { kind: "cancelled" });
    assert.deepEqual(await cancel(accountId), { kind: "cancelled" });
    assert.equal(await remaining(store, accountId), 997);
    const row = await messageRow(store, id);
    assert.deepEqual([row.status, row.due_at, row.returned], ["cancelled", null, 1]);
    const fence = await claim(store, gatewayId);
    await stamp(store.database, gatewayId, fence, [ids[1]!]);
    assert.deepEqual(await cancel(accountId, ids[1]!), { kind: "not_cancellable" });
    const late = { laneId: gatewayId, fence, ids: [id], at: now, day: null };
    assert.deepEqual(await store.database.run(stampMessages, late), { kind: "stamped", attempts: new Map() });
  });

  test("a cancel and a stamp at once: exactly one wins, 200 times", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 200 });
    const fence = await claim(store, gatewayId);
    let stampedFirst = 0;
    for (const [i, id] of ids.entries()) {
      const stampIt = () =>
        store.database.run(stampMessages, { laneId: gatewayId, fence, ids: [id], at: now, day: null });
      const cancelIt = () =>
        store.other.run(cancelMessage, { accountId, channel: "sms", id, happening: cancelled });
      const [stamped, cancelling] =
        i % 2 === 0
          ? await Promise.all([stampIt(), cancelIt()])
          : await Promise.all([cancelIt(), stampIt()]).then(([c, s]) => [s, c] as const);
      assert.ok(stamped.kind === "stamped");
      const row = await messageRow(store, id);
      if (stamped.attempts.has(id)) {
        stampedFirst += 1;
        assert.deepEqual(cancelling, { kind: "not_cancellable" });
        assert.equal(row.status, "sending");
      } else {
        assert.deepEqual(cancelling, { kind: "cancelled" });
        assert.equal(row.status, "cancelled");
      }
    }
    assert.equal(await remaining(store, accountId), 1000 - stampedFirst);
  });

  test("waiting messages that named no gateway move; named ones and those under way stay", async () => {
    const store = open();
    const { database } = store;
    const { accountId, gatewayId, ids } = await makeMessages(database, { count: 5 });
    const named = sendOf(accountId, gatewayId, { each: { named: 1 } });
    const later = sendOf(accountId, gatewayId, { each: { status: "scheduled", due_at: now + 900 } });
    for (const send of [named, later]) await database.run(storeSends, send);
    const fence = await claim(store, gatewayId);
    await stamp(database, gatewayId, fence, [ids[0]!]);
    const to = await makeGateway(database, accountId);
    const move = (limit: number) =>
      database.run(moveWaiting, { from: gatewayId, to, limit, at: now + 7, detail: "Moved." });
    assert.deepEqual([await move(3), await move(3), await move(3)], [3, 2, 0]);
    const gateways = async (...which: string[]) =>
      Promise.all(which.map(async (id) => (await messageRow(store, id)).gateway_id));
    assert.deepEqual(await gateways(...ids.slice(1), columnsOf(later.messages).id[0]!), Array(5).fill(to));
    assert.deepEqual(await gateways(ids[0]!, columnsOf(named.messages).id[0]!), [gatewayId, gatewayId]);
    const moved = await messageRow(store, ids[1]!);
    assert.deepEqual([moved.updated_at, moved.due_at, moved.status], [now + 7, now, "queued"]);
    assert.deepEqual(await timeline(store, ids[1]!), ["queued"]);
    const stale = { laneId: gatewayId, fence, ids: [ids[1]!], at: now, day: null };
    assert.deepEqual(await database.run(stampMessages, stale), { kind: "stamped", attempts: new Map() });
    await stamp(database, to, await claim(store, to), [ids[1]!]);
  });

  test("moving and stamping at once: no message is stamped on the gateway that it left", async () => {
    const store = open();
    for (let round = 0; round < 10; round++) {
      const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 20 });
      const to = await makeGateway(store.database, accountId);
      const fence = await claim(store, gatewayId);
      const [stamped, moved] = await Promise.all([
        store.database.run(stampMessages, { laneId: gatewayId, fence, ids, at: now, day: null }),
        store.other.run(moveWaiting, { from: gatewayId, to, limit: 100, at: now, detail: "Moved." }),
      ]);
      assert.ok(stamped.kind === "stamped");
      assert.equal(stamped.attempts.size + moved, 20);
      for (const id of ids) {
        const row = await messageRow(store, id);
        const expected: string[] = stamped.attempts.has(id) ? ["sending", gatewayId] : ["queued", to];
        assert.deepEqual([row.status, row.gateway_id], expected);
      }
    }
  });
});
