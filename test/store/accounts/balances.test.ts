// The ledger: whatever moves a balance is an entry, and the entries add up to what is left, at every moment.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setAllowance } from "#store/accounts/accounts.ts";
import { grantCredit, listCreditEntries } from "#store/accounts/balances.ts";
import { storeSends } from "#store/messages/insert.ts";
import { cancelMessage } from "#store/messages/move.ts";
import type { CreditEntriesTable } from "#store/schema/schema.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { columnsOf, fresh, makeAccount, makeGateway, now, remaining, seeded, sendOf } from "../rows.ts";

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
  store.other.run(setAllowance, {
    accountId,
    channel: "sms",
    allowance,
    renews,
    at: now + 1,
    id: fresh("ce"),
  });
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
        const happening = { at: now + 5, detail: "" };
        return await store.other.run(cancelMessage, { accountId, channel: "sms", id, happening });
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
