// Deliveries among very many: a page is bounded, says where it ended, and the pages together find everything.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { DeliveryCursor, DeliveryFilter } from "#store/webhooks/delivery-log.ts";
import { searchDeliveries } from "#webhooks/search.ts";
import { openStore, type Store } from "../store/conformance.ts";
import { makeEndpoint } from "../store/endpoints.ts";
import { makeAccount, now } from "../store/rows.ts";

const count = 60_000;
let store: Store;
let endpoint: { accountId: string; endpointId: string };
before(async () => {
  store = await openStore("sqlite");
  const accountId = await makeAccount(store.database);
  endpoint = { accountId, endpointId: await makeEndpoint(store.database, accountId) };
  const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`;
  const type = "case when i in (3, 59990) then 'credit.low' else 'message.sent' end";
  await store.query(
    `insert into webhook_events (id, account_id, type, at, body)
     ${numbers} select 'evt_' || i, '${accountId}', ${type}, ${now} + i, '{}' from n`,
  );
  await store.query(
    `insert into webhook_deliveries
       (endpoint_id, event_id, account_id, type, priority, status, attempts, log, created_at, updated_at)
     ${numbers} select '${endpoint.endpointId}', 'evt_' || i, '${accountId}', ${type}, 0, 'delivered', 1, '[]', ${now} + i, 0 from n`,
  );
});
after(() => store.close());

async function pages(filter: DeliveryFilter, limit: number): Promise<string[][]> {
  const found: string[][] = [];
  let before: DeliveryCursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof searchDeliveries>> = await searchDeliveries(
      store.database,
      endpoint,
      filter,
      { limit, before },
    );
    assert.ok(page);
    found.push(page.rows.map(({ event_id }) => event_id));
    before = page.next;
  } while (before !== null && found.length < 5);
  return found;
}

test("a page reads 50,000 deliveries at most, and the next one goes on from there", async () => {
  assert.deepEqual(await pages({ type: "credit.low" }, 10), [["evt_59990"], ["evt_3"]]);
  assert.deepEqual(await pages({ type: "credit.low" }, 1), [["evt_59990"], ["evt_3"]]);
  assert.deepEqual(await pages({ status: "failed" }, 10), [[], []]);
});

test("a range of time ends the search, and an end that is reached has no next page", async () => {
  assert.deepEqual(await pages({ type: "credit.low", from: now + 59_000 }, 10), [["evt_59990"]]);
  assert.deepEqual(await pages({ from: now + 10, to: now + 14 }, 2), [
    ["evt_13", "evt_12"],
    ["evt_11", "evt_10"],
  ]);
  const whose = { ...endpoint, accountId: "acc_other" };
  assert.equal(await searchDeliveries(store.database, whose, {}, { limit: 1, before: null }), null);
});
