// What became too late where no process sends, and what is only kept for a while.

import assert from "node:assert/strict";
import test from "node:test";
import {
  deleteExpiredSessions,
  deleteIdempotencyKeys,
  expireOverdue,
  findOverdueLanes,
} from "#store/maintenance/overdue.ts";
import { storeSends } from "#store/messages/insert.ts";
import { onBothEngines } from "../conformance.ts";
import { claim, makeMessages, messageRow, now, remaining, sendOf, stamp, timeline } from "../rows.ts";

const priorities = [0, 1, 2];
const day = 86_400_000;

onBothEngines((open) => {
  test("waiting messages that were due before the account's window are found in every priority, and expire in batches", async () => {
    const store = open();
    const { database } = store;
    const { accountId, gatewayId, ids } = await makeMessages(database, { count: 3 });
    for (const priority of [1, 2])
      await database.run(
        storeSends,
        sendOf(accountId, gatewayId, { count: 2, priority, each: { status: "scheduled" } }),
      );
    await database.run(storeSends, sendOf(accountId, gatewayId, { each: { due_at: now + day } }));
    const fence = await claim(store, gatewayId);
    await stamp(database, gatewayId, fence, [ids[0]!]);
    assert.deepEqual(
      await database.run(findOverdueLanes, { priorities, now: now + 3 * day }),
      [],
      "late, and not too late",
    );
    const at = now + 3 * day + 1;
    const found = await database.run(findOverdueLanes, { priorities, now: at });
    assert.deepEqual(found, [{ laneId: gatewayId, lateBefore: now + 1 }]);
    const expire = () => database.run(expireOverdue, { ...found[0]!, priorities, at, limit: 4 });
    assert.deepEqual([await expire(), await expire(), await expire()], [4, 2, 0]);
    assert.equal((await messageRow(store, ids[0]!)).status, "sending", "what is under way is not touched");
    const row = await messageRow(store, ids[1]!);
    assert.deepEqual(
      [row.status, row.error_code, row.due_at, row.refunded],
      ["expired", "too_late", null, 1],
    );
    assert.deepEqual(await timeline(store, ids[1]!), ["expired"]);
    // Eight were paid for, six came back.
    assert.equal(await remaining(store, accountId), 998);
    assert.deepEqual(await database.run(findOverdueLanes, { priorities, now: at }), []);
  });

  test("repeatable requests are forgotten by their age, in batches", async () => {
    const store = open();
    for (let i = 0; i < 5; i++)
      await store.query(
        `insert into idempotency_keys (account_id, path, key, fingerprint, request_id, first_id, last_id, created_at)
         values ('acc_0', '/p', ?, 'f', 'req_0', 'a', 'b', ?)`,
        `k${i}`,
        100 + i,
      );
    const forget = () => store.database.run(deleteIdempotencyKeys, { before: 103, limit: 2 });
    assert.deepEqual([await forget(), await forget(), await forget()], [2, 1, 0]);
    const left = await store.query<{ key: string }>("select key from idempotency_keys order by key");
    assert.deepEqual(
      left.map(({ key }) => key),
      ["k3", "k4"],
    );
  });

  test("sessions and set-up codes end at their time", async () => {
    const store = open();
    await store.query(
      "insert into users (id, email, name, role, password, active, created_at, updated_at) values ('usr_1', 'a@b', '', 'operator', '', 1, 1, 1)",
    );
    for (const at of [10, 20]) {
      await store.query(
        "insert into sessions (hash, user_id, created_at, seen_at, expires_at) values (?, 'usr_1', 1, 1, ?)",
        `s${at}`,
        at,
      );
      await store.query(
        "insert into setup_codes (hash, created_at, expires_at) values (?, 1, ?)",
        `c${at}`,
        at,
      );
    }
    await store.database.run(deleteExpiredSessions, 10);
    const left = await store.query<{ hash: string }>(
      "select hash from sessions union all select hash from setup_codes order by hash",
    );
    assert.deepEqual(
      left.map(({ hash }) => hash),
      ["c20", "s20"],
    );
  });
});
