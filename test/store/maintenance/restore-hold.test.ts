// The hold: what is pending waits, and only the operator's word ends it, either way, exactly once. Each case has
// a database of its own, because a hold is of all of it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countWaiting } from "#store/lanes/lanes.ts";
import { expireOverdue, findOverdueLanes } from "#store/maintenance/overdue.ts";
import {
  cancelHeld,
  deleteEmptyRestoreHold,
  holdPending,
  type RestoreHold,
  readRestoreHold,
  releaseHeld,
} from "#store/maintenance/restore-hold.ts";
import { beginAttempts, nextDue, readDue } from "#store/messages/attempts.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage, moveToDefault } from "#store/messages/move.ts";
import { onChanges } from "../../changes.ts";
import { engines, openStore, type Store } from "../conformance.ts";
import {
  claim,
  columnsOf,
  makeGateway,
  makeMessages,
  messageRow,
  now,
  remaining,
  sendOf,
  stamp,
  timeline,
} from "../rows.ts";

const detail = "By the operator.";

async function hold(store: Store, limit = 1000): Promise<RestoreHold | null> {
  for (let steps = 0; !(await store.database.run(holdPending, { at: now + 10, limit })); steps++)
    assert.ok(steps < 100);
  return await store.database.run(readRestoreHold, null);
}

/** Ends the hold; how many steps did something, and the sums. */
async function end(store: Store, operation: typeof releaseHeld, limit = 1000) {
  const sum = { messages: 0, deliveries: 0, events: 0 };
  const lanes = new Set<string>();
  const stop = onChanges(store.database, { due: (lane) => void lanes.add(lane) });
  for (let steps = 1; ; steps++) {
    const step = await store.database.run(operation, { at: now + 20, limit, detail });
    for (const kind of ["messages", "deliveries", "events"] as const) {
      assert.ok(step[kind] <= limit);
      sum[kind] += step[kind];
    }
    if (step.done) stop();
    if (step.done) return { ...sum, lanes: [...lanes].sort(), steps };
    assert.ok(steps < 100);
  }
}

async function addWebhooks(store: Store, accountId: string): Promise<void> {
  const endpoint = `insert into webhook_endpoints (id, account_id, url, url_hash, events, active, secret, created_at, updated_at)
    values ('whe_1', ?, 'https://hook.test/', 'hash', '["*"]', 1, 'sealed', 1, 1)`;
  await store.query(endpoint, accountId);
  const delivery = (event: string, due: number | null, status: string) =>
    store.query(
      `insert into webhook_deliveries (endpoint_id, event_id, account_id, type, priority, due_at, status, attempts, log, created_at, updated_at)
       values ('whe_1', ?, ?, 'message.sent', 0, ?, ?, 1, '[]', 1, 1)`,
      event,
      accountId,
      due,
      status,
    );
  await delivery("evt_1", now, "pending");
  await delivery("evt_2", now + 60_000, "pending");
  await delivery("evt_3", null, "delivered");
  await store.query(
    `insert into outbox (id, account_id, type, at, message_id, priority, data) values ('evt_9', ?, 'credit.low', 1, null, 0, '{}')`,
    accountId,
  );
}

const deliveries = (store: Store) =>
  store.query<{
    event_id: string;
    status: string;
    due_at: number | null;
    held_due_at: number | null;
    log: string;
  }>("select event_id, status, due_at, held_due_at, log from webhook_deliveries order by event_id");

const count = async (store: Store, from: string) =>
  Number((await store.query<{ n: number }>(`select count(*) as n from ${from}`))[0]!.n);

for (const engine of engines) {
  const story = (name: string, body: (store: Store) => Promise<void>) =>
    test(name, async () => {
      const store = await openStore(engine);
      try {
        await body(store);
      } finally {
        await store.close();
      }
    });

  describe(engine, () => {
    story(
      "what is pending is held, what was on its way is in doubt, and the living are forgotten",
      async (store) => {
        const { database } = store;
        const { accountId, gatewayId, ids } = await makeMessages(database, { count: 5 });
        const fence = await claim(store, gatewayId);
        await stamp(database, gatewayId, fence, [ids[0]!]);
        await addWebhooks(store, accountId);
        await store.query("insert into processes (id, heartbeat, started_at) values ('prc_1', 1, 1)");
        await store.query("insert into setup_codes (hash, created_at, expires_at) values ('h', 1, 2)");
        // The endpoint asks for everything, so the request's own note is one as well as the doubt.
        const noted = await count(store, "outbox");

        const held = await hold(store, 2);
        assert.deepEqual(held, { at: now + 10, messages: 4, deliveries: 2, events: noted + 1 });
        const doubted = await messageRow(store, ids[0]!);
        assert.deepEqual(
          [doubted.status, doubted.error_code, doubted.version, doubted.held_due_at, doubted.refunded],
          ["unknown", "restored", 2, null, 0],
        );
        assert.deepEqual(await timeline(store, ids[0]!), ["sending", "unknown"]);
        const waiting = await messageRow(store, ids[1]!);
        assert.deepEqual([waiting.status, waiting.due_at, waiting.held_due_at], ["queued", null, now]);
        assert.equal(await count(store, "outbox"), 0);
        assert.equal(await count(store, "processes"), 0);
        assert.equal(await count(store, "setup_codes"), 0);
        const [lane] = await store.query<{ owner: string | null; fence: number }>(
          "select owner, fence from lanes where id = ?",
          gatewayId,
        );
        assert.deepEqual({ ...lane }, { owner: null, fence: fence + 1 });
        assert.deepEqual(await hold(store), held, "a second time it is the same");
      },
    );

    story("nothing of a held message moves, expires, counts or goes out", async (store) => {
      const { database } = store;
      const { accountId, gatewayId, ids } = await makeMessages(database, { count: 2 });
      await hold(store);
      const priorities = [0, 1, 2];
      const later = now + 10 ** 9;
      const due = { laneId: gatewayId, priority: 0, now: later, after: null, limit: 10 };
      assert.deepEqual(await database.run(readDue, due), []);
      assert.equal(await database.run(nextDue, { laneId: gatewayId, priorities, now: 0 }), null);
      const [load] = await database.run(countWaiting, { priorities, now: later });
      assert.equal(load?.waiting, 0);
      const fence = await claim(store, gatewayId);
      const asked = { laneId: gatewayId, fence, ids, at: later, lateBefore: 0, day: null };
      assert.deepEqual(await database.run(beginAttempts, asked), { kind: "begun", attempts: new Map() });
      const to = await makeGateway(database, accountId);
      assert.equal(
        await database.run(moveToDefault, {
          from: gatewayId,
          to,
          contents: ["text"],
          limit: 10,
          at: later,
          detail: "",
        }),
        0,
      );
      assert.deepEqual(await database.run(findOverdueLanes, { priorities, now: later }), []);
      const overdue = { laneId: gatewayId, lateBefore: later, priorities, at: later, limit: 10 };
      assert.equal(await database.run(expireOverdue, overdue), 0);
      assert.equal((await database.run(readRestoreHold, null))?.messages, 2);
    });

    story("released: everything is due when it was, once, in batches", async (store) => {
      const { database } = store;
      const { accountId, gatewayId, ids } = await makeMessages(database, {
        count: 5,
        each: { due_at: now + 77, status: "scheduled" },
      });
      await addWebhooks(store, accountId);
      const noted = await count(store, "outbox");
      await hold(store);
      assert.deepEqual(await end(store, releaseHeld, 2), {
        messages: 5,
        deliveries: 2,
        events: noted,
        lanes: [gatewayId, "whe_1"],
        steps: 3,
      });
      assert.equal(await database.run(readRestoreHold, null), null);
      for (const id of ids) {
        const row = await messageRow(store, id);
        assert.deepEqual([row.status, row.due_at, row.held_due_at], ["scheduled", now + 77, null]);
        assert.deepEqual(await timeline(store, id), ["scheduled"]);
      }
      assert.deepEqual(
        (await deliveries(store)).map(({ status, due_at, held_due_at }) => [status, due_at, held_due_at]),
        [
          ["pending", now, null],
          ["pending", now + 60_000, null],
          ["delivered", null, null],
        ],
      );
      assert.equal(await count(store, "outbox"), noted);
      assert.equal(await count(store, "outbox_held"), 0);
      const again = await end(store, releaseHeld);
      assert.deepEqual([again.messages, again.deliveries, again.events], [0, 0, 0]);
    });

    story("cancelled: credit comes back once, deliveries have failed and say why", async (store) => {
      const { database } = store;
      const { accountId, ids } = await makeMessages(database, { count: 3, each: { cost: 2 } });
      await addWebhooks(store, accountId);
      await store.query("delete from outbox where type = 'request'");
      await hold(store);
      assert.equal(await remaining(store, accountId), 994);
      const ended = await end(store, cancelHeld, 2);
      assert.deepEqual([ended.messages, ended.deliveries, ended.events], [3, 2, 1]);
      assert.equal(await remaining(store, accountId), 1000);
      for (const id of ids) assert.equal((await messageRow(store, id)).status, "cancelled");
      const rows = await deliveries(store);
      assert.deepEqual(
        rows.map(({ status, due_at, held_due_at }) => [status, due_at, held_due_at]),
        [
          ["failed", null, null],
          ["failed", null, null],
          ["delivered", null, null],
        ],
      );
      assert.equal(JSON.parse(rows[0]!.log)[0].reason, detail);
      assert.equal(await count(store, "outbox_held"), 0);
      // What is reported is what the cancelling did.
      assert.equal(await count(store, "outbox where type = 'message.cancelled'"), 3);
      assert.equal(await database.run(readRestoreHold, null), null);
    });

    story(
      "one held message is cancelled like any other; when none is left the hold can be forgotten",
      async (store) => {
        const { database } = store;
        const { accountId, ids } = await makeMessages(database, { count: 1 });
        await hold(store);
        await database.run(deleteEmptyRestoreHold, null);
        assert.equal((await database.run(readRestoreHold, null))?.messages, 1, "not while something is held");
        const details = { at: now + 30, detail: "" };
        const cancel = { accountId, channel: "sms" as const, id: ids[0]!, details };
        assert.deepEqual(await database.run(cancelMessage, cancel), { kind: "cancelled" });
        const row = await messageRow(store, ids[0]!);
        assert.deepEqual([row.status, row.held_due_at, row.due_at], ["cancelled", null, null]);
        assert.equal(await remaining(store, accountId), 1000);
        assert.equal((await database.run(readRestoreHold, null))?.messages, 0);
        await database.run(deleteEmptyRestoreHold, null);
        assert.equal(await database.run(readRestoreHold, null), null);
      },
    );

    story(
      "what is accepted during a hold is not held; two releases at once release each message once",
      async (store) => {
        const { database, other } = store;
        const { accountId, gatewayId, ids } = await makeMessages(database, { count: 40 });
        await hold(store);
        const send = sendOf(accountId, gatewayId, { count: 1 });
        await database.run(storeSends, send);
        const due = { laneId: gatewayId, priority: 0, now, after: null, limit: 10 };
        assert.deepEqual(
          (await database.run(readDue, due)).map(({ id }) => id),
          columnsOf(send.messages).id,
        );
        const [one, two] = await Promise.all([
          end(store, releaseHeld, 7),
          end({ ...store, database: other }, releaseHeld, 7),
        ]);
        assert.equal(one.messages + two.messages, 40);
        for (const id of ids) assert.equal((await timeline(store, id)).length, 1);
      },
    );

    story("a hold on an installation where nothing is pending is not stored", async (store) => {
      await makeMessages(store.database, { count: 1 });
      await store.query("update messages set status = 'sent', due_at = null");
      assert.equal(await hold(store), null);
    });
  });
}
