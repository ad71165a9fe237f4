// Databases that one test after another uses: a used one is as new, and one that cannot be made so is not lent again.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import pg from "pg";
import { countAccounts } from "#store/accounts/accounts.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { freshDatabase } from "./postgres.ts";
import { type TestDatabases, testDatabases } from "./postgres-databases.ts";
import { makeMessages } from "./store/rows.ts";

let databases: TestDatabases;
before(async () => {
  const { url, drop } = await freshDatabase();
  await drop();
  // Its server ends with the tests.
  databases = testDatabases(new URL("/postgres", url).href, true);
});

const borrowed: string[] = [];
async function borrow(): Promise<string> {
  const url = await databases.lend("migrated");
  borrowed.push(url);
  return url;
}
async function giveBack(url: string): Promise<void> {
  borrowed.splice(borrowed.indexOf(url), 1);
  await databases.giveBack(url);
}
after(() => Promise.all(borrowed.map(giveBack)));

async function asked(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results = await client.query(text);
    return [results].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/** Which database it is, under any name. */
const idOf = async (url: string) =>
  (await asked(url, "select oid from pg_database where datname = current_database()"))[0]!.oid;

/** Rows, definitions, settings and what the planner knows. */
async function contentOf(url: string): Promise<unknown> {
  const names = await asked(url, "select tablename from pg_tables where schemaname = 'trunkline' order by 1");
  const rows: Record<string, unknown> = {};
  // Rows lie in the order of their last change.
  for (const { tablename } of names)
    rows[String(tablename)] = await asked(url, `select * from ${tablename} as row order by row::text`);
  return {
    rows,
    relations: await asked(
      url,
      "select relname, relkind, reloptions, pg_relation_size(oid) as bytes, reltuples, relpages from pg_class where oid >= 16384 and relkind = 'r' order by relname",
    ),
    columns: await asked(
      url,
      "select attrelid::regclass, attname from pg_attribute where attrelid >= 16384 order by 1, 2",
    ),
    known: await asked(
      url,
      "select schemaname, tablename, attname from pg_stats where schemaname = 'trunkline'",
    ),
    path: await asked(url, "show search_path"),
  };
}

test("a used database is lent again under another name, and is as a new one", async () => {
  const url = await borrow();
  const other = await borrow();
  const id = await idOf(url);
  const database = await openPostgres({ url });
  assert.equal(await database.run(countAccounts, null), 0);
  await makeMessages(database, { count: 300 });
  await database.close();
  await asked(url, "analyze");
  const mark = "select exists (select from pg_stats where schemaname = 'trunkline') as known";
  assert.deepEqual(await asked(url, mark), [{ known: true }]);
  await giveBack(url);
  const again = await borrow();
  assert.equal(await idOf(again), id);
  assert.notEqual(again, url);
  // The facts that a start writes are written by both.
  for (const one of [again, other]) await (await openPostgres({ url: one })).close();
  assert.deepEqual(await contentOf(again), await contentOf(other));
  await assert.rejects(asked(url, "select 1"), { code: "3D000" });
});

test("what is still connected is cut off, and cannot come back", async () => {
  const url = await borrow();
  const left = new pg.Client({ connectionString: url });
  const cut = new Promise((resolve) => left.on("error", resolve));
  await left.connect();
  await left.query("begin; insert into trunkline.installation_facts (name, value) values ('left', 'open')");
  await giveBack(url);
  const again = await borrow();
  await cut;
  assert.deepEqual(await asked(again, "select name from installation_facts where name = 'left'"), []);
  await assert.rejects(asked(url, "select 1"), { code: "3D000" });
});

test("several are lent at once, each to one", async () => {
  const urls = await Promise.all([borrow(), borrow(), borrow()]);
  assert.equal(new Set(await Promise.all(urls.map(idOf))).size, 3);
  await Promise.all(urls.map(giveBack));
});

const changes = [
  "alter table accounts add column more text",
  "alter table accounts alter column name drop not null",
  "alter table messages set (autovacuum_enabled = false)",
  "create index more on accounts (name)",
  "drop index trunkline.api_keys_account",
  "create table public.more (id int)",
  "create schema more",
  "create function more() returns int language sql as 'select 1'",
  "alter table accounts add constraint more check (name <> '')",
  "insert into migrations (id, name) values (9999, 'from the future')",
  "do $$ begin execute format('alter database %I set statement_timeout = 1000', current_database()); end $$",
  "do $$ begin execute format('alter database %I connection limit 1', current_database()); end $$",
  "insert into installation_facts (name, value) select i::text, repeat(md5(i::text), 6) from generate_series(1, 100000) as i",
];

test("a database with another definition, other settings or much in it is not lent again", async () => {
  for (const change of changes) {
    const url = await borrow();
    const id = await idOf(url);
    await asked(url, change);
    await giveBack(url);
    const next = await borrow();
    assert.notEqual(await idOf(next), id, change);
    await giveBack(next);
  }
});

test("an empty database has no tables, and a bare one has the server's defaults", async () => {
  for (const [kind, path] of [
    ["empty", "trunkline, public"],
    ["bare", '"$user", public'],
  ] as const) {
    const url = await databases.lend(kind);
    assert.deepEqual(await asked(url, "show search_path"), [{ search_path: path }]);
    assert.deepEqual(await asked(url, "select relname from pg_class where oid >= 16384"), []);
    await databases.giveBack(url);
    await assert.rejects(asked(url, "select 1"), { code: "3D000" });
  }
});

test("on a server that is not the tests' own, nothing stays", async () => {
  const { url, drop } = await freshDatabase();
  const foreign = testDatabases(new URL("/postgres", url).href, false);
  const lent = await foreign.lend("migrated");
  assert.deepEqual(await asked(lent, "select relname from pg_class where oid >= 16384"), []);
  await foreign.giveBack(lent);
  await assert.rejects(asked(lent, "select 1"), { code: "3D000" });
  await drop();
});
