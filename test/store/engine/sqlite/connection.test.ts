// The SQLite connection: what its pragmas promise is in force, its statements are kept, its rows have types.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { sql } from "kysely";
import { SqliteConnection, sqliteTx } from "#store/engine/sqlite/connection.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-connection-"));
const path = join(folder, "trunkline.db");
const connection = new SqliteConnection(path, "write");
after(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});
const pragma = (name: string, of = connection) =>
  Object.values(of.raw.prepare(`pragma ${name}`).get() ?? {})[0];

test("a writer flushes every commit and keeps a write-ahead log", () => {
  assert.equal(pragma("journal_mode"), "wal");
  assert.equal(pragma("synchronous"), 2);
  assert.equal(pragma("busy_timeout"), 5000);
  assert.equal(pragma("foreign_keys"), 1);
});

test("a reader sees what is committed and writes nothing", () => {
  connection.raw.exec("create table seen (a integer)");
  const reader = new SqliteConnection(path, "read");
  connection.raw.exec("begin; insert into seen values (1)");
  const count = () => reader.raw.prepare("select count(*) as n from seen").get()?.n;
  assert.equal(count(), 0);
  connection.raw.exec("commit");
  assert.equal(count(), 1);
  assert.throws(() => reader.raw.exec("insert into seen values (2)"), /readonly/);
  reader.close();
});

test("statements are kept by their text, and not without bound", () => {
  const statement = connection.statement("select 1");
  assert.equal(connection.statement("select 1"), statement);
  for (let i = 0; i < 400; i++) connection.statement(`select ${i} as n`);
  assert.notEqual(connection.statement("select 1"), statement, "the oldest went");
});

test("rows from JSON keep text and numbers apart, quotes and nulls as they are", async () => {
  const tx = sqliteTx(connection);
  const records = [
    { id: "007", at: 1_800_000_000_000, gone: null },
    { id: 'it\'s "quoted" \u{1f600}', at: -1 },
  ];
  const rows = tx.rows("r", { id: "text", at: "bigint", gone: "text" }, records);
  const found = await sql<object>`select id, at, gone, typeof(id) as a, typeof(at) as b from ${rows}`.execute(
    tx.db,
  );
  assert.deepEqual(
    found.rows.map((row) => ({ ...row })),
    [
      { id: "007", at: 1_800_000_000_000, gone: null, a: "text", b: "integer" },
      { id: 'it\'s "quoted" \u{1f600}', at: -1, gone: null, a: "text", b: "integer" },
    ],
  );
  const none = await sql<object>`select * from ${tx.rows("r", { id: "text" }, [])}`.execute(tx.db);
  assert.deepEqual(none.rows, []);
});

test("results are not streamed", async () => {
  await assert.rejects(connection.streamQuery().next(), /not streamed/);
});

test("an update of records changes the row of each by its key, and takes no other values", async () => {
  const tx = sqliteTx(connection);
  connection.raw.exec("create table installation_facts (name text primary key, value text not null)");
  connection.raw.exec("insert into installation_facts values ('a', '1'), ('b', '2'), ('c', '3')");
  const columns = { name: "text", value: "text" } as const;
  const records = [
    { name: "b", value: "20" },
    { name: "none", value: "0" },
    { name: "a", value: "10" },
  ];
  const changed = await tx.update<{ name: string }>("installation_facts", columns, records, (of) => ({
    set: sql`value = ${of("value")}`,
    where: sql`installation_facts.name = ${of("name")} and value <> ${of("value")}`,
    returning: sql`name`,
  }));
  assert.deepEqual(
    changed.map(({ name }) => name),
    ["b", "a"],
  );
  const values = connection.raw.prepare("select value from installation_facts order by name").all();
  assert.deepEqual(
    values.map(({ value }) => value),
    ["10", "20", "3"],
  );
  const others = tx.update("installation_facts", columns, records, (of) => ({
    set: sql`value = ${"given"}`,
    where: sql`name = ${of("name")}`,
  }));
  await assert.rejects(others, /values of records only/);
});

test("a table is read along the index that is named, or the statement is refused", async () => {
  const tx = sqliteTx(connection);
  const named = await tx.db
    .selectFrom(tx.indexed("installation_facts"))
    .select("value")
    .where("name", "=", "a")
    .execute();
  assert.deepEqual(
    named.map(({ value }) => value),
    ["10"],
  );
  const other = tx.db.selectFrom(tx.indexed("installation_facts", "facts_by_value")).selectAll().execute();
  await assert.rejects(other, /no such index: facts_by_value/);
  const found = await sql<{ n: number }>`
    select count(*) as n from installation_facts where name in ${tx.list(["a", "c", 'it\'s "quoted"'])}
  `.execute(tx.db);
  assert.equal(found.rows[0]?.n, 2);
});
