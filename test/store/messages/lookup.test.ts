// Reading messages back: always one account's, paged stably.

import assert from "node:assert/strict";
import test from "node:test";
import type { Channel, Status } from "#contract/messages/channel.ts";
import type { Database } from "#store/database.ts";
import { storeSends } from "#store/messages/insert.ts";
import { countByStatus, findMessage, type RecentMessages, recentMessages } from "#store/messages/lookup.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, makeMessages, makeSending, now, sendOf, settle } from "../rows.ts";

async function pages(database: Database, accountId: string, limit: number, status: Status | null = null) {
  const ids: string[] = [];
  for (let before: string | null = null; ; ) {
    const { rows, more }: RecentMessages = await database.run(recentMessages, {
      accountId,
      channel: "sms" as const,
      status,
      before,
      limit,
    });
    ids.push(...rows.map(({ id }) => id));
    assert.ok(rows.length === limit || !more);
    if (!more) return ids;
    before = ids.at(-1)!;
  }
}

onBothEngines((open) => {
  test("a message comes with its gateway's identifier and its timeline in order", async () => {
    const store = open();
    const sending = await makeSending(store);
    await settle(store, sending, "accepted", { details: { reference: "ref-1" } });
    const found = await store.database.run(findMessage, { ...sending, channel: "sms" });
    assert.equal(found?.message.identifier, `identifier-${sending.gatewayId}`);
    assert.equal(found?.message.status, "sent");
    assert.deepEqual(
      found?.events.map(({ seq, type, at }) => [seq, type, at]),
      [
        [1, "sending", now],
        [2, "sent", now + 10],
      ],
    );
  });

  test("another account's message, another channel's and an unknown one are all null", async () => {
    const { database } = open();
    const { accountId, ids } = await makeMessages(database);
    const id = ids[0]!;
    const otherAccount = await makeAccount(database);
    const find = (account: string, channel: Channel | null, which: string) =>
      database.run(findMessage, { accountId: account, channel, id: which });
    assert.equal((await find(accountId, "sms", id))?.message.id, id);
    assert.equal((await find(accountId, null, id))?.message.id, id, "of any channel");
    assert.equal(await find(otherAccount, "sms", id), null);
    assert.equal(await find(otherAccount, null, id), null);
    assert.equal(await find(accountId, "email", id), null);
    assert.equal(await find(accountId, "sms", `${id}0`), null);
  });

  test("pages go from new to old, each message once, though all came at the same time", async () => {
    const { database } = open();
    const { accountId, gatewayId, ids } = await makeMessages(database, { count: 23 });
    for (const limit of [1, 5, 23, 24]) {
      assert.deepEqual(await pages(database, accountId, limit), ids.toReversed());
    }
    // What arrives while a client pages does not shift the pages behind.
    const first = await database.run(recentMessages, {
      accountId,
      channel: "sms",
      status: null,
      before: null,
      limit: 10,
    });
    await database.run(storeSends, sendOf(accountId, gatewayId, { count: 4 }));
    const second = await database.run(recentMessages, {
      accountId,
      channel: "sms",
      status: null,
      before: first.rows.at(-1)!.id,
      limit: 100,
    });
    assert.deepEqual(
      [...first.rows, ...second.rows].map(({ id }) => id),
      ids.toReversed(),
    );
  });

  test("a page holds one status, one account and one channel", async () => {
    const store = open();
    const { database } = store;
    const { accountId, gatewayId, ids } = await makeMessages(database, { count: 6 });
    await makeMessages(database, { count: 3 });
    const email = await makeGateway(database, accountId, { channel: "email" });
    await database.run(storeSends, sendOf(accountId, email, { channel: "email", count: 2 }));
    await database.run(
      storeSends,
      sendOf(accountId, gatewayId, { count: 2, each: { status: "scheduled", due_at: now + 1 } }),
    );
    await store.query("update messages set status = 'failed' where id in (?, ?)", ids[1]!, ids[4]!);
    assert.deepEqual(await pages(database, accountId, 1, "failed"), [ids[4], ids[1]]);
    assert.equal((await pages(database, accountId, 50, "scheduled")).length, 2);
    assert.deepEqual(await pages(database, accountId, 50, "delivered"), []);
    assert.equal((await pages(database, accountId, 3)).length, 8);
    const counts = await database.run(countByStatus, accountId);
    assert.deepEqual(counts.map(({ channel, status, count }) => `${channel} ${status} ${count}`).sort(), [
      "email queued 2",
      "sms failed 2",
      "sms queued 4",
      "sms scheduled 2",
    ]);
  });
});
