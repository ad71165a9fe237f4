// Deliveries on their way: read in order, settled once a try, and what their failures do to the endpoint.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type CountStep, readMessageCounts, storeMessageCounts } from "#store/counts/message-counts.ts";
import {
  type DeliveryAttempt,
  failWaitingDeliveries,
  nextDueDelivery,
  readDueDeliveries,
  readPendingDeliveries,
  settleDeliveries,
} from "#store/webhooks/deliveries.ts";
import { replayDelivery } from "#store/webhooks/delivery-log.ts";
import { changeEndpoint } from "#store/webhooks/endpoints.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import {
  deliveryRow,
  endpointRow,
  failed,
  laneRow,
  makeDeliveries,
  makeEndpoint,
  settlementOf,
  settleOne,
} from "../endpoints.ts";
import { claim, makeAccount, now } from "../rows.ts";

const day = 24 * 3_600_000;

async function open1(store: Store, count = 1) {
  const accountId = await makeAccount(store.database);
  const endpointId = await makeEndpoint(store.database, accountId);
  const events = await makeDeliveries(store, accountId, endpointId, { count });
  return { accountId, endpointId, events, event: events[0]! };
}

const log = async (store: Store, endpointId: string, event: string) =>
  JSON.parse((await deliveryRow(store, endpointId, event)).log) as DeliveryAttempt[];

onBothEngines((open) => {
  test("due ones come in order of (due_at, id), priority by priority, after a place, and only their own endpoint's", async () => {
    const store = open();
    const { accountId, endpointId, events } = await open1(store, 3);
    const [later] = await makeDeliveries(store, accountId, endpointId, { at: now + 1000 });
    const [large] = await makeDeliveries(store, accountId, endpointId, { priority: 2 });
    await makeDeliveries(store, accountId, await makeEndpoint(store.database, accountId));
    const read = async (
      priority: number,
      at: number,
      after: { dueAt: number; id: string } | null,
      limit = 10,
    ) =>
      (
        await store.database.run(readDueDeliveries, { laneId: endpointId, priority, now: at, after, limit })
      ).map(({ id }) => id);
    assert.deepEqual(await read(0, now, null), events);
    assert.deepEqual(await read(0, now, { dueAt: now, id: events[0]! }, 1), [events[1]]);
    assert.deepEqual(await read(0, now + 1000, null), [...events, later]);
    assert.deepEqual(await read(2, now, null), [large]);
    const next = (at: number) =>
      store.database.run(nextDueDelivery, { laneId: endpointId, priorities: [0, 1, 2], now: at });
    assert.deepEqual([await next(now - 1), await next(now), await next(now + 1000)], [now, now + 1000, null]);
  });

  test("what is posted is what still waits, with its text and its tries, at an active endpoint, under the fence", async () => {
    const store = open();
    const { accountId, endpointId, events } = await open1(store, 3);
    const [delivered, tried, fresh] = events as [string, string, string];
    await settleOne(store, endpointId, delivered);
    await settleOne(store, endpointId, tried, { outcome: failed(now + 5000) });
    const read = (fence: number) =>
      store.database.run(readPendingDeliveries, { endpointId, fence, eventIds: events });
    const fence = await claim(store, endpointId);
    const ready = await read(fence);
    assert.ok(ready.kind === "ready");
    assert.deepEqual({ ...ready.endpoint }, await endpointRow(store, endpointId));
    assert.deepEqual(
      ready.deliveries.map((each) => ({ ...each })).sort((a, b) => (a.id < b.id ? -1 : 1)),
      [
        {
          id: tried,
          type: "gateway.paused",
          body: `{"event":"${tried}"}`,
          attempts: 1,
          statusCallback: null,
        },
        {
          id: fresh,
          type: "gateway.paused",
          body: `{"event":"${fresh}"}`,
          attempts: 0,
          statusCallback: null,
        },
      ],
    );
    assert.deepEqual(await read(fence - 1), { kind: "fenced" });
    await store.database.run(changeEndpoint, {
      accountId,
      revision: null,
      id: endpointId,
      at: now,
      change: { active: false },
    });
    assert.deepEqual(await read(fence), { kind: "inactive" });
  });

  test("a success ends it, a failure puts it off, the last failure ends it", async () => {
    const store = open();
    const { endpointId, events } = await open1(store, 3);
    const [one, two, three] = events as [string, string, string];
    assert.deepEqual(await settleOne(store, endpointId, one), { dueAt: null, disabled: null });
    assert.deepEqual(await settleOne(store, endpointId, two, { outcome: failed(now + 5000) }), {
      dueAt: now + 5000,
      disabled: null,
    });
    assert.deepEqual(await settleOne(store, endpointId, three, { outcome: failed(null) }), {
      dueAt: null,
      disabled: null,
    });
    const rows = await Promise.all(events.map((event) => deliveryRow(store, endpointId, event)));
    assert.deepEqual(
      rows.map(({ status, due_at, attempts, updated_at }) => [status, due_at, attempts, updated_at]),
      [
        ["delivered", null, 1, now + 10],
        ["pending", now + 5000, 1, now + 10],
        ["failed", null, 1, now + 10],
      ],
    );
    assert.deepEqual(await log(store, endpointId, three), [
      { at: now + 10, ms: 5, status: 500, reason: "It answered 500.", answer: "" },
    ]);
  });

  test("the log keeps the latest twenty tries", async () => {
    const store = open();
    const { accountId, endpointId, event } = await open1(store);
    for (let round = 1; round <= 25; round++) {
      await settleOne(store, endpointId, event, { at: now + round, outcome: failed(now) });
      await store.database.run(replayDelivery, { accountId, endpointId, eventId: event, at: now });
    }
    const lines = await log(store, endpointId, event);
    assert.deepEqual(
      lines.map(({ at }) => at),
      Array.from({ length: 20 }, (_, i) => now + 6 + i),
    );
  });

  test("of two owners' outcomes of one try the first counts", async () => {
    const store = open();
    const { endpointId, event } = await open1(store);
    const results = await Promise.all([
      settleOne(store, endpointId, event, { outcome: failed(now + 5000) }),
      store.other.run(settleDeliveries, settlementOf(endpointId, event, { outcome: failed(now + 6000) })),
    ]);
    const row = await deliveryRow(store, endpointId, event);
    assert.equal(row.attempts, 1);
    assert.ok(row.due_at === now + 5000 || row.due_at === now + 6000);
    // Both learn when it is due, so that neither forgets it.
    assert.deepEqual(new Set(results.map(({ dueAt }) => dueAt)), new Set([row.due_at]));
    assert.equal((await log(store, endpointId, event)).length, 1);
  });

  test("what was replayed while a later try was under way starts over; what is gone is nothing", async () => {
    const store = open();
    const { accountId, endpointId, event } = await open1(store);
    await settleOne(store, endpointId, event, { outcome: failed(now + 5000) });
    await store.database.run(replayDelivery, { accountId, endpointId, eventId: event, at: now + 20 });
    assert.deepEqual(await settleOne(store, endpointId, event, { attempt: 2, outcome: failed(now + 9000) }), {
      dueAt: now + 20,
      disabled: null,
    });
    assert.equal((await deliveryRow(store, endpointId, event)).attempts, 0);
    assert.deepEqual(await settleOne(store, endpointId, "evt_none"), { dueAt: null, disabled: null });
    assert.deepEqual(await settleOne(store, "whe_none", event), { dueAt: null, disabled: null });
  });

  test("failures since the last success are dated; five days of them disable the endpoint and its lane", async () => {
    const store = open();
    const { endpointId, events } = await open1(store, 6);
    const fail = (event: string, at: number) =>
      settleOne(store, endpointId, event, { at, outcome: failed(at + 5000) });
    await fail(events[0]!, now);
    await fail(events[1]!, now + 4 * day);
    assert.equal((await endpointRow(store, endpointId)).failing_since, now);
    await settleOne(store, endpointId, events[2]!, { at: now + 4 * day + 1 });
    assert.equal((await endpointRow(store, endpointId)).failing_since, null);
    await fail(events[3]!, now + 5 * day);
    assert.deepEqual(await fail(events[4]!, now + 10 * day - 1), {
      dueAt: now + 10 * day - 1 + 5000,
      disabled: null,
    });
    const { disabled, dueAt } = await fail(events[5]!, now + 10 * day);
    assert.match(disabled ?? "", /5 days/);
    assert.equal(dueAt, null, "nothing waits for a disabled endpoint");
    assert.equal((await deliveryRow(store, endpointId, events[5]!)).status, "failed");
    const row = await endpointRow(store, endpointId);
    assert.deepEqual([row.active, row.disabled_at, row.disabled_reason], [0, now + 10 * day, disabled]);
    const lane = await laneRow(store, endpointId);
    assert.deepEqual([lane?.active, lane?.revision], [0, 1]);
  });

  test("410 disables it at once, once, also among others in one transaction", async () => {
    const store = open();
    const { endpointId, events } = await open1(store, 3);
    const results = await Promise.all(
      events.map((event) => settleOne(store, endpointId, event, { outcome: failed(now + 5000, true) })),
    );
    assert.equal(results.filter(({ disabled }) => disabled !== null).length, 1);
    assert.match((await endpointRow(store, endpointId)).disabled_reason ?? "", /410/);
    assert.equal((await laneRow(store, endpointId))?.revision, 1);
    for (const event of events) assert.equal((await deliveryRow(store, endpointId, event)).due_at, null);
  });

  test("a success after the endpoint was switched off still counts", async () => {
    const store = open();
    const { accountId, endpointId, event } = await open1(store);
    await store.database.run(changeEndpoint, {
      accountId,
      revision: null,
      id: endpointId,
      at: now,
      change: { active: false },
    });
    await settleOne(store, endpointId, event);
    assert.equal((await deliveryRow(store, endpointId, event)).status, "delivered");
  });

  test("what waits for a switched-off endpoint is stopped, a part at a time, with the reason as its last line", async () => {
    const store = open();
    const { accountId, endpointId, events } = await open1(store, 5);
    await settleOne(store, endpointId, events[0]!);
    await settleOne(store, endpointId, events[1]!, { outcome: failed(now + 5000) });
    const stop = () =>
      store.database.run(failWaitingDeliveries, { endpointId, at: now + 50, reason: "Off.", limit: 3 });
    assert.equal(await stop(), 0, "it is active");
    await store.database.run(changeEndpoint, {
      accountId,
      revision: null,
      id: endpointId,
      at: now,
      change: { active: false },
    });
    assert.deepEqual([await stop(), await stop(), await stop()], [3, 1, 0]);
    const rows = await Promise.all(events.map((event) => deliveryRow(store, endpointId, event)));
    assert.deepEqual(
      rows.map(({ status, due_at }) => [status, due_at]),
      [["delivered", null], ...Array(4).fill(["failed", null])],
    );
    assert.deepEqual(
      (await log(store, endpointId, events[1]!)).map(({ at, reason }) => [at, reason]),
      [
        [now + 10, "It answered 500."],
        [now + 50, "Off."],
      ],
    );
  });

  test("each change counts once in the hour of its endpoint, and what changed nothing does not", async () => {
    const store = open();
    const { accountId, endpointId, events } = await open1(store, 4);
    const beside = await open1(store);
    const hour = 3_600_000;
    const later = { at: now + hour };
    await settleOne(store, endpointId, events[0]!);
    await settleOne(store, endpointId, events[1]!, { outcome: failed(now + 5000) });
    await settleOne(store, endpointId, events[1]!, { ...later, attempt: 2, outcome: failed(null) });
    await settleOne(store, beside.endpointId, beside.event);
    // Another owner's outcome of the same tries.
    await store.other.run(settleDeliveries, settlementOf(endpointId, events[0]!));
    await store.other.run(
      settleDeliveries,
      settlementOf(endpointId, events[1]!, { outcome: failed(now + 6000) }),
    );
    await store.database.run(changeEndpoint, {
      accountId,
      revision: null,
      id: endpointId,
      at: now,
      change: { active: false },
    });
    const stop = { endpointId, at: now + hour, reason: "Off.", limit: 3 };
    await store.database.run(failWaitingDeliveries, stop);
    await store.database.run(failWaitingDeliveries, stop);
    for (const database of [store.database, store.other]) await database.run(storeMessageCounts, null);
    const read = (step: CountStep, account = accountId) =>
      store.database.run(readMessageCounts, {
        accountId: account,
        step,
        from: now - hour,
        before: now + 2 * hour,
        gatewayId: null,
        channel: null,
      });
    const start = now - (now % hour);
    assert.deepEqual(
      (await read("endpoint_hour")).map((row) => [
        row.gateway_id,
        row.at,
        row.delivered,
        row.failed,
        row.undelivered,
      ]),
      [
        [endpointId, start, 1, 1, 0],
        [endpointId, start + hour, 0, 0, 3],
      ],
    );
    assert.deepEqual(
      (await read("endpoint_hour", beside.accountId)).map((row) => [row.gateway_id, row.delivered]),
      [[beside.endpointId, 1]],
    );
    for (const step of ["minute", "hour", "day"] as const) assert.deepEqual(await read(step), []);
  });
});
