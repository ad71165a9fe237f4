// What comes up and must not go out: suppressed recipients, and what is too late. Nothing of it is ever stamped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { beginAttempts } from "#store/messages/attempts.ts";
import { onBothEngines } from "../conformance.ts";
import { claim, makeAccount, makeMessages, messageRow, now, timeline } from "../rows.ts";

onBothEngines((open) => {
  const suppress = (accountId: string, channel: string, recipient: string) =>
    open().query(
      "insert into suppressions (account_id, channel, recipient, reason, note, created_at) values (?, ?, ?, 'manual', null, 1)",
      accountId,
      channel,
      recipient,
    );

  const stamped = async (gatewayId: string, fence: number, ids: string[], lateBefore = 0) => {
    const stamp = { laneId: gatewayId, fence, ids, at: now + 9, lateBefore, day: null };
    const result = await open().database.run(beginAttempts, stamp);
    assert.ok(result.kind === "begun");
    return [...result.attempts.keys()];
  };

  test("a suppressed recipient gets nothing, and what it cost comes back once", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 3 });
    const fence = await claim(store, gatewayId);
    await suppress(accountId, "sms", "+15550001");
    assert.deepEqual(await stamped(gatewayId, fence, ids), [ids[0], ids[2]]);
    const row = await messageRow(store, ids[1]!);
    assert.equal(row.status, "suppressed");
    assert.equal(row.due_at, null);
    assert.equal(row.error_code, "suppressed");
    assert.equal(row.attempts, 0);
    assert.deepEqual(await timeline(store, ids[1]!), ["suppressed"]);
    assert.deepEqual(await stamped(gatewayId, fence, [ids[1]!]), []);
    const [credit] = await store.query<{ remaining: number }>(
      "select remaining from credits where account_id = ?",
      accountId,
    );
    assert.equal(Number(credit!.remaining), 998);
  });

  test("another account's list, and another channel's, stop nothing", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 1 });
    const fence = await claim(store, gatewayId);
    await suppress(accountId, "whatsapp", "+15550000");
    await suppress(await makeAccount(store.database), "sms", "+15550000");
    assert.deepEqual(await stamped(gatewayId, fence, ids), ids);
  });

  test("what was due before the window is expired, what was due in it goes out", async () => {
    const store = open();
    const { gatewayId, ids } = await makeMessages(store.database, { count: 2 });
    const fence = await claim(store, gatewayId);
    await store.query("update messages set due_at = ? where id = ?", now - 1, ids[0]!);
    assert.deepEqual(await stamped(gatewayId, fence, ids, now), [ids[1]]);
    const row = await messageRow(store, ids[0]!);
    assert.equal(row.status, "expired");
    assert.equal(row.error_code, "too_late");
    assert.equal(row.due_at, null);
  });

  test("what was cancelled or moved meanwhile is left as it is", async () => {
    const store = open();
    const { accountId, gatewayId, ids } = await makeMessages(store.database, { count: 2 });
    const fence = await claim(store, gatewayId);
    await suppress(accountId, "sms", "+15550000");
    await store.query("update messages set status = 'cancelled', due_at = null where id = ?", ids[0]!);
    await store.query("update messages set gateway_id = 'gw_elsewhere' where id = ?", ids[1]!);
    assert.deepEqual(await stamped(gatewayId, fence, ids), []);
    assert.equal((await messageRow(store, ids[0]!)).status, "cancelled");
    assert.equal((await messageRow(store, ids[1]!)).status, "queued");
  });
});
