// Doing deliveries again: the endpoint's lane hears of it, and one call is bounded.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createIds } from "#runtime/ids.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import { changeEndpoint } from "#store/webhooks/endpoints.ts";
import {
  type ReplayDeps,
  replaySince,
  replaySingle,
  retriesOf,
  retryWaiting,
  sendTestEvent,
} from "#webhooks/replay.ts";
import { onChanges } from "../changes.ts";
import { seededRandom } from "../harness.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { deliveryRow, makeDeliveries, makeEndpoint, settleOne } from "../store/endpoints.ts";
import { makeAccount, now } from "../store/rows.ts";

let store: Store;
let woken: string[] = [];
const clock = movableClock(now);
const newId = createIds(clock, seededRandom());
before(async () => {
  store = await openStore("sqlite");
  onChanges(store.database, { due: (id) => void woken.push(id) });
});
after(() => store.close());

function deps(): ReplayDeps {
  woken = [];
  return {
    database: store.database,
    clock,
    newId,
  };
}

async function endpoint() {
  const accountId = await makeAccount(store.database);
  return { accountId, endpointId: await makeEndpoint(store.database, accountId) };
}

test("one delivery: its lane is woken, and only when there is something to do", async () => {
  const whose = await endpoint();
  const [event] = await makeDeliveries(store, whose.accountId, whose.endpointId);
  await settleOne(store, whose.endpointId, event!);
  assert.equal(await replaySingle(deps(), whose, event!), "replayed");
  assert.deepEqual(woken, [whose.endpointId]);
  assert.equal((await deliveryRow(store, whose.endpointId, event!)).due_at, clock.now());
  assert.equal(await replaySingle(deps(), whose, "evt_none"), "not_found");
  assert.deepEqual(woken, []);
});

test("failed ones since a time: ten thousand in a call, the rest in the next", async () => {
  const whose = await endpoint();
  await store.query(
    `insert into webhook_deliveries (
       endpoint_id, event_id, account_id, type, priority, due_at, status, attempts, log, created_at, updated_at
     )
     with recursive n (i) as (select 1 union all select i + 1 from n where i < 10600)
     select ?, 'evt_' || i, ?, 'message.sent', 0, null, 'failed', 8, '[]', ? + i, 0 from n`,
    whose.endpointId,
    whose.accountId,
    now,
  );
  assert.deepEqual(await replaySince(deps(), whose, now + 101), {
    kind: "replayed",
    count: 10_000,
    more: true,
  });
  assert.ok(woken.length > 0 && woken.every((id) => id === whose.endpointId));
  assert.deepEqual(await replaySince(deps(), whose, now + 101), {
    kind: "replayed",
    count: 500,
    more: false,
  });
  assert.deepEqual(await replaySince(deps(), whose, now + 101), { kind: "replayed", count: 0, more: false });
  assert.deepEqual(woken, []);
  assert.equal((await deliveryRow(store, whose.endpointId, "evt_100")).status, "failed");
});

test("what waits: ten thousand in a call, the rest in the next, and nothing that is due or has ended", async () => {
  const whose = await endpoint();
  await store.query(
    `insert into webhook_deliveries (
       endpoint_id, event_id, account_id, type, priority, due_at, status, attempts, log, created_at, updated_at
     )
     with recursive n (i) as (select 1 union all select i + 1 from n where i < 10600)
     select ?, 'evt_w' || i, ?, 'message.sent', i % 3, case when i > 10500 then null else ? + i end,
       case when i > 10500 then 'failed' else 'pending' end, 2, '[]', 0, 0 from n`,
    whose.endpointId,
    whose.accountId,
    clock.now() - 100,
  );
  const counted = async () => {
    const { count, more, nextAt } = (await retriesOf(deps(), whose))!;
    return [count, more, nextAt];
  };
  assert.deepEqual(await counted(), [10_400, false, clock.now() + 1]);
  assert.deepEqual(await retryWaiting(deps(), whose), { kind: "retried", count: 10_000, more: true });
  assert.ok(woken.length > 0 && woken.every((id) => id === whose.endpointId));
  assert.equal((await counted())[0], 400);
  assert.deepEqual(await retryWaiting(deps(), whose), { kind: "retried", count: 400, more: false });
  assert.deepEqual(await retryWaiting(deps(), whose), { kind: "retried", count: 0, more: false });
  assert.deepEqual(woken, []);
  const row = await deliveryRow(store, whose.endpointId, "evt_w10500");
  assert.deepEqual([row.status, row.due_at, row.attempts], ["pending", clock.now(), 2]);
  assert.equal((await deliveryRow(store, whose.endpointId, "evt_w1")).due_at, clock.now() - 99);
  assert.equal((await deliveryRow(store, whose.endpointId, "evt_w10600")).due_at, null);
  const notOwned = { ...whose, accountId: await makeAccount(store.database) };
  assert.deepEqual(await retryWaiting(deps(), notOwned), { kind: "not_found" });
  assert.equal(await retriesOf(deps(), notOwned), null);
});

test("a test event: its text names the endpoint, its id is new, and a switched-off endpoint gets none", async () => {
  const whose = await endpoint();
  const [one, two] = [await sendTestEvent(deps(), whose), await sendTestEvent(deps(), whose)];
  assert.ok(one.kind === "stored" && two.kind === "stored" && one.id !== two.id);
  assert.deepEqual(woken, [whose.endpointId]);
  const [row] = await store.query<{ body: string }>("select body from webhook_events where id = ?", one.id);
  assert.deepEqual(JSON.parse(row!.body), {
    type: "webhook.test",
    timestamp: new Date(now).toISOString(),
    data: { webhook_id: whose.endpointId },
  });
  const { accountId, endpointId } = whose;
  await store.database.run(changeEndpoint, {
    accountId,
    revision: null,
    id: endpointId,
    at: now,
    change: { active: false },
  });
  assert.deepEqual(await sendTestEvent(deps(), whose), { kind: "inactive" });
  assert.deepEqual(await replaySince(deps(), whose, 0), { kind: "inactive" });
  assert.deepEqual(await sendTestEvent(deps(), { ...whose, accountId: "acc_other" }), { kind: "not_found" });
  assert.deepEqual(woken, []);
});
