// From notes to deliveries: each event is as it was, is sent once to each endpoint, and no note is lost on the way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeSends } from "#store/messages/insert.ts";
import { changeEndpoint } from "#store/webhooks/endpoints.ts";
import {
  type FanOutEvent,
  type OutboxEvent,
  type OutboxPage,
  type OutboxPageStep,
  readOutbox,
  storeFanOut,
} from "#store/webhooks/fan-out.ts";
import { messageEventId } from "#store/webhooks/outbox.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { deliveryRow, makeEndpoint, note } from "../endpoints.ts";
import { columnsOf, fresh, makeAccount, makeGateway, makeSending, now, sendOf, settle } from "../rows.ts";

/** The whole outbox of this account, page by page; what other cases left is stored on the way without a word. */
async function drain(store: Store, accountId: string, limit = 500): Promise<OutboxEvent[][]> {
  const pages: OutboxEvent[][] = [];
  for (;;) {
    const page = await store.database.run(readOutbox, { limit });
    pages.push(page.events.filter((one) => one.account_id === accountId));
    await store.database.run(storeFanOut, { at: now, steps: page.steps, events: [] });
    if (!page.more) return pages;
  }
}

/** The events of a page, each for all of its account's endpoints. */
const events = (page: OutboxPage): FanOutEvent[] =>
  page.events.map(({ message: _, data: __, ...one }) => ({
    ...one,
    body: `{"of":"${one.id}"}`,
    endpoints: page.endpoints.filter((each) => each.account_id === one.account_id).map(({ id }) => id),
  }));

const noteIds = async (store: Store, accountId: string) =>
  (
    await store.query<{ id: string }>("select id from outbox where account_id = ? order by id", accountId)
  ).map(({ id }) => id);

onBothEngines((open) => {
  test("an event of a message comes with the message as it was, under the gateway's name of then", async () => {
    const store = open();
    const sending = await makeSending(store);
    const { accountId, gatewayId, id } = sending;
    const endpointId = await makeEndpoint(store.database, accountId);
    await settle(store, sending, "accepted", { details: { reference: "p1" } });
    await store.query(
      "update messages set status = 'delivered', delivered_at = ?, gateway_id = ? where id = ?",
      now + 99,
      await makeGateway(store.database, accountId),
      id,
    );
    const page = await store.database.run(readOutbox, { limit: 500 });
    const [reported, ...none] = page.events.filter(({ account_id }) => account_id === accountId);
    assert.ok(reported?.message && none.length === 0);
    assert.deepEqual(
      [reported.id, reported.entry_id, reported.type, reported.at, reported.priority],
      [messageEventId(id, 2), messageEventId(id, 2), "message.sent", now + 10, 0],
    );
    const { status, delivered_at, sent_at, provider_reference, gateway_id, identifier, body } =
      reported.message;
    assert.deepEqual(
      { status, delivered_at, sent_at, provider_reference, gateway_id, identifier, body },
      {
        status: "sent",
        delivered_at: null,
        sent_at: now + 10,
        provider_reference: "p1",
        gateway_id: gatewayId,
        identifier: `identifier-${gatewayId}`,
        body: "Hello 0",
      },
    );
    assert.deepEqual(
      page.endpoints.filter((each) => each.account_id === accountId).map((each) => ({ ...each })),
      [{ id: endpointId, account_id: accountId, events: '["*"]', format: null }],
    );
    assert.deepEqual(page.steps.find((step) => step.id === reported.entry_id)?.next, null);
    await drain(store, accountId);
  });

  test("an accepted request is reported message by message, a page at a time, each as it was at acceptance", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    await makeEndpoint(store.database, accountId);
    const gatewayId = await makeGateway(store.database, accountId);
    const send = sendOf(accountId, gatewayId, { count: 45, priority: 1 });
    await store.database.run(storeSends, send);
    const ids = columnsOf(send.messages).id;
    await store.query(
      "update messages set status = 'sent', due_at = null, sent_at = 5, attempts = 1 where id = ?",
      ids[0]!,
    );
    const pages = (await drain(store, accountId, 20)).filter((page) => page.length > 0);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [20, 20, 5],
    );
    const reported = pages.flat();
    assert.deepEqual(
      reported.map(({ id }) => id),
      ids.map((id) => messageEventId(id, 0)),
    );
    assert.ok(
      reported.every(({ type, at, priority }) => type === "message.queued" && at === now && priority === 1),
    );
    const { status, due_at, sent_at, attempts } = reported[0]!.message!;
    assert.deepEqual([status, due_at, sent_at, attempts], ["queued", now, null, 0]);
    assert.deepEqual(await noteIds(store, accountId), []);
  });

  test("a scheduled message is reported as scheduled, due at its time", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    await makeEndpoint(store.database, accountId);
    const each = {
      status: "scheduled",
      schedule_at: "2027-01-15 08:00:00",
      scheduled_for: now + 500,
      due_at: now + 500,
    } as const;
    const gatewayId = await makeGateway(store.database, accountId);
    await store.database.run(storeSends, sendOf(accountId, gatewayId, { each }));
    const past = { ...each, scheduled_for: now - 500, due_at: now };
    await store.database.run(storeSends, sendOf(accountId, gatewayId, { each: past }));
    const reported = (await drain(store, accountId)).flat();
    assert.deepEqual(
      reported.map(({ type, message }) => [type, message?.status, message?.due_at]),
      [
        ["message.scheduled", "scheduled", now + 500],
        ["message.scheduled", "scheduled", now],
      ],
    );
  });

  test("a huge request shares its places with small ones, which are reported whole", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    await makeEndpoint(store.database, accountId);
    const gatewayId = await makeGateway(store.database, accountId);
    const sends = [100, 3, 10].map((count) => sendOf(accountId, gatewayId, { count }));
    for (const send of sends) await store.database.run(storeSends, send);
    const [first] = await drain(store, accountId, 30);
    const counts = sends.map(
      ({ requestId }) => first!.filter(({ message }) => message?.request_id === requestId).length,
    );
    assert.deepEqual(counts, [10, 3, 10]);
  });

  test("events and deliveries are stored with the removal of their notes, once", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const [one, two] = [
      await makeEndpoint(store.database, accountId),
      await makeEndpoint(store.database, accountId),
    ];
    const id = fresh("evt");
    await note(store, accountId, id);
    const page = await store.database.run(readOutbox, { limit: 500 });
    const input = { at: now + 7, steps: page.steps, events: events(page) };
    const woken = await Promise.all([
      store.database.run(storeFanOut, input),
      store.other.run(storeFanOut, input),
    ]);
    assert.deepEqual(
      woken
        .flat()
        .filter((endpoint) => endpoint === one || endpoint === two)
        .sort(),
      [one, two].sort(),
    );
    assert.deepEqual(await noteIds(store, accountId), []);
    const [event] = await store.query<object>("select * from webhook_events where id = ?", id);
    assert.deepEqual(
      { ...event },
      { id, account_id: accountId, type: "gateway.paused", at: now, body: `{"of":"${id}"}` },
    );
    const { endpoint_id: _, ...row } = await deliveryRow(store, two, id);
    assert.deepEqual(row, {
      event_id: id,
      account_id: accountId,
      type: "gateway.paused",
      priority: 0,
      due_at: now + 7,
      held_due_at: null,
      status: "pending",
      attempts: 0,
      log: "[]",
      created_at: now + 7,
      updated_at: now + 7,
    });
  });

  test("a request that another process told further meanwhile is left as it is", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const endpointId = await makeEndpoint(store.database, accountId);
    const gatewayId = await makeGateway(store.database, accountId);
    await store.database.run(storeSends, sendOf(accountId, gatewayId, { count: 25 }));
    const own = (page: OutboxPage): { at: number; steps: OutboxPageStep[]; events: FanOutEvent[] } => {
      const mine = events(page).filter((event) => event.account_id === accountId);
      const expected = new Set(mine.map(({ entry_id }) => entry_id));
      return { at: now, steps: page.steps.filter((step) => expected.has(step.id)), events: mine };
    };
    const slow = own(await store.database.run(readOutbox, { limit: 10 }));
    for (let page = 0; page < 2; page++)
      await store.database.run(storeFanOut, own(await store.database.run(readOutbox, { limit: 10 })));
    assert.deepEqual(await store.database.run(storeFanOut, slow), [], "the note is not as it was read");
    await store.database.run(storeFanOut, own(await store.database.run(readOutbox, { limit: 10 })));
    const [{ count } = { count: 0 }] = await store.query<{ count: number }>(
      "select count(*) as count from webhook_deliveries where endpoint_id = ?",
      endpointId,
    );
    assert.equal(Number(count), 25);
    assert.deepEqual(await noteIds(store, accountId), []);
  });

  test("an endpoint that was switched off meanwhile gets nothing, and an event for no endpoint is not kept", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const endpointId = await makeEndpoint(store.database, accountId);
    const id = fresh("evt");
    await note(store, accountId, id);
    const page = await store.database.run(readOutbox, { limit: 500 });
    await store.database.run(changeEndpoint, {
      accountId,
      revision: null,
      id: endpointId,
      at: now,
      change: { active: false },
    });
    await store.database.run(storeFanOut, { at: now, steps: page.steps, events: events(page) });
    assert.deepEqual(await noteIds(store, accountId), []);
    assert.deepEqual(await store.query("select id from webhook_events where id = ?", id), []);
    assert.deepEqual(await store.query("select event_id from webhook_deliveries where event_id = ?", id), []);
  });

  test("the note of a message that is gone goes without a word", async () => {
    const store = open();
    const sending = await makeSending(store);
    await makeEndpoint(store.database, sending.accountId);
    await settle(store, sending, "accepted");
    await store.query("delete from messages where id = ?", sending.id);
    assert.equal((await noteIds(store, sending.accountId)).length, 1);
    assert.deepEqual((await drain(store, sending.accountId)).flat(), []);
    assert.deepEqual(await noteIds(store, sending.accountId), []);
  });
});
