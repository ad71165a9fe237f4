// What waits for an endpoint's next attempt: counted with the latest attempt, and made due, on both engines.

import assert from "node:assert/strict";
import { test } from "node:test";
import { changeEndpoint } from "#store/webhooks/endpoints.ts";
import { readRetries, retryNow } from "#store/webhooks/retries.ts";
import { onBothEngines } from "../conformance.ts";
import { deliveryRow, failed, makeDeliveries, makeEndpoint, settleOne } from "../endpoints.ts";
import { makeAccount, now } from "../rows.ts";

onBothEngines((open) => {
  test("only deliveries with a later attempt wait; the earliest is made due first and keeps its attempts", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const endpointId = await makeEndpoint(store.database, accountId);
    const input = { accountId, endpointId, priorities: [0, 1, 2], now: now + 1_000 };
    const [ended = "", due = ""] = await makeDeliveries(store, accountId, endpointId, { count: 2 });
    await settleOne(store, endpointId, ended, { outcome: failed(null) });
    const none = { count: 0, more: false, nextAt: null };
    const read = async () => {
      const { lastTry, ...counted } = (await store.database.run(readRetries, input))!;
      return [counted, lastTry?.at];
    };
    assert.deepEqual(await read(), [none, now + 10]);
    const bulk = await makeDeliveries(store, accountId, endpointId, { count: 2, priority: 2 });
    const [first = ""] = await makeDeliveries(store, accountId, endpointId);
    for (const [event, wait] of [
      [bulk[0], 9_000],
      [bulk[1], 8_000],
      [first, 9_500],
    ] as const)
      await settleOne(store, endpointId, event ?? "", { at: now + 500, outcome: failed(now + wait) });
    assert.deepEqual(await read(), [{ count: 3, more: false, nextAt: now + 8_000 }, now + 500]);
    const retry = (limit: number) => store.database.run(retryNow, { ...input, limit });
    assert.deepEqual(await retry(2), { kind: "retried", count: 2, more: true });
    const rows = await Promise.all(
      [first, bulk[1], bulk[0], due].map((id) => deliveryRow(store, endpointId, id ?? "")),
    );
    assert.deepEqual(
      rows.map(({ due_at, attempts }) => [due_at, attempts]),
      [
        [now + 1_000, 1],
        [now + 1_000, 1],
        [now + 9_000, 1],
        [now, 0],
      ],
    );
    assert.deepEqual(await retry(1), { kind: "retried", count: 1, more: false });
    assert.deepEqual(await retry(1), { kind: "retried", count: 0, more: false });
    const other = await makeAccount(store.database);
    assert.equal(await store.database.run(readRetries, { ...input, accountId: other }), null);
    assert.deepEqual(await store.database.run(retryNow, { ...input, accountId: other, limit: 1 }), {
      kind: "not_found",
    });
    const change = { active: false };
    await store.database.run(changeEndpoint, { accountId, revision: null, id: endpointId, at: now, change });
    assert.deepEqual(await retry(1), { kind: "inactive" });
  });
});
