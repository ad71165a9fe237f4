// The first schema is the same on both engines: tables, columns, indexes; and its text sorts by bytes.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { storeSends } from "#store/messages/insert.ts";
import { recentMessages } from "#store/messages/lookup.ts";
import { engines, openStore, type Store } from "../../conformance.ts";
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
    from information_schema.columns where table_schema = 'public'`,
};
const indexesOf = {
  sqlite: "select name as line from sqlite_master where type = 'index' and name not like 'sqlite%'",
  postgres: `select indexname as line from pg_indexes where schemaname = 'public'
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

test("ids sort by their bytes, whatever the database's language", async () => {
  const ids = ["msg_A", "msg_Z", "msg_a", "msg_b", "msg_é"];
  for (const { database, engine } of stores) {
    const accountId = await makeAccount(database);
    const send = sendOf(accountId, await makeGateway(database, accountId), { count: ids.length });
    ids.forEach((id, i) => {
      send.messages[i]![0] = id;
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
