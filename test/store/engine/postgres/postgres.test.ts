// The PostgreSQL engine: its refusals at start, lost connections, repeated conflicts.

import assert from "node:assert/strict";
import test, { after, before, describe } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { countAccounts } from "#store/accounts/accounts.ts";
import {
  batchedOperation,
  type Database,
  readOperation,
  StorageError,
  type Tx,
  writeOperation,
} from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";

let fresh: FreshDatabase;
let database: Database;
let admin: pg.Pool;
before(async () => {
  fresh = await freshDatabase();
  database = await openPostgres({ url: fresh.url });
  admin = new pg.Pool({ connectionString: fresh.url, max: 2 });
  // The server may end a connection that is just being closed, when the database is dropped.
  admin.on("error", () => {});
});
after(async () => {
  await admin.end();
  await database.close();
  await fresh.drop();
});

const facts = async (name: string) =>
  (await admin.query("select value from installation_facts where name = $1", [name])).rows.length;
const insertFact = (tx: Tx, name: string) =>
  tx.db.insertInto("installation_facts").values({ name, value: "v" }).execute();
const backendPid = async (tx: Tx) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.db)).rows[0]!.pid;
const refusal = (fault: string, message: RegExp) => (error: unknown) =>
  error instanceof StorageError && error.fault === fault && message.test(error.message);

describe("start", () => {
  test("every connection flushes its commits, with every default of the server", async () => {
    const setting = readOperation("setting", async (tx, name: string) => {
      const { rows } = await sql<{ s: string }>`select current_setting(${name}) as s`.execute(tx.db);
      return rows[0]!.s;
    });
    const names = Array.from({ length: 12 }, () => "synchronous_commit");
    assert.deepEqual(
      await Promise.all(names.map((name) => database.run(setting, name))),
      names.map(() => "on"),
    );
    assert.equal(await database.run(setting, "lock_timeout"), "20s");
    assert.equal(await database.run(setting, "application_name"), "trunkline");
  });

  test("synchronous_commit = off, for the database or for the role, is refused", async () => {
    const own = await freshDatabase();
    const name = new URL(own.url).pathname.slice(1);
    const role = `unsafe_${name}`;
    const asRole = new URL(own.url);
    asRole.username = role;
    try {
      await admin.query(`alter database "${name}" set synchronous_commit = off`);
      await assert.rejects(openPostgres({ url: own.url }), refusal("failed", /synchronous_commit is off/));
      await admin.query(`alter database "${name}" reset synchronous_commit`);
      await (await openPostgres({ url: own.url })).close();
      await admin.query(`create role "${role}" superuser login`);
      await admin.query(`alter role "${role}" set synchronous_commit = off`);
      await assert.rejects(
        openPostgres({ url: asRole.href }),
        refusal("failed", /synchronous_commit is off/),
      );
    } finally {
      await own.drop();
      await admin.query(`drop role if exists "${role}"`);
    }
  });

  test("a wrong URL says what is wrong, and never the password", async () => {
    const change = (edit: (url: URL) => void) => {
      const url = new URL(fresh.url);
      url.password = "canary-password";
      edit(url);
      return url.href;
    };
    const urls: [string, RegExp][] = [
      [change((url) => (url.pathname = "/no_such_database")), /no_such_database.*does not exist/],
      [change((url) => (url.port = "1")), /ECONNREFUSED/],
      [change((url) => (url.username = "no_such_role")), /no_such_role.*does not exist/],
      ["postgres://", /PostgreSQL/],
    ];
    for (const [url, message] of urls) {
      await assert.rejects(openPostgres({ url, startMs: 0 }), (error) => {
        assert.ok(error instanceof StorageError, url);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /canary/);
        return true;
      });
    }
  });
});

describe("lost connections", () => {
  test("a backend that is terminated in a transaction: unavailable, nothing stored, the next call works", async () => {
    const cut = writeOperation("cut", async (tx, name: string) => {
      await insertFact(tx, name);
      await admin.query("select pg_terminate_backend($1, 5000)", [await backendPid(tx)]);
      await insertFact(tx, `${name} again`);
    });
    await assert.rejects(database.run(cut, "cut"), refusal("unavailable", /^cut: /));
    assert.equal(await facts("cut"), 0);
    assert.equal(await database.run(getOrSetFact, { name: "cut", value: "later" }), "later");
  });

  test("a group whose backend is terminated is refused whole, and not run a second time", async () => {
    let runs = 0;
    const cut = batchedOperation("cutGroup", async (tx, names: readonly string[]) => {
      runs += 1;
      for (const name of names) await insertFact(tx, name);
      await admin.query("select pg_terminate_backend($1, 5000)", [await backendPid(tx)]);
      await insertFact(tx, "never");
      return names.map(() => true);
    });
    const names = Array.from({ length: 10 }, (_, i) => `group ${i}`);
    const results = await Promise.allSettled(names.map((name) => database.run(cut, name)));
    for (const result of results) {
      assert.ok(result.status === "rejected" && result.reason.fault === "unavailable");
    }
    assert.ok(runs <= 3, "two groups of one, the others together");
    for (const name of names) assert.equal(await facts(name), 0);
  });

  test("idle connections that are cut harm no caller", async () => {
    await Promise.all(Array.from({ length: 12 }, () => database.run(countAccounts, null)));
    await admin.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'trunkline' and datname = current_database()",
    );
    // The pool hears of it within a turn or two; a call that is quicker than that is refused, not hung.
    await new Promise((resolve) => setImmediate(resolve));
    await database.run(countAccounts, null).catch((error) => assert.equal(error.fault, "unavailable"));
    for (let i = 0; i < 12; i++) await database.run(countAccounts, null).catch(() => {});
    assert.equal(await database.run(countAccounts, null), 0);
  });

  test("after closing, calls are refused", async () => {
    const own = await openPostgres({ url: fresh.url });
    await own.close();
    await assert.rejects(own.run(countAccounts, null), refusal("unavailable", /closed/));
  });
});

describe("conflicts between transactions", () => {
  test("a serialisation failure is tried again, and given up after five tries", async () => {
    let failures = 4;
    let runs = 0;
    const conflicting = writeOperation("conflicting", async (tx, name: string) => {
      runs += 1;
      await insertFact(tx, name);
      if (failures-- > 0)
        await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx.db);
      return runs;
    });
    assert.equal(await database.run(conflicting, "serial"), 5);
    assert.equal(await facts("serial"), 1);
    failures = 99;
    runs = 0;
    await assert.rejects(database.run(conflicting, "serial 2"), refusal("failed", /^conflicting: /));
    assert.equal(runs, 5);
    assert.equal(await facts("serial 2"), 0);
  });

  test("of two transactions in a deadlock both succeed, one of them at a later try", async () => {
    for (const name of ["left", "right"]) await database.run(getOrSetFact, { name, value: "0" });
    let runs = 0;
    let arrived = 0;
    const both = Promise.withResolvers<void>();
    const cross = writeOperation("cross", async (tx, names: [string, string]) => {
      runs += 1;
      await sql`set local deadlock_timeout = '10ms'`.execute(tx.db);
      const add = (name: string) =>
        sql`update installation_facts set value = (value::int + 1)::text where name = ${name}`.execute(tx.db);
      await add(names[0]);
      arrived += 1;
      if (arrived === 2) both.resolve();
      await both.promise;
      await add(names[1]);
    });
    await Promise.all([database.run(cross, ["left", "right"]), database.run(cross, ["right", "left"])]);
    // The one that was ended may take its first row again before the other has woken up: then they deadlock again.
    assert.ok(runs >= 3 && runs <= 6, `${runs} tries`);
    const { rows } = await admin.query(
      "select value from installation_facts where name in ('left', 'right')",
    );
    assert.deepEqual(
      rows.map(({ value }) => value),
      ["2", "2"],
    );
  });

  test("a fault of the operation's own is failed, and rolls back", async () => {
    const broken = writeOperation("broken", async (tx, name: string) => {
      await insertFact(tx, name);
      await sql`select 1 / 0`.execute(tx.db);
    });
    await assert.rejects(database.run(broken, "broken"), refusal("failed", /division by zero/));
    assert.equal(await facts("broken"), 0);
    const buggy = readOperation("buggy", async () => (undefined as unknown as string).length);
    await assert.rejects(database.run(buggy, null), refusal("failed", /^buggy: /));
  });
});
