// Trunkline's tables are in a schema of their own: nothing of other programs in the database is read or changed, two installations
// share nothing, and the error of a role that lacks a right names it.

import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { readOperation, StorageError } from "#store/database.ts";
import { channelOf } from "#store/engine/postgres/own-schema.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { readDatabaseSize } from "#store/maintenance/installation.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";

let fresh: FreshDatabase;
let admin: pg.Client;
beforeEach(async () => {
  fresh = await freshDatabase({ bare: true });
  admin = new pg.Client({ connectionString: fresh.url });
  await admin.connect();
});
const leave = async () => {
  await admin.end();
  await fresh.drop();
};

const relationsIn = async (schema: string): Promise<string[]> => {
  const { rows } = await admin.query(
    "select relname from pg_class where relnamespace = to_regnamespace($1) order by relname",
    [schema],
  );
  return rows.map(({ relname }) => relname);
};
const searchPath = readOperation("searchPath", async (tx, _: null) => {
  const { rows } = await sql<{ path: string }>`select current_setting('search_path') as path`.execute(tx.db);
  return rows[0]!.path;
});

test("a fresh database gets the schema, and `public` nothing; every connection finds that schema alone", async () => {
  const database = await openPostgres({ url: fresh.url });
  try {
    assert.deepEqual(await relationsIn("public"), []);
    assert.ok((await relationsIn("trunkline")).includes("messages"));
    const paths = await Promise.all(Array.from({ length: 12 }, () => database.run(searchPath, null)));
    assert.deepEqual(new Set(paths), new Set(["trunkline"]));
  } finally {
    await database.close();
    await leave();
  }
});

test("another program's tables of the same names are left as they are", async () => {
  await admin.query(`
    create table accounts (number int primary key, owner text);
    insert into accounts values (1, 'ada');
    create table messages (body text); insert into messages values ('theirs');
    create table migrations (id serial primary key, migration text not null, batch int not null);
    insert into migrations (migration, batch) values ('initial-rules', 1);
    create table installation_facts (name text, value text); insert into installation_facts values ('master_key', 'theirs')`);
  const picture = async () => {
    const tables = ["accounts", "messages", "migrations", "installation_facts"];
    const found: unknown[] = [await relationsIn("public")];
    for (const table of tables)
      found.push((await admin.query(`select xmin, ctid, * from public.${table}`)).rows);
    return JSON.stringify(found);
  };
  const before = await picture();
  const database = await openPostgres({ url: fresh.url });
  try {
    assert.equal(await database.run(getOrSetFact, { name: "master_key", value: "ours" }), "ours");
    const size = await database.run(readDatabaseSize, null);
    await admin.query("insert into public.messages select repeat('x', 1000) from generate_series(1, 5000)");
    assert.equal(await database.run(readDatabaseSize, null), size, "the size is that of Trunkline's tables");
    await admin.query("delete from public.messages where body <> 'theirs'");
  } finally {
    await database.close();
  }
  assert.equal(await picture(), before);
  await leave();
});

test("a table of migrations with Trunkline's columns is another program's, unless its first one is Trunkline's", async () => {
  await admin.query("create table migrations (id bigint primary key, name text not null)");
  for (const row of ["", "insert into public.migrations values (1, 'initial')"]) {
    await admin.query(`drop schema if exists trunkline cascade; ${row}`);
    await (await openPostgres({ url: fresh.url })).close();
    assert.deepEqual(await relationsIn("public"), ["migrations", "migrations_pkey"]);
  }
  await leave();
});

test("an installation hears its own announcements, and none of its neighbour", async () => {
  const left = [await openPostgres({ url: fresh.url, schema: "left_one" })];
  left.push(await openPostgres({ url: fresh.url, schema: "left_one" }));
  const right = await openPostgres({ url: fresh.url, schema: "right_one" });
  const heard: string[] = [];
  right.onNotify((topic) => heard.push(`right ${topic}`));
  const arrived = new Promise<void>((resolve) =>
    left[1]!.onNotify((topic) => {
      heard.push(`left ${topic}`);
      if (topic === "last") resolve();
    }),
  );
  const own = new Promise<void>((resolve) => right.onNotify((topic) => topic === "its own" && resolve()));
  left[0]!.notify("first");
  left[0]!.notify("last");
  await arrived;
  right.notify("its own");
  await own;
  assert.deepEqual(heard, ["left first", "left last", "right its own"]);
  await Promise.all([...left, right].map((database) => database.close()));
  assert.notEqual(channelOf("left_one"), channelOf("right_one"));
  assert.ok(channelOf("x".repeat(63)).length < 63);
  await leave();
});

test("migrations of one schema do not wait for another's", async () => {
  await (await openPostgres({ url: fresh.url, schema: "busy" })).close();
  await admin.query("begin");
  await admin.query("select pg_advisory_xact_lock(hashtextextended('busy', 7235861102))");
  // With the same lock this would wait until the lock_timeout.
  await (await openPostgres({ url: fresh.url, schema: "idle" })).close();
  await admin.query("rollback");
  await leave();
});

test("a name is never more than a name", async () => {
  const schema = `x"; drop schema public cascade; --`;
  const database = await openPostgres({ url: fresh.url, schema });
  assert.equal(await database.run(getOrSetFact, { name: "n", value: "v" }), "v");
  await database.close();
  const { rows } = await admin.query("select nspname from pg_namespace where nspname in ($1, 'public')", [
    schema,
  ]);
  assert.equal(rows.length, 2);
  await leave();
});

test("a role without the right hears which statement gives it, and starts after it", async () => {
  const name = new URL(fresh.url).pathname.slice(1);
  const role = `plain_${name}`;
  const asRole = new URL(fresh.url);
  asRole.username = role;
  const open = () => openPostgres({ url: asRole.href });
  const advice = async (message: RegExp): Promise<string> => {
    let found = "";
    await assert.rejects(open(), (error) => {
      assert.ok(error instanceof StorageError && error.fault === "failed");
      assert.match(error.message, message);
      found = error.message.slice(error.message.indexOf("run: ") + 5);
      return true;
    });
    return found;
  };
  try {
    await admin.query(`create role "${role}" login`);
    const create = await advice(
      /^PostgreSQL's role plain_\S+ may not create the schema trunkline\. The database's owner/,
    );
    await admin.query("create schema trunkline");
    await admin.query(
      await advice(/may not use the schema trunkline\. Its owner can run: GRANT USAGE, CREATE ON SCHEMA/),
    );
    await (await open()).close();
    await admin.query("drop schema trunkline cascade");
    await admin.query(create);
    await (await open()).close();
  } finally {
    await leave();
  }
});
