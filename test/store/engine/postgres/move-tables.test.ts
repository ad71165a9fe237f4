// The first start of this version moves the tables of an older one out of `public`: once, whole, and nothing else.

import assert from "node:assert/strict";
import test, { afterEach, beforeEach } from "node:test";
import pg from "pg";
import { countAccounts } from "#store/accounts/accounts.ts";
import { type Database, StorageError } from "#store/database.ts";
import { postgresTx } from "#store/engine/postgres/connection.ts";
import { inspectPostgres } from "#store/engine/postgres/inspect.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { migrate, newestSchema } from "#store/schema/migrate.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";
import { numericTypes } from "../../conformance.ts";
import { makeAccount } from "../../rows.ts";

let fresh: FreshDatabase;
let admin: pg.Client;
beforeEach(async () => {
  fresh = await freshDatabase({ bare: true });
  admin = new pg.Client({ connectionString: fresh.url });
  await admin.connect();
  // As a version up to 0.1 leaves it, beside another program.
  const older = await openPostgres({ url: fresh.url, schema: "public" });
  await older.run(getOrSetFact, { name: "master_key", value: "ours" });
  await makeAccount(older);
  await older.close();
  await admin.query("delete from installation_facts where name = 'postgres_schema'");
  await admin.query(`create table orders (id int primary key); insert into orders values (7);
    create view big_orders as select * from orders where id > 5; create sequence numbers`);
});
afterEach(async () => {
  await admin.end();
  await fresh.drop();
});

const open = (more: { schema?: string; keyFingerprint?: string | null } = {}): Promise<Database> =>
  openPostgres({ url: fresh.url, keyFingerprint: "ours", ...more });
const names = async (schema: string): Promise<string[]> => {
  const { rows } = await admin.query(
    "select relname from pg_class where relnamespace = to_regnamespace($1) and relkind <> 'i' order by relname",
    [schema],
  );
  return rows.map(({ relname }) => relname);
};
const others = ["big_orders", "numbers", "orders"];
const refused = (message: RegExp) => (error: unknown) =>
  error instanceof StorageError && error.fault === "failed" && message.test(error.message);

test("two starts at once move everything once, with what it holds; other tables stay", async () => {
  const tables = (await names("public")).filter((name) => !others.includes(name));
  const found = await inspectPostgres(fresh.url);
  assert.deepEqual("schema" in found && [found.schema, found.masterKey, found.moves], [
    newestSchema,
    "ours",
    true,
  ]);
  const opened = await Promise.all([open(), open(), open()]);
  for (const database of opened) {
    assert.equal(await database.run(countAccounts, null), 1);
    await database.close();
  }
  assert.deepEqual(await names("trunkline"), tables);
  assert.deepEqual(await names("public"), [...others, "migrations"].toSorted());
  assert.deepEqual((await admin.query("select * from big_orders")).rows, [{ id: 7 }]);
  const { rows } = await admin.query("select count(*)::int as n from public.migrations");
  assert.equal(rows[0].n, newestSchema + 1, "moved once");
  await (await open()).close();
  const after = await inspectPostgres(fresh.url);
  assert.deepEqual("schema" in after && [after.schema, after.masterKey, after.moves], [
    newestSchema,
    "ours",
    false,
  ]);
});

test("an older version refuses to start on what is left, and so does a setting that names it", async () => {
  await (await open()).close();
  // What every version does first, with the tables in `public`.
  const pool = new pg.Pool({ connectionString: fresh.url, max: 1, types: numericTypes });
  const client = await pool.connect();
  await client.query("set search_path to public");
  await assert.rejects(
    migrate(postgresTx(client)),
    refused(
      /^The database has schema 1000000, this version of Trunkline knows \d+\. Start a version that is at least as new/,
    ),
  );
  client.release();
  await pool.end();
  await assert.rejects(
    open({ schema: "public" }),
    refused(/moved .* to the schema trunkline\. Set TRUNKLINE_DATABASE_SCHEMA=trunkline\.$/),
  );
  assert.deepEqual(await names("public"), [...others, "migrations"].toSorted());
  // A second installation beside it is a new one.
  const second = await open({ schema: "second", keyFingerprint: "theirs" });
  assert.equal(await second.run(countAccounts, null), 0);
  await second.close();
});

test("tables of an earlier schema are moved, and then brought up to date", async () => {
  await admin.query("drop schema public cascade; create schema public");
  const pool = new pg.Pool({ connectionString: fresh.url, max: 1, types: numericTypes });
  const client = await pool.connect();
  await migrate(postgresTx(client), 12);
  client.release();
  await pool.end();
  const database = await open();
  assert.equal(await database.run(countAccounts, null), 0);
  await database.close();
  assert.deepEqual(await names("public"), ["migrations"]);
  const { rows } = await admin.query("select max(id)::int as id from trunkline.migrations");
  assert.equal(rows[0].id, newestSchema);
});

test("a setting that names `public` moves nothing", async () => {
  const before = await names("public");
  const database = await open({ schema: "public" });
  assert.equal(await database.run(countAccounts, null), 1);
  await database.close();
  assert.deepEqual(await names("public"), before);
  assert.deepEqual(await names("trunkline"), []);
  // It says so in the database: another key is a second installation then, and not a mistake.
  const second = await open({ keyFingerprint: "theirs" });
  assert.equal(await second.run(countAccounts, null), 0);
  await second.close();
  assert.deepEqual(await names("public"), before);
  // Its own key is the same installation, whose setting has changed.
  const moved = await open({ schema: "elsewhere" });
  assert.equal(await moved.run(countAccounts, null), 1);
  await moved.close();
});

test("tables in a schema that the role's search path names are not moved, and the setting is named", async () => {
  const name = new URL(fresh.url).pathname.slice(1);
  const before = await names("public");
  await admin.query(`alter schema public rename to apart; alter database "${name}" set search_path to apart`);
  await assert.rejects(open(), refused(/schema apart, .* Set TRUNKLINE_DATABASE_SCHEMA=apart to go on/));
  assert.deepEqual(await names("apart"), before);
  const database = await open({ schema: "apart" });
  assert.equal(await database.run(countAccounts, null), 1);
  await database.close();
  const second = await open({ keyFingerprint: "theirs" });
  assert.equal(await second.run(countAccounts, null), 0);
  await second.close();
});

test("a setting that names another schema than the installation's is refused, and makes no empty tables", async () => {
  await (await open()).close();
  await admin.query("create schema other; create table other.installation_facts (name int, value int)");
  await assert.rejects(
    open({ schema: "second" }),
    refused(/schema trunkline has .* this master key, .* Set TRUNKLINE_DATABASE_SCHEMA=trunkline to go on/),
  );
  assert.deepEqual(await names("second"), []);
  const second = await open({ schema: "second", keyFingerprint: "theirs" });
  assert.equal(await second.run(countAccounts, null), 0);
  await second.close();
});

test("an installation with another key, a newer one and one that is not whole are refused, and stay", async () => {
  const before = await names("public");
  const stays = async (keyFingerprint: string | null, message: RegExp) => {
    await assert.rejects(open({ keyFingerprint }), refused(message));
    assert.deepEqual(await names("public"), before);
    assert.deepEqual(await names("trunkline"), []);
  };
  await stays("theirs", /Trunkline with another master key\. Start with the key that it was made with/);
  await stays(null, /Trunkline with another master key/);
  await admin.query("insert into migrations values (9999, 'from the future')");
  await stays("ours", /created by an unreleased version|has schema 9999, this version of Trunkline knows/);
  await admin.query("delete from migrations where id = 9999");
  await admin.query("alter table messages rename column status to state");
  await stays("ours", /table messages is not as its version made it \(column status text\)/);
  await admin.query("alter table messages rename column state to status");
  await (await open()).close();
});

test("a role that does not own the tables is refused, and they stay", async () => {
  const role = `stranger_${new URL(fresh.url).pathname.slice(1)}`;
  await admin.query(`create role "${role}" login; create schema trunkline authorization "${role}";
    grant select on all tables in schema public to "${role}"`);
  const url = new URL(fresh.url);
  url.username = role;
  const before = await names("public");
  await assert.rejects(
    openPostgres({ url: url.href, keyFingerprint: "ours" }),
    refused(/may not move .* \(must be owner of table \w+\)\. Start as the role that owns the tables\.$/),
  );
  assert.deepEqual(await names("public"), before);
});
