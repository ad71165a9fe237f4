// The schema is the same on both engines: tables, columns, indexes. Text sorts by bytes, and keys that must be unique are.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { storeSends } from "#store/messages/insert.ts";
import { recentMessages } from "#store/messages/lookup.ts";
import { engines, onBothEngines, openStore, type Store } from "../../conformance.ts";
import { callRow, makePool } from "../../pool-rows.ts";
import { makeAccount, makeGateway, sendOf } from "../../rows.ts";

const stores: Store[] = [];
before(async () => {
  for (const engine of engines) stores.push(await openStore(engine));
});
after(async () => {
  for (const store of stores) await store.close();
});

const columnsOf = {
  sqlite: `select m.name || '.' || c.name || case when c."notnull" = 1 or c.pk > 0 then '!' else '' end as line
    from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite%'`,
  postgres: `select table_name || '.' || column_name || case when is_nullable = 'NO' then '!' else '' end as line
    from information_schema.columns where table_schema = 'trunkline'`,
};
const indexesOf = {
  sqlite: "select name as line from sqlite_master where type = 'index' and name not like 'sqlite%'",
  postgres: `select indexname as line from pg_indexes where schemaname = 'trunkline'
    and indexname not like '%\\_pkey' and indexname not like '%\\_key'`,
};

const lines = async (store: Store, text: string) =>
  (await store.query<{ line: string }>(text)).map(({ line }) => line).sort();

test("tables and columns agree between the engines", async () => {
  const [sqlite, postgres] = stores as [Store, Store];
  const columns = await lines(sqlite, columnsOf.sqlite);
  assert.ok(columns.includes("messages.due_at") && columns.includes("messages.status!"));
  assert.deepEqual(await lines(postgres, columnsOf.postgres), columns);
});

test("indexes agree between the engines", async () => {
  const [sqlite, postgres] = stores as [Store, Store];
  const indexes = await lines(sqlite, indexesOf.sqlite);
  assert.ok(indexes.includes("messages_due"));
  assert.deepEqual(await lines(postgres, indexesOf.postgres), indexes);
});

test("ids sort by their bytes, in every language of the database", async () => {
  const ids = ["msg_A", "msg_Z", "msg_a", "msg_b", "msg_é"];
  for (const { database, engine } of stores) {
    const accountId = await makeAccount(database);
    const send = sendOf(accountId, await makeGateway(database, accountId), { count: ids.length });
    ids.forEach((id, i) => {
      send.messages[i]!.id = id;
    });
    await database.run(storeSends, send);
    const query = { accountId, channel: "sms", status: null, before: null, limit: 10 } as const;
    const { rows } = await database.run(recentMessages, query);
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids.toReversed(),
      engine,
    );
    const before = (await database.run(recentMessages, { ...query, before: "msg_a" })).rows;
    assert.deepEqual(
      before.map(({ id }) => id),
      ["msg_Z", "msg_A"],
      engine,
    );
  }
});

onBothEngines((open) => {
  test("a pool key's hash is unique, and so is a pool's name in its account", async () => {
    const pool = await makePool(open().database, { key: { hash: "a hash" } });
    const { query } = open();
    await assert.rejects(query("update pool_keys set pool_id = 'pool_none' where id = ?", pool.keyId));
    await assert.rejects(
      query(
        `insert into pool_keys (id, pool_id, account_id, name, hash, hint, rules, created_at, updated_at)
         values ('key_again', ?, ?, 'again', 'a hash', '', '{}', 1, 1)`,
        pool.poolId,
        pool.accountId,
      ),
    );
    const copy = (id: string, name: string) =>
      query(
        `insert into pools (id, account_id, name, rules, revision, created_at, updated_at)
         select '${id}', account_id, ${name}, '{}', 1, 1, 1 from pools where id = ?`,
        pool.poolId,
      );
    await copy("pool_other", "'another name'");
    await assert.rejects(copy("pool_again", "name"));
  });

  test("a completion without a member and without a first byte is stored as it is", async () => {
    const pool = await makePool(open().database);
    const { day: _, ...row } = callRow(pool, { member: null, model: null, first_byte_ms: null });
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    await open().query(
      `insert into completions (${names.join(", ")}) values (${marks})`,
      ...(Object.values(row) as (string | number | null)[]),
    );
    const [stored] = await open().query<object>("select * from completions where id = ?", row.id);
    assert.deepEqual({ ...stored }, row);
  });

  test("an account may bring ten files of 10 MiB unless it says otherwise", async () => {
    const { database, query } = open();
    const id = await makeAccount(database);
    await query(
      `insert into accounts (id, name, time_zone, plan_name, created_at, updated_at)
       select 'acc_default', 'default', time_zone, plan_name, 1, 1 from accounts where id = ?`,
      id,
    );
    const [account] = await query<object>(
      `select attachment_files as files, attachment_bytes as bytes, lateness_ms, channel_failover
       from accounts where id = 'acc_default'`,
    );
    const defaults = { files: 10, bytes: 10_485_760, lateness_ms: 259_200_000, channel_failover: 0 };
    assert.deepEqual({ ...account }, defaults);
  });

  test("a domain is unique in its account, and a selector in its domain", async () => {
    const { database, query } = open();
    const account = await makeAccount(database);
    const domain = (id: string) =>
      query("insert into sending_domains values (?, ?, 'once.test', 1, 1)", id, account);
    await domain("dom_once");
    await assert.rejects(domain("dom_again"));
    const key = (id: string) =>
      query(
        "insert into dkim_keys values (?, 'dom_once', ?, 's1', 'rsa-sha256', 'p', 'sealed', 'pending', 1, 1)",
        id,
        account,
      );
    await key("dk_1");
    await assert.rejects(key("dk_2"));
  });

  test("a callback's signature is stored once", async () => {
    const { query } = open();
    const store = (event: string) => query("insert into callback_signatures values ('once', ?, 1)", event);
    await store("first");
    await assert.rejects(store("second"));
  });
});
