// Accounts, keys and allowances, as the store keeps them.

import assert from "node:assert/strict";
import test from "node:test";
import {
  countAccounts,
  findAccount,
  findAccountByKey,
  findAccountByName,
  findApiKey,
  readCredits,
  replaceApiKey,
} from "#store/accounts/accounts.ts";
import { storeSends } from "#store/messages/insert.ts";
import { onBothEngines } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now, remaining, sendOf, setAllowance } from "../rows.ts";

onBothEngines((open) => {
  test("an account is found by its key, name and id, with its gateways oldest first", async () => {
    const { database } = open();
    const id = await makeAccount(database, { name: "acme", country: "DE", plan_expires_at: now + 5 });
    const young = await makeGateway(database, id, { created_at: now + 2 });
    const old = await makeGateway(database, id, { created_at: now + 1, is_default: 1 });
    await makeGateway(database, await makeAccount(database));
    const hash = fresh("hash");
    await database.run(replaceApiKey, {
      accountId: id,
      hash,
      sealed: null,
      hint: "h",
      previousWorksUntil: null,
      at: now,
    });
    const byKey = await database.run(findAccountByKey, hash);
    assert.deepEqual(
      byKey?.gateways.map((gateway) => gateway.id),
      [old, young],
    );
    assert.ok(!("settings" in byKey.gateways[0]!), "settings stay behind");
    assert.equal(byKey.country, "DE");
    assert.equal(byKey.plan_expires_at, now + 5);
    assert.deepEqual(await database.run(findAccountByName, "acme"), byKey);
    assert.deepEqual(await database.run(findAccount, id), byKey);
  });

  test("accounts are counted", async () => {
    const { database } = open();
    const before = await database.run(countAccounts, null);
    await makeAccount(database);
    assert.equal(await database.run(countAccounts, null), before + 1);
  });

  test("an unknown account is null", async () => {
    const { database } = open();
    assert.equal(await database.run(findAccountByKey, "no such hash"), null);
    assert.equal(await database.run(findAccountByName, "Acme "), null);
    assert.equal(await database.run(findAccount, "acc_0"), null);
  });

  test("two accounts of one name are refused", async () => {
    const { database } = open();
    await makeAccount(database, { name: "only one" });
    await assert.rejects(makeAccount(database, { name: "only one" }), /name_taken/);
  });

  test("a new key ends the one before it", async () => {
    const store = open();
    const id = await makeAccount(store.database);
    const [first, second] = [fresh("hash"), fresh("hash")];
    await store.database.run(replaceApiKey, {
      accountId: id,
      hash: first,
      sealed: "sealed one",
      hint: "h",
      previousWorksUntil: null,
      at: now,
    });
    await store.database.run(replaceApiKey, {
      accountId: id,
      hash: second,
      sealed: null,
      hint: "h",
      previousWorksUntil: null,
      at: now + 1,
    });
    assert.equal(await store.database.run(findAccountByKey, first), null);
    assert.equal((await store.database.run(findAccountByKey, second))?.id, id);
    const rows = await store.query<object>("select * from api_keys where account_id = ?", id);
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        {
          hash: second,
          account_id: id,
          sealed: null,
          created_at: now + 1,
          hint: "h",
          works_until: null,
          last_used_at: null,
        },
      ],
    );
  });

  test("keys replaced at once leave exactly one that works", async () => {
    const store = open();
    const id = await makeAccount(store.database);
    for (let round = 0; round < 20; round++) {
      const hashes = Array.from({ length: 4 }, () => fresh("hash"));
      await Promise.all(
        hashes.map((hash, i) =>
          (i % 2 === 0 ? store.database : store.other).run(replaceApiKey, {
            accountId: id,
            hash,
            hint: "h",
            sealed: null,
            previousWorksUntil: null,
            at: now,
          }),
        ),
      );
      const rows = await store.query<{ hash: string }>("select hash from api_keys where account_id = ?", id);
      assert.equal(rows.length, 1);
      assert.ok(hashes.includes(rows[0]!.hash));
    }
  });

  test("the copy of a key is found by its account, and tells whether one was kept", async () => {
    const { database } = open();
    const accountId = await makeAccount(database);
    assert.equal(await database.run(findApiKey, accountId), null);
    for (const sealed of ["sealed text", null]) {
      const key = { accountId, hash: fresh("hash"), hint: "tl_a…wxyz", sealed, previousWorksUntil: null };
      await database.run(replaceApiKey, { ...key, at: now });
      const found = await database.run(findApiKey, accountId);
      assert.deepEqual([found?.sealed, found?.created_at, found?.hint], [sealed, now, "tl_a…wxyz"]);
      assert.equal(found?.previous_works_until, null);
    }
  });

  test("the key before a renewed one stays for a time, without its copy, and only the last of them", async () => {
    const store = open();
    const accountId = await makeAccount(store.database);
    const hashes = Array.from({ length: 3 }, () => fresh("hash"));
    for (const [at, hash] of hashes.entries()) {
      const key = { accountId, hash, hint: "h", sealed: `sealed ${at}`, at: now };
      await store.database.run(replaceApiKey, { ...key, previousWorksUntil: now + 5 + at });
    }
    const rows = await store.query<object>(
      "select hash, sealed, works_until from api_keys where account_id = ? order by works_until is null",
      accountId,
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { hash: hashes[1], sealed: null, works_until: now + 7 },
        { hash: hashes[2], sealed: "sealed 2", works_until: null },
      ],
    );
    const found = await store.database.run(findApiKey, accountId);
    assert.deepEqual([found?.hash, found?.previous_works_until], [hashes[2], now + 7]);
    // The same text again is the key itself, and not one before it.
    const again = { accountId, hash: hashes[2]!, hint: "h", sealed: null, at: now };
    await store.database.run(replaceApiKey, { ...again, previousWorksUntil: now + 9 });
    assert.equal((await store.database.run(findApiKey, accountId))?.previous_works_until, null);
  });

  test("a changed allowance keeps what was used, and stops at zero", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 10 });
    const gatewayId = await makeGateway(store.database, accountId);
    const allow = (allowance: number | null, renews: "monthly" | null = null) =>
      setAllowance(store.database, accountId, "sms", allowance, { renews, at: now + 1 });
    await store.database.run(storeSends, sendOf(accountId, gatewayId, { count: 4 }));
    await allow(10);
    assert.equal(await remaining(store, accountId), 6);
    await allow(15, "monthly");
    assert.equal(await remaining(store, accountId), 11);
    const [credit] = await store.database.run(readCredits, accountId);
    assert.deepEqual(credit, {
      account_id: accountId,
      channel: "sms",
      allowance: 15,
      remaining: 11,
      renews: "monthly",
      renewed_at: now,
      bonus: 0,
    });
    await allow(3);
    assert.equal(await remaining(store, accountId), 0);
    await allow(null);
    assert.deepEqual(await store.database.run(readCredits, accountId), []);
    await allow(2);
    assert.equal(await remaining(store, accountId), 2);
  });

  test("an allowance changed while sends spend it: nothing is lost or spent twice", async () => {
    const store = open();
    const accountId = await makeAccount(store.database, { sms: 100 });
    const gatewayId = await makeGateway(store.database, accountId);
    const changes = [130, 90, 120].map((allowance) => setAllowance(store.other, accountId, "sms", allowance));
    const sends = Array.from({ length: 50 }, () =>
      store.database.run(storeSends, sendOf(accountId, gatewayId)),
    );
    await Promise.all(changes);
    assert.ok((await Promise.all(sends)).every(({ kind }) => kind === "stored"));
    const [credit] = await store.database.run(readCredits, accountId);
    assert.equal(credit!.allowance - credit!.remaining, 50);
  });
});
