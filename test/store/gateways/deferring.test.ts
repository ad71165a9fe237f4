// A gateway that defers everything: from five minutes on, unless something was accepted since or it is paused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseByOperator, readGateways } from "#store/gateways/actions.ts";
import { storeSends } from "#store/messages/insert.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, now, sendOf } from "../rows.ts";

const minute = 60_000;

onBothEngines((open) => {
  test("messages that have been deferred for five minutes, on the lane's clock", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const id = await makeGateway(store.database, accountId);
    await store.database.run(storeSends, sendOf(accountId, id, { count: 3, cost: 0 }));
    const deferring = async (at: number) => {
      const input = { accountId, identifier: null, priorities: [0, 1, 2], now: at, countTo: 10 };
      return (await store.database.run(readGateways, input))[0]?.deferring ?? null;
    };
    assert.equal(await deferring(now + 9 * minute), null, "none was attempted");
    const change = `due_at = ${now + 10 * minute}, error_message = 'slow down'`;
    await store.query(`update messages set first_deferred_at = ${now}, ${change} where gateway_id = ?`, id);
    assert.equal(await deferring(now + 5 * minute - 1), null);
    assert.deepEqual(await deferring(now + 5 * minute), {
      since: now,
      count: 3,
      more: false,
      nextAt: now + 10 * minute,
      reason: "slow down",
    });
    await store.query(`update lanes set paused_ms = ${minute} where id = ?`, id);
    assert.equal(await deferring(now + 5 * minute), null, "a minute of these was a pause");
    assert.equal((await deferring(now + 6 * minute))?.since, now + minute);
    const own = { accountId, identifier: `identifier-${id}`, at: now, reason: "", by: null };
    await store.database.run(pauseByOperator, own);
    assert.equal(await deferring(now + 6 * minute), null, "it is stopped");
  });
});
