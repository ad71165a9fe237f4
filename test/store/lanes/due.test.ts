// What waits on many lanes, found by one query; and what was left sending on lanes that were just taken.

import assert from "node:assert/strict";
import test from "node:test";
import { SqliteConnection, sqliteTx } from "#store/engine/sqlite/connection.ts";
import { findLanesToRecover, readDueLanes } from "#store/lanes/due.ts";
import { storeSends } from "#store/messages/insert.ts";
import { onBothEngines, openStore, type Store } from "../conformance.ts";
import { makeDeliveries, makeEndpoint } from "../endpoints.ts";
import { claim, makeAccount, makeGateway, makeSending, now, sendOf } from "../rows.ts";

const priorities = [0, 1, 2];

async function dueOf(store: Store, until: number, ids: readonly string[]) {
  const rows = await store.database.run(readDueLanes, { priorities, until });
  return ids.map((id) => rows.find((row) => row.id === id)?.dueAt ?? null);
}

onBothEngines((open) => {
  test("each lane on which something is due is named once, with its earliest instant of all priorities", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const [first, second, idle] = [
      await makeGateway(store.database, accountId),
      await makeGateway(store.database, accountId),
      await makeGateway(store.database, accountId),
    ];
    const endpoint = await makeEndpoint(store.database, accountId);
    const send = (gateway: string, priority: number, dueAt: number) =>
      store.database.run(
        storeSends,
        sendOf(accountId, gateway, { count: 3, priority, each: { due_at: dueAt } }),
      );
    await send(first, 2, now - 9);
    await send(first, 0, now - 5);
    await send(second, 1, now + 50);
    await makeDeliveries(store, accountId, endpoint, { count: 2, at: now - 3 });
    const all = [first, second, idle, endpoint];
    assert.deepEqual(await dueOf(store, now, all), [now - 9, null, null, now - 3]);
    assert.deepEqual(await dueOf(store, now + 50, all), [now - 9, now + 50, null, now - 3]);
    const rows = await store.database.run(readDueLanes, { priorities, until: now + 50 });
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length, "no lane twice");
    // What is on its way, cancelled or done waits no more.
    await store.query("update messages set due_at = null where gateway_id = ? and priority = 2", first);
    assert.deepEqual(await dueOf(store, now, all), [now - 5, null, null, now - 3]);
  });

  test("of lanes that were taken, those are named on which messages were left sending", async () => {
    const store = open();
    const left = await makeSending(store);
    const other = await makeSending(store);
    const clean = await makeGateway(store.database, left.accountId);
    await claim(store, left.gatewayId, "prc_2");
    assert.deepEqual(await store.database.run(findLanesToRecover, [left.gatewayId, clean]), [left.gatewayId]);
    assert.deepEqual(await store.database.run(findLanesToRecover, [clean]), [], "not asked about the others");
    assert.deepEqual(
      (await store.database.run(findLanesToRecover, [other.gatewayId, left.gatewayId])).sort(),
      [left.gatewayId, other.gatewayId].sort(),
    );
    assert.deepEqual(await store.database.run(findLanesToRecover, []), []);
  });
});

test("on SQLite the look steps along the index of what waits, also with statistics from a small table", async () => {
  const store = await openStore("sqlite");
  const accountId = await makeAccount(store.database);
  await store.database.run(storeSends, sendOf(accountId, await makeGateway(store.database, accountId)));
  await store.query("analyze");
  const connection = new SqliteConnection(store.place, "read");
  const plans: string[] = [];
  const prepare = connection.statement.bind(connection);
  connection.statement = (text: string) => {
    const values = Array.from(text.matchAll(/\?/g), () => null);
    const steps = connection.raw.prepare(`explain query plan ${text}`).all(...values);
    plans.push(steps.map(({ detail }) => String(detail)).join("\n"));
    return prepare(text);
  };
  await readDueLanes.run(sqliteTx(connection), { priorities, until: now });
  connection.close();
  await store.close();
  assert.equal(plans.length, 3);
  for (const plan of plans) {
    assert.doesNotMatch(plan, /temp b-tree/i);
    for (const line of plan.split("\n").filter((step) => /\b(messages|webhook_deliveries)\b/.test(step)))
      assert.match(line, /USING COVERING INDEX (messages|webhook_deliveries)_due/, line);
  }
});
