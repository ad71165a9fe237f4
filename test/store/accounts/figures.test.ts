// A list's figures: each account has its own day and only what is its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAccountFigures } from "#store/accounts/figures.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, makeMessages, now } from "../rows.ts";

const dayMs = 86_400_000;

onBothEngines((open) => {
  test("figures are of the account's own day, over all its gateways, tests beside the others, with what is held", async () => {
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
    const real = await makeGateway(store.database, a, { kind: "http-api" });
    const box = await makeGateway(store.database, a, { kind: "sandbox" });
    await store.query(
      "insert into deleted_gateways (id, account_id, identifier, channel, kind, deleted_at) values ('gw_gone', ?, 'gone', 'sms', 'sandbox', 1)",
      a,
    );
    await count(a, now, real, 5, 2);
    await count(a, now, "gw_forgotten", 7, 0);
    await count(a, now, box, 30, 3);
    await count(a, now, "gw_gone", 60, 0);
    await count(a, now - dayMs, "gw_1", 100, 100);
    await count(b, now - 3_600_000, "gw_3", 1, 0);
    await store.query("update messages set due_at = null, held_due_at = 1 where id = ?", ids[0]!);
    const read = (accounts: { accountId: string; dayAt: number }[]) =>
      store.database.run(readAccountFigures, { accounts, testKinds: ["sandbox"] });
    const none = { accepted: 0, failed: 0 };
    assert.deepEqual(
      await read([
        { accountId: b, dayAt: now - 3_600_000 },
        { accountId: a, dayAt: now },
        { accountId: "acc_none", dayAt: now },
      ]),
      [
        { accountId: b, real: { accepted: 1, failed: 3 }, tests: none, held: 1 },
        {
          accountId: a,
          real: { accepted: 12, failed: 8 },
          tests: { accepted: 90, failed: 9 },
          held: 0,
        },
        { accountId: "acc_none", real: none, tests: none, held: 0 },
      ],
    );
    assert.deepEqual(await read([]), []);
  });
});
