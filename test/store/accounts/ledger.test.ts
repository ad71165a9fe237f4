// The ledger: whatever moves a balance leaves an entry, and the entries sum up to the balance.

import assert from "node:assert/strict";
import { test } from "node:test";
import { becameLow, giveBack, renew, reserve } from "#store/accounts/ledger.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage } from "#store/messages/move.ts";
import type { CreditEntriesTable, CreditsTable } from "#store/schema/schema.ts";
import { onBothEngines } from "../conformance.ts";
import { makeAccount, makeGateway, now, sendOf } from "../rows.ts";

const balance = (change: Partial<CreditsTable> = {}): CreditsTable => ({
  account_id: "acc_1",
  channel: "sms",
  allowance: 100,
  remaining: 100,
  renews: "monthly",
  granted: 0,
  renewed_at: 1000,
  ...change,
});

test("a month's first use refills the balance, once", () => {
  const one = balance({ remaining: 3, granted: 7 });
  assert.equal(renew(one, 1000, 5000), null);
  assert.equal(renew(balance({ renews: null, renewed_at: 0 }), 1000, 5000), null);
  const entry = renew(one, 2000, 5000);
  assert.deepEqual(entry, {
    account_id: "acc_1",
    channel: "sms",
    kind: "renew",
    reference: "2000",
    at: 5000,
    amount: 97,
    remaining: 100,
    note: null,
  });
  assert.deepEqual([one.remaining, one.granted, one.renewed_at], [100, 0, 5000]);
  assert.equal(renew(one, 2000, 6000), null);
});

test("what comes back is what was taken, never more than a balance can hold, and only to the one it came from", () => {
  const message = (cost: number, acceptedAt = 1000) => ({ id: "msg_1", cost, acceptedAt });
  const one = balance();
  reserve(one, "req_1", 30, 1);
  assert.equal(giveBack(one, message(30), 2)?.amount, 30);
  const granted = balance({ remaining: 150, granted: 50 });
  reserve(granted, "req_1", 150, 1);
  assert.equal(giveBack(granted, message(150), 2)?.amount, 150);
  const shrunk = balance({ allowance: 10, remaining: 0 });
  assert.equal(giveBack(shrunk, message(30), 2)?.amount, 10);
  assert.equal(giveBack(shrunk, message(30), 2), null);
  // Accepted before it was renewed, or while the channel was unlimited.
  assert.equal(giveBack(balance({ remaining: 5 }), message(30, 999), 2), null);
});

test("a balance becomes low once on its way down", () => {
  assert.ok(!becameLow(100, balance({ remaining: 10 })));
  assert.ok(becameLow(10, balance({ remaining: 9 })));
  assert.ok(!becameLow(9, balance({ remaining: 8 })));
});

onBothEngines((open) => {
  test("sends and returns leave entries that sum up to the balance", async () => {
    const { database, query } = open();
    const accountId = await makeAccount(database, { sms: 20 });
    const gatewayId = await makeGateway(database, accountId);
    const sends = [3, 4, 30, 5].map((count) => sendOf(accountId, gatewayId, { count, each: { cost: 1 } }));
    const answers = await Promise.all(sends.map((send) => database.run(storeSends, send)));
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ["stored", "stored", "insufficient_credit", "stored"],
    );
    const cancelled = sends[1]!.messages.slice(0, 2).map(([id]) => id);
    for (const id of [...cancelled, ...cancelled]) {
      const happening = { at: now + 5, detail: "Cancelled." };
      await database.run(cancelMessage, { accountId, channel: "sms", id, happening });
    }
    const entries = await query<CreditEntriesTable>(
      "select * from credit_entries where account_id = ? and kind in ('reserve', 'return') order by at, reference",
      accountId,
    );
    assert.deepEqual(
      entries.map(({ kind, reference, amount }) => [kind, reference, amount]).sort(),
      [
        ["reserve", sends[0]!.requestId, -3],
        ["reserve", sends[1]!.requestId, -4],
        ["reserve", sends[3]!.requestId, -5],
        ["return", cancelled[0], 1],
        ["return", cancelled[1], 1],
      ].sort(),
    );
    const [{ remaining }] = (await query<{ remaining: number }>(
      "select remaining from credits where account_id = ?",
      accountId,
    )) as [{ remaining: number }];
    assert.equal(remaining, 10);
    assert.equal(20 + entries.reduce((sum, { amount }) => sum + Number(amount), 0), remaining);
  });

  test("entries of a balance that is raced for from two processes form one chain", async () => {
    const { database, other, query } = open();
    const accountId = await makeAccount(database, { sms: 150 });
    const gatewayId = await makeGateway(database, accountId);
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (i % 2 === 0 ? database : other).run(storeSends, sendOf(accountId, gatewayId)),
      ),
    );
    const text = "select amount, remaining from credit_entries where account_id = ? and kind = 'reserve'";
    const entries = await query<{ amount: number; remaining: number }>(text, accountId);
    assert.deepEqual(
      entries.map((entry) => Number(entry.remaining)).sort((a, b) => a - b),
      Array.from({ length: 150 }, (_, i) => i),
    );
  });
});
