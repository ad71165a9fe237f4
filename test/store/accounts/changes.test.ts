// Accounts are made and changed in one piece: with the bounds of their plan, under a name of their own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findAccount } from "#store/accounts/accounts.ts";
import { type AccountColumns, changeAccount, createAccount, listAccounts } from "#store/accounts/changes.ts";
import type { AccountsTable } from "#store/schema/schema.ts";
import { onBothEngines, type Store } from "../conformance.ts";
import { fresh, makeAccount, makeGateway, now } from "../rows.ts";

const account = (name: string): AccountsTable => ({
  id: fresh("acc"),
  name,
  time_zone: "UTC",
  country: null,
  plan_name: "p",
  plan_expires_at: null,
  requests_per_minute: null,
  lateness_ms: 1000,
  channel_failover: 0,
  attachment_files: 10,
  attachment_bytes: 10_485_760,
  ai_budget: null,
  revision: 1,
  created_at: now,
  updated_at: now,
});
const sms = (allowance: number | null) => ({ channel: "sms" as const, allowance, id: fresh("ce") });
const revisionOf = async (store: Store, id: string) =>
  (await store.database.run(findAccount, id))?.revision ?? 0;
const change = async (store: Store, id: string, columns: AccountColumns, rest: object = {}) => {
  const revision = await revisionOf(store, id);
  const outcome = await store.database.run(changeAccount, {
    id,
    revision,
    columns,
    allowances: [],
    at: now + 5,
    ...rest,
  });
  assert.equal(outcome, "changed");
};
const listed = async (store: Store, id: string) => {
  const only = { only: id, search: null, before: null, limit: 1 };
  return (await store.database.run(listAccounts, only))[0]!;
};

onBothEngines((open) => {
  test("an account comes with its allowances, and of one name there is one", async () => {
    const store = open();
    const attempts = Array.from({ length: 5 }, () => account("one name"));
    const outcomes = await Promise.all(
      attempts.map((one, i) =>
        (i % 2 ? store.other : store.database).run(createAccount, {
          account: one,
          allowances: [sms(7)],
          renews: "monthly",
        }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === "created").length, 1);
    const made = await listed(store, attempts[outcomes.indexOf("created")]!.id);
    assert.deepEqual(
      made.credits.map(({ channel, allowance, remaining, renews }) => [
        channel,
        allowance,
        remaining,
        renews,
      ]),
      [["sms", 7, 7, "monthly"]],
    );
    const refused = attempts.filter((_, i) => outcomes[i] === "name_taken");
    for (const { id } of refused) assert.equal(await store.database.run(findAccount, id), null);
  });

  test("two that take one name at once: one gets it", async () => {
    const store = open();
    const ids = await Promise.all(Array.from({ length: 4 }, () => makeAccount(store.database)));
    const name = fresh("name");
    const outcomes = await Promise.all([
      ...ids.map((id, i) =>
        (i % 2 ? store.other : store.database).run(changeAccount, {
          id,
          revision: 1,
          columns: { name },
          allowances: [],
          at: now,
        }),
      ),
      store.other.run(createAccount, { account: account(name), allowances: [], renews: null }),
    ]);
    assert.equal(outcomes.filter((outcome) => outcome !== "name_taken").length, 1);
  });

  test("of changes that were computed from one revision, one is stored", async () => {
    const store = open();
    const id = await makeAccount(store.database, { sms: 5 });
    const columns = [{ country: "DE" }, { plan_name: "new" }, { requests_per_minute: 3 }];
    const outcomes = await Promise.all(
      columns.map((columns, i) =>
        (i % 2 ? store.other : store.database).run(changeAccount, {
          id,
          revision: 1,
          columns,
          allowances: [sms(9 + i)],
          at: now + 5,
        }),
      ),
    );
    assert.deepEqual([...outcomes].sort(), ["changed", "overtaken", "overtaken"]);
    const stored = outcomes.indexOf("changed");
    const after = await listed(store, id);
    const { country, plan_name, requests_per_minute } = after;
    const before = { country: null, plan_name: "unlimited", requests_per_minute: null };
    assert.deepEqual({ country, plan_name, requests_per_minute }, { ...before, ...columns[stored] });
    assert.deepEqual([after.revision, after.credits[0]?.allowance], [2, 9 + stored]);
  });

  test("a balance that is new renews as the others do; what is said of renewing goes for all", async () => {
    const store = open();
    const id = await makeAccount(store.database, { sms: 5, renews: "monthly" });
    const email = { channel: "email" as const, allowance: 1, id: fresh("ce") };
    await change(store, id, {}, { allowances: [email] });
    const renews = async () => (await listed(store, id)).credits.map((credit) => credit.renews);
    assert.deepEqual(await renews(), ["monthly", "monthly"]);
    await change(store, id, {}, { renews: null });
    assert.deepEqual(await renews(), [null, null]);
  });

  test("lanes are opened again where their zone or lateness changed, and only there", async () => {
    const store = open();
    const id = await makeAccount(store.database, { time_zone: "UTC", lateness_ms: 1000 });
    const gatewayId = await makeGateway(store.database, id);
    const revision = async () =>
      (await store.query<{ revision: number }>("select revision from lanes where id = ?", gatewayId))[0]
        ?.revision;
    await change(store, id, { time_zone: "UTC", lateness_ms: 1000, country: "DE" });
    assert.equal(await revision(), 0);
    await change(store, id, { time_zone: "Asia/Tokyo" });
    await change(store, id, { lateness_ms: 2000 });
    assert.equal(await revision(), 2);
  });

  test("the list is newest first, and searched by what a name contains", async () => {
    const store = open();
    const tag = fresh("tag");
    const ids: string[] = [];
    for (const name of [`${tag} A%b`, `${tag} axb`, `${tag} ÄB`])
      ids.push(await makeAccount(store.database, { name }));
    const find = async (search: string, before: string | null = null, limit = 10) =>
      (await store.database.run(listAccounts, { only: null, search, before, limit })).map(({ id }) => id);
    assert.deepEqual(await find(tag.toUpperCase()), ids.toReversed());
    assert.deepEqual(await find(tag, ids[2], 1), [ids[1]]);
    assert.deepEqual(await find("a%B"), [ids[0]]);
    assert.deepEqual(await find(`${tag} Ä`), [ids[2]]);
    assert.deepEqual(await find("!"), []);
  });
});
