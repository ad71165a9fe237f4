// The log of deliveries, one account's alone, paged stably; and what is done again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readDueDeliveries } from "#store/webhooks/deliveries.ts";
import {
  countWebhooks,
  type DeliveryCursor,
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  replayDelivery,
  replayFailed,
  storeTestEvent,
} from "#store/webhooks/delivery-log.ts";
import { changeEndpoint } from "#store/webhooks/endpoints.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { deliveryRow, failed, makeDeliveries, makeEndpoint, note, settleOne } from "../endpoints.ts";
import { fresh, makeAccount, now } from "../rows.ts";

async function one(store: Store, count = 1, at = now) {
  const accountId = await makeAccount(store.database);
  const endpointId = await makeEndpoint(store.database, accountId);
  const events = await makeDeliveries(store, accountId, endpointId, { count, at });
  return { accountId, endpointId, events, event: events[0]! };
}

const switchOff = (store: Store, { accountId, endpointId }: { accountId: string; endpointId: string }) =>
  store.database.run(changeEndpoint, {
    accountId,
    revision: null,
    id: endpointId,
    at: now,
    change: { active: false },
  });

onBothEngines((open) => {
  test("newest first, a page at a time, by status; another account has none of it", async () => {
    const store = open();
    const { accountId, endpointId, events } = await one(store, 4);
    const later = await makeDeliveries(store, accountId, endpointId, { count: 3, at: now + 1 });
    await settleOne(store, endpointId, events[1]!);
    const list = (
      filter: DeliveryFilter,
      before: DeliveryCursor | null,
      limit: number,
      account = accountId,
    ) =>
      store.database.run(listDeliveries, {
        accountId: account,
        endpointId,
        filter,
        before,
        limit,
        maxScanned: 3,
      });
    const pages: string[] = [];
    let before: DeliveryCursor | null = null;
    for (;;) {
      const found: Awaited<ReturnType<typeof list>> = await list({}, before, 2);
      pages.push(...(found?.rows.map(({ event_id }) => event_id) ?? []));
      before = found?.lookedTo ?? null;
      if (before === null) break;
    }
    assert.deepEqual(pages, [...events, ...later].reverse());
    const delivered = await list({ status: "delivered" }, null, 1);
    assert.deepEqual(
      [delivered?.rows.length, delivered?.lookedTo !== null],
      [0, true],
      "three were looked at",
    );
    const further = await list({ status: "delivered" }, delivered?.lookedTo ?? null, 1);
    assert.deepEqual(
      further?.rows.map(({ event_id, at }) => [event_id, at]),
      [[events[1], now]],
    );
    assert.equal(await list({}, null, 10, await makeAccount(store.database)), null);
  });

  test("by the type of the event and the time of the delivery; what was looked at ends at the range", async () => {
    const store = open();
    const { accountId, endpointId, events } = await one(store, 2);
    const later = await makeDeliveries(store, accountId, endpointId, { count: 2, at: now + 10 });
    await store.query(
      `update webhook_deliveries set type = 'credit.low' where event_id in ('${events[0]}', '${later[1]}')`,
    );
    const list = async (filter: DeliveryFilter) => {
      const input = { accountId, endpointId, filter, before: null, limit: 10, maxScanned: 100 };
      const found = await store.database.run(listDeliveries, input);
      assert.equal(found?.lookedTo, null);
      return found?.rows.map(({ event_id }) => event_id);
    };
    const type = "credit.low";
    assert.deepEqual(await list({ type }), [later[1], events[0]]);
    assert.deepEqual(await list({ type, from: now + 10 }), [later[1]]);
    assert.deepEqual(await list({ type, from: now, to: now + 10 }), [events[0]]);
    assert.deepEqual(await list({ to: now + 10 }), events.toReversed());
    assert.deepEqual(await list({ type: "budget.low" }), []);
  });

  test("one delivery with what is posted; not another account's, nor another endpoint's", async () => {
    const store = open();
    const { accountId, endpointId, event } = await one(store);
    const find = (input: object) =>
      store.database.run(findDelivery, { accountId, endpointId, eventId: event, ...input });
    const found = await find({});
    assert.deepEqual([found?.body, found?.at, found?.status], [`{"event":"${event}"}`, now, "pending"]);
    assert.equal(await find({ accountId: await makeAccount(store.database) }), null);
    assert.equal(await find({ endpointId: await makeEndpoint(store.database, accountId) }), null);
    assert.equal(await find({ eventId: "evt_none" }), null);
  });

  test("replayed, in every state: due now, with all its tries, and the log it had", async () => {
    const store = open();
    const { accountId, endpointId, events } = await one(store, 3);
    await settleOne(store, endpointId, events[0]!);
    await settleOne(store, endpointId, events[1]!, { outcome: failed(null) });
    await settleOne(store, endpointId, events[2]!, { outcome: failed(now + 5000) });
    for (const eventId of events) {
      const at = now + 50;
      assert.equal(
        await store.database.run(replayDelivery, { accountId, endpointId, eventId, at }),
        "replayed",
      );
      const row = await deliveryRow(store, endpointId, eventId);
      assert.deepEqual([row.status, row.due_at, row.attempts, row.updated_at], ["pending", at, 0, at]);
      assert.equal(JSON.parse(row.log).length, 1);
    }
    const due = { laneId: endpointId, priority: 0, now: now + 50, after: null, limit: 10 };
    assert.equal((await store.database.run(readDueDeliveries, due)).length, 3);
  });

  test("nothing is replayed for a stranger, for an endpoint that is switched off, or that is not there", async () => {
    const store = open();
    const rows = await one(store);
    const { accountId, endpointId, event } = rows;
    await settleOne(store, endpointId, event);
    const replay = (input: object) =>
      store.database.run(replayDelivery, { accountId, endpointId, eventId: event, at: now, ...input });
    const otherAccount = await makeAccount(store.database);
    assert.equal(await replay({ accountId: otherAccount }), "not_found");
    assert.equal(await replay({ eventId: "evt_none" }), "not_found");
    await switchOff(store, rows);
    assert.equal(await replay({}), "inactive");
    assert.equal(await replay({ eventId: "evt_none" }), "not_found");
    const since = { endpointId, after: { createdAt: 0, eventId: "" }, at: now, limit: 10 };
    assert.deepEqual(await store.database.run(replayFailed, { ...since, accountId }), { kind: "inactive" });
    assert.deepEqual(await store.database.run(replayFailed, { ...since, accountId: otherAccount }), {
      kind: "not_found",
    });
    assert.equal((await deliveryRow(store, endpointId, event)).status, "delivered");
  });

  test("the failed ones since a time, a part at a time, and no others", async () => {
    const store = open();
    const { accountId, endpointId, events } = await one(store, 2);
    const later = await makeDeliveries(store, accountId, endpointId, { count: 5, at: now + 100 });
    for (const event of [...events, ...later.slice(0, 4)])
      await settleOne(store, endpointId, event, { at: now + 200, outcome: failed(null) });
    await settleOne(store, endpointId, later[4]!, { at: now + 200 });
    const counts: number[] = [];
    let after: DeliveryCursor | null = { createdAt: now + 100, eventId: "" };
    while (after) {
      const place: DeliveryCursor = after;
      const input = { accountId, endpointId, after: place, at: now + 300, limit: 3 };
      const result = await store.database.run(replayFailed, input);
      assert.ok(result.kind === "replayed");
      counts.push(result.count);
      after = result.next;
    }
    assert.deepEqual(counts, [3, 1]);
    const statuses = await Promise.all(
      [...events, ...later].map(async (event) => (await deliveryRow(store, endpointId, event)).status),
    );
    assert.deepEqual(statuses, ["failed", "failed", ...Array(4).fill("pending"), "delivered"]);
  });

  test("a test event is one endpoint's alone", async () => {
    const store = open();
    const rows = await one(store);
    const { accountId, endpointId } = rows;
    const neighbour = await makeEndpoint(store.database, accountId);
    const event = { id: fresh("evt"), type: "webhook.test", at: now + 5, body: "{}" };
    const make = (input: object) =>
      store.database.run(storeTestEvent, { accountId, endpointId, event, ...input });
    assert.equal(await make({ accountId: await makeAccount(store.database) }), "not_found");
    assert.equal(await make({}), "stored");
    const row = await deliveryRow(store, endpointId, event.id);
    assert.deepEqual([row.status, row.due_at, row.type], ["pending", now + 5, "webhook.test"]);
    const find = { accountId, endpointId: neighbour, eventId: event.id };
    assert.equal(await store.database.run(findDelivery, find), null);
    await switchOff(store, rows);
    assert.equal(await make({ event: { ...event, id: fresh("evt") } }), "inactive");
  });

  test("what waits is counted", async () => {
    const store = open();
    const before = await store.database.run(countWebhooks, null);
    const { accountId, endpointId, events } = await one(store, 3);
    await settleOne(store, endpointId, events[0]!);
    await note(store, accountId, fresh("evt"));
    const after = await store.database.run(countWebhooks, null);
    assert.deepEqual([after.entries - before.entries, after.deliveries - before.deliveries], [1, 2]);
  });
});
