// The counts of an overview stop at their bound, and are the account's alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readOverview } from "#store/accounts/overview.ts";
import { storeSends } from "#store/messages/insert.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, makeMessages, now, sendOf } from "../rows.ts";

onBothEngines((open) => {
  test("counts by state, of the account alone, up to a bound", async () => {
    const store = open();
    const { database } = store;
    const account = await makeAccount(database);
    const gateway = await makeGateway(database, account);
    const input = {
      accountId: account,
      failedFrom: { at: 0, id: "msg_" },
      lateBefore: now + 1,
      priorities: [0, 1, 2],
      countTo: 3,
      lookTo: 10,
    };
    const none = { n: 0, more: false };
    const empty = await database.run(readOverview, input);
    assert.deepEqual(empty, {
      unknown: none,
      failed: none,
      isReal: true,
      held: 0,
      late: [],
      exists: { message: false, delivered: false, completion: false },
    });
    for (let i = 0; i < 5; i++) await database.run(storeSends, sendOf(account, gateway, {}));
    const { accountId: other } = await makeMessages(database);
    const waiting = await database.run(readOverview, input);
    assert.deepEqual(waiting.late, [{ gatewayId: gateway, count: 3, oldestDueAt: now }]);
    assert.deepEqual(waiting.exists, { message: true, delivered: false, completion: false });
    assert.deepEqual((await database.run(readOverview, { ...input, lateBefore: now })).late, []);
    await store.query(
      "update messages set status = 'unknown', due_at = null, held_due_at = ? where account_id = ?",
      now,
      account,
    );
    await store.query("update messages set status = 'delivered', due_at = null where account_id = ?", other);
    const unknown = await database.run(readOverview, { ...input, countTo: 10 });
    assert.deepEqual([unknown.unknown.n, unknown.failed, unknown.held], [5, none, 5]);
    // The two oldest of the five are tests, which are left out beside a real gateway.
    await store.query(
      "update messages set test = 1 where id in (select id from messages where account_id = ? order by id limit 2)",
      account,
    );
    const unknownOf = async (countTo: number, lookTo = 10) => {
      const { n, more } = (await database.run(readOverview, { ...input, countTo, lookTo })).unknown;
      return `${n}${more ? "+" : ""}`;
    };
    const bounds: [countTo: number, lookTo?: number][] = [[10], [3], [2], [10, 4], [10, 2]];
    assert.deepEqual(await Promise.all(bounds.map((of) => unknownOf(...of))), ["3", "3+", "2+", "3+", "2+"]);
    await store.query("update messages set test = 1 where account_id = ?", account);
    assert.equal(await unknownOf(10, 5), "0+", "only tests were read, and there may be more");
    await store.query("update gateways set test = 1 where id = ?", gateway);
    assert.deepEqual([await unknownOf(10), await unknownOf(4)], ["5", "4+"]);
    const theirs = await database.run(readOverview, { ...input, accountId: other });
    assert.deepEqual([theirs.unknown, theirs.held, theirs.exists.delivered], [none, 0, true]);
  });
});
