// Messages that wait: cancelled, or moved to another gateway.

import assert from "node:assert/strict";
import test from "node:test";
import type { ContentKind } from "#contract/messages/content.ts";
import { beginAttempts } from "#store/messages/attempts.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage, type Move, moveToDefault, moveToFailover } from "#store/messages/move.ts";
import { resolveUnknown } from "#store/messages/resolve-unknown.ts";
import type { TransitionDetails } from "#store/messages/transitions.ts";
import { onBothEngines } from "../conformance.ts";
import {
  claim,
  columnsOf,
  makeGateway,
  makeMessages,
  messageRow,
  now,
  remaining,
  sendOf,
  settle,
  stamp,
  timeline,
} from "../rows.ts";

const cancelled: TransitionDetails = { at: now + 5, detail: "Cancelled." };

onBothEngines((open) => {
  test("cancelling: once and again the same, never another's, not what is under way; the credit comes back once", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, {
      count: 2,
      each: { cost: 3, status: "scheduled" },
    });
    const id = ids[0]!;
    const cancel = (account: string, which = id, channel: "sms" | "email" | null = "sms") =>
      store.database.run(cancelMessage, { accountId: account, channel, id: which, details: cancelled });
    assert.deepEqual(await cancel("acc_0"), { kind: "not_found" });
    assert.deepEqual(await cancel("acc_0", id, null), { kind: "not_found" });
    assert.deepEqual(await cancel(accountId, id, "email"), { kind: "not_found" });
    assert.deepEqual(await cancel(accountId, "msg_0"), { kind: "not_found" });
    assert.equal(await remaining(store, accountId), 994);
    assert.deepEqual(await cancel(accountId), { kind: "cancelled" });
    assert.deepEqual(await cancel(accountId, id, null), { kind: "cancelled" });
    assert.equal(await remaining(store, accountId), 997);
    const row = await messageRow(store, id);
    assert.deepEqual([row.status, row.due_at, row.refunded], ["cancelled", null, 1]);
    const fence = await claim(store, gatewayId);
    await stamp(store.database, gatewayId, fence, [ids[1]!]);
    assert.deepEqual(await cancel(accountId, ids[1]!), { kind: "not_cancellable" });
    const late = { laneId: gatewayId, fence, ids: [id], at: now, lateBefore: 0, day: null };
    assert.deepEqual(await store.database.run(beginAttempts, late), { kind: "begun", attempts: new Map() });
  });

  test("a cancel and a stamp at once: exactly one wins, 200 times", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 200 });
    const fence = await claim(store, gatewayId);
    let stampedFirst = 0;
    for (const [i, id] of ids.entries()) {
      const stampIt = () =>
        store.database.run(beginAttempts, {
          laneId: gatewayId,
          fence,
          ids: [id],
          at: now,
          lateBefore: 0,
          day: null,
        });
      const cancelIt = () =>
        store.other.run(cancelMessage, { accountId, channel: "sms", id, details: cancelled });
      const [stamped, cancelling] =
        i % 2 === 0
          ? await Promise.all([stampIt(), cancelIt()])
          : await Promise.all([cancelIt(), stampIt()]).then(([c, s]) => [s, c] as const);
      assert.ok(stamped.kind === "begun");
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
    const named = sendOf(accountId, gatewayId, { each: { gateway_pinned: 1 } });
    const later = sendOf(accountId, gatewayId, { each: { status: "scheduled", due_at: now + 900 } });
    for (const send of [named, later]) await database.run(storeSends, send);
    const fence = await claim(store, gatewayId);
    await stamp(database, gatewayId, fence, [ids[0]!]);
    const to = await makeGateway(database, accountId);
    const move = (limit: number) =>
      database.run(moveToDefault, {
        from: gatewayId,
        to,
        contents: ["text"],
        limit,
        at: now + 7,
        detail: "Moved.",
      });
    assert.deepEqual([await move(3), await move(3), await move(3)], [3, 2, 0]);
    const gateways = async (...which: string[]) =>
      Promise.all(which.map(async (id) => (await messageRow(store, id)).gateway_id));
    assert.deepEqual(await gateways(...ids.slice(1), columnsOf(later.messages).id[0]!), Array(5).fill(to));
    assert.deepEqual(await gateways(ids[0]!, columnsOf(named.messages).id[0]!), [gatewayId, gatewayId]);
    const moved = await messageRow(store, ids[1]!);
    assert.deepEqual([moved.updated_at, moved.due_at, moved.status], [now + 7, now, "queued"]);
    assert.deepEqual(await timeline(store, ids[1]!), ["queued"]);
    const stale = { laneId: gatewayId, fence, ids: [ids[1]!], at: now, lateBefore: 0, day: null };
    assert.deepEqual(await database.run(beginAttempts, stale), { kind: "begun", attempts: new Map() });
    await stamp(database, to, await claim(store, to), [ids[1]!]);
  });

  test("only messages with the given contents move to the default gateway", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 2 });
    await store.database.run(storeSends, sendOf(accountId, gatewayId, { each: { content: "email" } }));
    const to = await makeGateway(store.database, accountId);
    const move = (contents: readonly ContentKind[]) =>
      store.database.run(moveToDefault, {
        from: gatewayId,
        to,
        contents,
        limit: 10,
        at: now,
        detail: "Moved.",
      });
    assert.equal(await move(["text"]), 2);
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await messageRow(store, id)).gateway_id)), [
      to,
      to,
    ]);
    assert.equal(await move(["text"]), 0);
    assert.equal(await move(["text", "email"]), 1);
  });

  /** An account with messages on a gateway that is paused until `now + 100`, and another gateway. */
  async function failing(options: Parameters<typeof makeMessages>[1] = {}) {
    const store = open();
    const made = await makeMessages(store.database, options);
    const fence = await claim(store, made.gatewayId);
    const to = await makeGateway(store.database, made.accountId);
    await pause(made.gatewayId, now + 100);
    const move = (more: Partial<Move & { probe: boolean }> = {}) =>
      store.database.run(moveToFailover, {
        from: made.gatewayId,
        to,
        contents: ["text"],
        probe: false,
        priorities: [0, 1, 2],
        limit: 1000,
        at: now,
        detail: "Moved.",
        ...more,
      });
    return { ...made, fence, to, move };
  }

  const pause = (id: string, until: number | null) =>
    open().query(
      "update lanes set paused_until = ?, paused_since = ? where id = ?",
      until,
      until === null ? null : now - 1000,
      id,
    );

  test("from a paused gateway moves what is due, named none, and was certainly not sent", async () => {
    const store = open();
    const { database } = store;
    const { accountId, gatewayId, ids, fence, to, move } = await failing({ count: 5 });
    const named = sendOf(accountId, gatewayId, { each: { gateway_pinned: 1 } });
    const later = sendOf(accountId, gatewayId, { each: { status: "scheduled", due_at: now + 1 } });
    const large = sendOf(accountId, gatewayId, { priority: 2, count: 3 });
    for (const send of [named, later, large]) await database.run(storeSends, send);
    const [wire, deferred, repeated, again, doubted] = ids as [string, string, string, string, string];
    await stamp(database, gatewayId, fence, ids);
    const of = (id: string) => ({ id, gatewayId, fence });
    await settle(store, of(deferred), "deferred", { details: { dueAt: now, firstDeferredAt: now - 5 } });
    await settle(store, of(repeated), "resent", { details: { dueAt: now, resend: true } });
    for (const id of [again, doubted]) await settle(store, of(id), "outcome_unknown");
    await database.run(resolveUnknown, {
      accountId,
      channel: null,
      id: again,
      step: "resent_by_account",
      details: { at: now, dueAt: now, detail: "", resend: true },
    });
    assert.equal(await move({ limit: 2 }), 2, "the smaller requests first");
    assert.equal(await move(), 2);
    assert.equal(await move(), 0);
    const gateways = async (list: string[]) =>
      Promise.all(list.map(async (id) => (await messageRow(store, id)).gateway_id));
    const moved = [deferred, ...columnsOf(large.messages).id];
    const stayed = [named, later].flatMap((send) => columnsOf(send.messages).id);
    assert.deepEqual(await gateways(moved), Array(4).fill(to));
    assert.deepEqual(await gateways([...stayed, wire, repeated, again, doubted]), Array(6).fill(gatewayId));
    const row = await messageRow(store, deferred);
    assert.deepEqual([row.attempts, row.status, row.due_at, row.first_deferred_at], [1, "queued", now, null]);
    assert.deepEqual(await timeline(store, deferred), ["sending", "queued", "queued"]);
    const attempts = await stamp(database, to, await claim(store, to), moved);
    assert.equal(attempts.get(deferred), 2);
  });

  test("nothing leaves a gateway that is tried again already, or is stopped or off, nor goes to one that is paused", async () => {
    const { gatewayId, to, move } = await failing();
    const change = (id: string, what: string) => open().query(`update ${what} where id = ?`, id);
    assert.equal(await move({ at: now + 100 }), 0, "its pause is over");
    for (const id of [gatewayId, to]) {
      for (const [what, back] of [
        ["lanes set operator_paused_at = 1", "lanes set operator_paused_at = null"],
        ["gateways set active = 0", "gateways set active = 1"],
      ] as const) {
        await change(id, what);
        assert.equal(await move(), 0, what);
        await change(id, back);
      }
    }
    await pause(to, now + 1);
    assert.deepEqual([await move(), await move({ probe: true })], [0, 0]);
    assert.equal(await move({ to: "gw_0" }), 0);
    await pause(to, null);
    assert.equal(await move({ probe: true }), 0, "what is well needs no probe");
    await pause(gatewayId, null);
    assert.equal(await move(), 0);
    await pause(gatewayId, now + 100);
    assert.equal(await move(), 1);
  });

  test("to a gateway whose pause is over goes one message, if none is due there", async () => {
    const store = open();
    const { accountId, to, move } = await failing({ count: 3 });
    await pause(to, now);
    assert.equal(await move(), 0, "it has not shown that it is well");
    const own = sendOf(accountId, to, { each: { gateway_pinned: 1, due_at: now + 1 } });
    await store.database.run(storeSends, own);
    assert.equal(await move({ probe: true }), 1);
    assert.equal(await move({ probe: true }), 0);
    const waiting = () =>
      store.query("select id from messages where gateway_id = ? and due_at <= ?", to, now);
    assert.equal((await waiting()).length, 1);
    await store.query("update messages set due_at = null where gateway_id = ?", to);
    await store.database.run(storeSends, sendOf(accountId, to, { priority: 2, each: { gateway_pinned: 1 } }));
    assert.equal(await move({ probe: true }), 0, "a message of its own is its probe");
  });

  test("failing over and stamping at once: no message is stamped on the gateway that it left", async () => {
    const store = open();
    for (let round = 0; round < 10; round++) {
      const { gatewayId, ids, fence, to, move } = await failing({ count: 20 });
      const stamping = { laneId: gatewayId, fence, ids, at: now, lateBefore: 0, day: null };
      const [stamped, moved] = await Promise.all([store.other.run(beginAttempts, stamping), move()]);
      assert.ok(stamped.kind === "begun");
      assert.equal(stamped.attempts.size + moved, 20);
      for (const id of ids) {
        const row = await messageRow(store, id);
        const expected: string[] = stamped.attempts.has(id) ? ["sending", gatewayId] : ["queued", to];
        assert.deepEqual([row.status, row.gateway_id], expected);
      }
    }
  });

  test("moving and stamping at once: no message is stamped on the gateway that it left", async () => {
    const store = open();
    for (let round = 0; round < 10; round++) {
      const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 20 });
      const to = await makeGateway(store.database, accountId);
      const fence = await claim(store, gatewayId);
      const [stamped, moved] = await Promise.all([
        store.database.run(beginAttempts, {
          laneId: gatewayId,
          fence,
          ids,
          at: now,
          lateBefore: 0,
          day: null,
        }),
        store.other.run(moveToDefault, {
          from: gatewayId,
          to,
          contents: ["text"],
          limit: 100,
          at: now,
          detail: "Moved.",
        }),
      ]);
      assert.ok(stamped.kind === "begun");
      assert.equal(stamped.attempts.size + moved, 20);
      for (const id of ids) {
        const row = await messageRow(store, id);
        const expected: string[] = stamped.attempts.has(id) ? ["sending", gatewayId] : ["queued", to];
        assert.deepEqual([row.status, row.gateway_id], expected);
      }
    }
  });
});
