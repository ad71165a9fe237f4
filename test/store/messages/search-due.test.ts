// The messages that wait, in the order in which they are due: for every query, look after look finds exactly what a
// plain reading of all rows finds.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "#contract/messages/channel.ts";
import { storeSends } from "#store/messages/insert.ts";
import { type SearchDueInput, searchDue } from "#store/messages/search-due.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { makeAccount, makeGateway, now, seeded, sendOf } from "../rows.ts";

interface Plain {
  id: string;
  due_at: number | null;
  status: Status;
  gateway_id: string;
}

async function findAll(store: Store, input: SearchDueInput): Promise<string[]> {
  const ids: string[] = [];
  let { after } = input;
  for (let looks = 0; looks < 1000; looks++) {
    const { rows, lookedTo } = await store.database.run(searchDue, { ...input, after });
    ids.push(...rows.map(({ id }) => id));
    if (lookedTo === null) return ids;
    after = lookedTo;
  }
  assert.fail("a look that gets no further");
}

onBothEngines((open) => {
  test("any filters, any sizes: what is found is what a plain reading finds, in its order", async () => {
    const store = open();
    const random = seeded(5);
    const accountId = await makeAccount(store.database);
    const otherAccount = await makeAccount(store.database);
    const gateways = [
      await makeGateway(store.database, accountId),
      await makeGateway(store.database, accountId),
    ];
    const foreign = await makeGateway(store.database, otherAccount);
    for (let i = 0; i < 60; i++) {
      await store.database.run(storeSends, sendOf(accountId, gateways[random(2)] ?? "", { at: now + i }));
      await store.database.run(storeSends, sendOf(otherAccount, foreign, {}));
    }
    await store.query("update messages set priority = 2 where substr(id, -1) in ('1', '5')");
    await store.query("update messages set status = 'scheduled' where substr(id, -1) in ('2', '5', '7')");
    await store.query("update messages set due_at = due_at + 7 where substr(id, -1) in ('3', '5')");
    await store.query(
      "update messages set status = 'delivered', due_at = null where substr(id, -1) in ('4')",
    );
    const rows = await store.query<Plain>(
      "select id, due_at, status, gateway_id from messages where account_id = ? and due_at is not null order by due_at, id",
      accountId,
    );
    assert.ok(rows.length > 40);
    for (let round = 0; round < 40; round++) {
      const input: SearchDueInput = {
        accountId,
        channels: ["sms"],
        statuses: random(2) ? null : ["scheduled"],
        gatewayId: random(2) ? null : (gateways[random(2)] ?? null),
        requestId: null,
        test: null,
        from: random(3) ? 0 : now + random(60),
        before: random(3) ? Number.MAX_SAFE_INTEGER : now + random(60),
        after: null,
        priorities: [0, 1, 2],
        limit: 1 + random(12),
        maxScanned: 1 + random(15),
      };
      const expected = rows.filter(
        (row) =>
          (input.statuses?.includes(row.status) ?? true) &&
          (input.gatewayId === null || row.gateway_id === input.gatewayId) &&
          Number(row.due_at) >= input.from &&
          Number(row.due_at) < input.before,
      );
      assert.deepEqual(
        await findAll(store, input),
        expected.map(({ id }) => id),
        JSON.stringify(input),
      );
    }
    const none = { accountId: otherAccount, gatewayId: gateways[0] ?? "", channels: ["sms" as const] };
    const ofOther = await store.database.run(searchDue, {
      ...none,
      statuses: null,
      requestId: null,
      test: null,
      from: 0,
      before: Number.MAX_SAFE_INTEGER,
      after: null,
      priorities: [0, 1, 2],
      limit: 10,
      maxScanned: 10,
    });
    assert.deepEqual(ofOther, { rows: [], lookedTo: null }, "another account's gateway names nothing");
  });
});
