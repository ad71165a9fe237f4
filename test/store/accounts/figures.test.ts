// A list's figures: each account has its own day and only what is its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAccountFigures } from "#store/accounts/figures.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeMessages, now } from "../rows.ts";

const dayMs = 86_400_000;

onBothEngines((open) => {
  test("figures are of the account's own day, over all its gateways, with what is held", async () => {
    const store = open();
    const a = await makeAccount(store.database);
    const { accountId: b, ids } = await makeMessages(store.database);
    const count = (account: string, at: number, gateway: string, accepted: number, failed: number) =>
      store.query(
        `insert into message_counts (account_id, step, at, gateway_id, channel, accepted, sent, delivered, read, undelivered,
           failed, bounced, expired, cancelled, suppressed, unknown, waits, deliveries)
         values (?, 'day', ?, ?, 'sms', ?, 0, 0, 0, 1, ?, 1, 1, 0, 0, 0, '{}', '{}')`,
        account,
        at,
        gateway,
        accepted,
        failed,
      );
    await count(a, now, "gw_1", 5, 2);
    await count(a, now, "gw_2", 7, 0);
    await count(a, now - dayMs, "gw_1", 100, 100);
    await count(b, now - 3_600_000, "gw_3", 1, 0);
    await store.query("update messages set due_at = null, held_due_at = 1 where id = ?", ids[0]!);
    const figures = await store.database.run(readAccountFigures, [
      { accountId: b, dayAt: now - 3_600_000 },
      { accountId: a, dayAt: now },
      { accountId: "acc_none", dayAt: now },
    ]);
    assert.deepEqual(figures, [
      { accountId: b, accepted: 1, failed: 3, held: 1 },
      { accountId: a, accepted: 12, failed: 8, held: 0 },
      { accountId: "acc_none", accepted: 0, failed: 0, held: 0 },
    ]);
    assert.deepEqual(await store.database.run(readAccountFigures, []), []);
  });
});
