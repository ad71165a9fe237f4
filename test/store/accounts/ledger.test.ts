// The ledger: each change of a balance is an entry, and the entries add up to the balance at every moment.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  crossedLowCredit,
  grantCredit,
  listCreditEntries,
  refund,
  renew,
  reserve,
} from "#store/accounts/ledger.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage } from "#store/messages/move.ts";
import type { CreditEntriesTable, CreditsTable } from "#store/schema/schema.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import {
  columnsOf,
  fresh,
  makeAccount,
  makeGateway,
  now,
  remaining,
  seeded,
  sendOf,
  setAllowance,
} from "../rows.ts";

const balance = (change: Partial<CreditsTable> = {}): CreditsTable => ({
  account_id: "acc_1",
  channel: "sms",
  allowance: 100,
  remaining: 100,
  renews: "monthly",
  bonus: 0,
  renewed_at: 1000,
  ...change,
});

test("a month's first use refills the balance, once", () => {
  const one = balance({ remaining: 3, bonus: 7 });
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
  assert.deepEqual([one.remaining, one.bonus, one.renewed_at], [100, 0, 5000]);
  assert.equal(renew(one, 2000, 6000), null);
});

test("what comes back is what was taken, never more than a balance can hold, and only to the one it came from", () => {
  const message = (cost: number, acceptedAt = 1000) => ({ id: "msg_1", cost, acceptedAt });
  const one = balance();
  reserve(one, "req_1", 30, 1);
  assert.equal(refund(one, message(30), 2)?.amount, 30);
  const granted = balance({ remaining: 150, bonus: 50 });
  reserve(granted, "req_1", 150, 1);
  assert.equal(refund(granted, message(150), 2)?.amount, 150);
  const shrunk = balance({ allowance: 10, remaining: 0 });
  assert.equal(refund(shrunk, message(30), 2)?.amount, 10);
  assert.equal(refund(shrunk, message(30), 2), null);
  // Accepted before it was renewed, or while the channel was unlimited.
  assert.equal(refund(balance({ remaining: 5 }), message(30, 999), 2), null);
});

test("a balance becomes low once on its way down", () => {
  assert.ok(!crossedLowCredit(100, balance({ remaining: 10 })));
  assert.ok(crossedLowCredit(10, balance({ remaining: 9 })));
  assert.ok(!crossedLowCredit(9, balance({ remaining: 8 })));
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
    const cancelled = sends[1]!.messages.slice(0, 2).map(({ id }) => id);
    for (const id of [...cancelled, ...cancelled]) {
      const details = { at: now + 5, detail: "Cancelled." };
      await database.run(cancelMessage, { accountId, channel: "sms", id, details });
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

const grant = (store: Store, accountId: string, amount: number, renewedFrom = 0) =>
  store.database.run(grantCredit, {
    accountId,
    channel: "sms",
    amount,
    note: null,
    id: fresh("ce"),
    at: now + 1,
    renewedFrom,
  });
const allow = (store: Store, accountId: string, allowance: number | null, renews: "monthly" | null = null) =>
  setAllowance(store.other, accountId, "sms", allowance, { renews, at: now + 1 });
const entriesOf = (store: Store, accountId: string) =>
  store.query<CreditEntriesTable>("select * from credit_entries where account_id = ?", accountId);

/**
 * The sum is the balance, and each entry goes on from where another one ended: there is a way from zero through all
 * of them (instants do not order what happened within one).
 */
function assertLedger(entries: readonly CreditEntriesTable[], left: number): void {
  assert.equal(
    entries.reduce((sum, { amount }) => sum + amount, 0),
    left,
  );
  const visits = new Map<number, number>();
  const visit = (at: number, by: number) => visits.set(at, (visits.get(at) ?? 0) + by);
  for (const { amount, remaining: after } of entries) {
    assert.ok(after >= 0 && after - amount >= 0);
    visit(after - amount, 1);
    visit(after, -1);
  }
  visit(0, -1);
  visit(left, 1);
  assert.deepEqual([...visits.values()].filter(Boolean), []);
}

onBothEngines((open) => {
  test("a grant may exceed the allowance, and is refused below zero and where nothing is counted", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10 });
    const granted = await grant(store, accountId, 5);
    assert.ok(granted.kind === "granted");
    assert.deepEqual([granted.entry.amount, granted.entry.remaining], [5, 15]);
    assert.deepEqual(await grant(store, accountId, -16), { kind: "too_little", remaining: 15 });
    assert.equal((await grant(store, accountId, -15)).kind, "granted");
    assert.equal(await remaining(store, accountId), 0);
    assert.deepEqual(await grant(store, await makeAccount(store.database), 1), { kind: "unlimited" });
    assertLedger(await entriesOf(store, accountId), 0);
  });

  test("a renewal that is due comes before the grant, which would be lost in it", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10, renews: "monthly" });
    const gatewayId = await makeGateway(store.database, accountId);
    await store.database.run(storeSends, sendOf(accountId, gatewayId, { count: 8 }));
    const granted = await grant(store, accountId, 3, now + 1);
    assert.ok(granted.kind === "granted");
    assert.equal(granted.entry.remaining, 13);
    const kinds = (await entriesOf(store, accountId)).map(({ kind }) => kind);
    assert.deepEqual(kinds.sort(), ["grant", "opening", "renew", "reserve"]);
    assertLedger(await entriesOf(store, accountId), 13);
    assert.deepEqual(await grant(store, accountId, -99, now + 2), { kind: "too_little", remaining: 10 });
    assert.equal(await remaining(store, accountId), 13, "a refused grant renews nothing");
  });

  test("a balance that ends and begins again goes on in the same ledger", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10 });
    await allow(store, accountId, 4);
    await allow(store, accountId, null);
    assertLedger(await entriesOf(store, accountId), 0);
    await allow(store, accountId, null);
    await allow(store, accountId, 7);
    await allow(store, accountId, 7, "monthly");
    const entries = await entriesOf(store, accountId);
    assertLedger(entries, 7);
    assert.equal(entries.length, 4, "what moves nothing is no entry");
  });

  test("the sum is the balance after any changes, one at a time or at once", async () => {
    const store = open();
    const random = seeded(7);
    const accountId = await makeAccount(store.database, { sms: 30 });
    const gatewayId = await makeGateway(store.database, accountId);
    const ids: string[] = [];
    const step = async () => {
      const dice = random(6);
      if (dice === 0) return await grant(store, accountId, random(21) - 10);
      if (dice === 1) return await allow(store, accountId, random(40));
      if (dice === 2 && ids.length > 0) {
        const id = ids.splice(random(ids.length), 1)[0]!;
        const details = { at: now + 5, detail: "" };
        return await store.other.run(cancelMessage, { accountId, channel: "sms", id, details });
      }
      const send = sendOf(accountId, gatewayId, { count: 1 + random(4) });
      const stored = await store.database.run(storeSends, send);
      if (stored.kind === "stored") ids.push(...columnsOf(send.messages).id);
      return stored;
    };
    for (let round = 0; round < 12; round++) {
      await Promise.all(Array.from({ length: 5 }, step));
      assertLedger(await entriesOf(store, accountId), await remaining(store, accountId));
    }
  });

  test("the ledger is read newest first, one page after the other, of one channel", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10 });
    for (let i = 0; i < 5; i++) await grant(store, accountId, 1);
    const page = (before: CreditEntriesTable | null, limit: number) =>
      store.database.run(listCreditEntries, { accountId, channel: "sms", before, limit });
    const all = await page(null, 100);
    assert.equal(all.length, 6);
    assert.equal(all.at(-1)?.kind, "opening");
    const paged: CreditEntriesTable[] = [];
    for (;;) {
      const rows = await page(paged.at(-1) ?? null, 4);
      paged.push(...rows);
      if (rows.length < 4) break;
    }
    assert.deepEqual(paged, all);
    const email = { accountId, channel: "email", before: null, limit: 9 } as const;
    assert.deepEqual(await store.database.run(listCreditEntries, email), []);
  });
});
