// What waits for an endpoint that is switched off is stopped, all of it, and says why.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { changeEndpoint } from "#store/webhooks/endpoints.ts";
import { failAbandonedDeliveries, failPendingDeliveries } from "#webhooks/fail-pending.ts";
import { memoryLog } from "../log.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { deliveryRow, makeDeliveries, makeEndpoint } from "../store/endpoints.ts";
import { makeAccount, now } from "../store/rows.ts";

let store: Store;
before(async () => {
  store = await openStore("sqlite");
});
after(() => store.close());

async function endpoint(count: number, active: 0 | 1) {
  const accountId = await makeAccount(store.database);
  const id = await makeEndpoint(store.database, accountId);
  const events = await makeDeliveries(store, accountId, id, { count });
  if (active === 0)
    await store.database.run(changeEndpoint, {
      accountId,
      revision: null,
      id,
      at: now,
      change: { active: false },
    });
  return { id, events };
}

const waiting = async (id: string) =>
  (
    await store.query(
      "select event_id from webhook_deliveries where endpoint_id = ? and due_at is not null",
      id,
    )
  ).length;

const deps = () => ({ database: store.database, clock: movableClock(), log: memoryLog() });
const reason = async (id: string, event: string) =>
  JSON.parse((await deliveryRow(store, id, event)).log).at(-1).reason;

test("more than fit into one transaction, with the reason", async () => {
  const { id, events } = await endpoint(1200, 0);
  await failPendingDeliveries(deps(), id, "It answered 410 Gone.");
  assert.equal(await waiting(id), 0);
  assert.equal(await reason(id, events.at(-1)!), "The endpoint was disabled. It answered 410 Gone.");
});

test("an active endpoint's deliveries are left alone", async () => {
  const { id } = await endpoint(2, 1);
  await failPendingDeliveries(deps(), id, null);
  assert.equal(await waiting(id), 2);
});

test("what was forgotten is found, wherever it is", async () => {
  const [one, two, active] = [await endpoint(2, 0), await endpoint(1, 0), await endpoint(1, 1)];
  await failAbandonedDeliveries(deps());
  assert.deepEqual([await waiting(one.id), await waiting(two.id), await waiting(active.id)], [0, 0, 1]);
  assert.equal(await reason(one.id, one.events[0]!), "The endpoint was switched off.");
});
