// What every way in which PostgreSQL can fail means for the caller: one table, on a real server where that can be made to fail.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { sql } from "kysely";
import {
  type Database,
  readOperation,
  StorageError,
  type StorageFault,
  writeOperation,
} from "#store/database.ts";
import {
  connectFaultOf,
  faultOf,
  isTemporaryRefusal,
  recordConnectionError,
} from "#store/engine/postgres/errors.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";

/** PostgreSQL's code, its name, and what it means. */
const states: [string, string, StorageFault][] = [
  ["08006", "connection_failure", "unavailable"],
  ["25006", "read_only_sql_transaction", "unavailable"],
  ["25P03", "idle_in_transaction_session_timeout", "unavailable"],
  ["25P04", "transaction_timeout", "unavailable"],
  ["53000", "insufficient_resources", "unavailable"],
  ["53100", "disk_full", "full"],
  ["53200", "out_of_memory", "unavailable"],
  ["53300", "too_many_connections", "unavailable"],
  ["55P03", "lock_not_available", "unavailable"],
  ["57014", "query_canceled (statement timeout)", "unavailable"],
  ["57P01", "admin_shutdown", "unavailable"],
  ["57P02", "crash_shutdown", "unavailable"],
  ["57P03", "cannot_connect_now", "unavailable"],
  ["57P05", "idle_session_timeout", "unavailable"],
  ["58000", "system_error", "io"],
  ["58030", "io_error", "io"],
  ["XX001", "data_corrupted", "io"],
  ["XX002", "index_corrupted", "io"],
  ["22012", "division_by_zero", "failed"],
  ["23505", "unique_violation", "failed"],
  ["25P02", "in_failed_sql_transaction", "failed"],
  ["42P01", "undefined_table", "failed"],
  ["P0001", "raise_exception", "failed"],
  ["XX000", "internal_error", "failed"],
];

let fresh: FreshDatabase;
let database: Database;
before(async () => {
  fresh = await freshDatabase();
  database = await openPostgres({ url: fresh.url });
});
after(async () => {
  await database.close();
  await fresh.drop();
});

const raising = (code: string) =>
  sql.raw(`do $$ begin raise exception 'as asked' using errcode = '${code}'; end $$`);
const is = (fault: StorageFault) => (error: unknown) => {
  assert.ok(error instanceof StorageError, String(error));
  assert.equal(error.fault, fault);
  return true;
};

for (const [code, name, fault] of states) {
  test(`${code} ${name}: ${fault}, from reads and from writes, and the next call works`, async () => {
    const write = writeOperation("write", async (tx, _: null) => void (await raising(code).execute(tx.db)));
    const read = readOperation("read", async (tx, _: null) => void (await raising(code).execute(tx.db)));
    await assert.rejects(database.run(write, null), is(fault));
    await assert.rejects(database.run(read, null), is(fault));
    assert.equal(await database.run(getOrSetFact, { name: "after", value: "1" }), "1");
  });
}

test("a statement that takes too long is unavailable", async () => {
  const slow = writeOperation("slow", async (tx, _: null) => {
    await sql`set local statement_timeout = 1`.execute(tx.db);
    await sql`select pg_sleep(10)`.execute(tx.db);
  });
  await assert.rejects(database.run(slow, null), is("unavailable"));
});

test("a read-only server is unavailable", async () => {
  const standby = writeOperation("standby", async (tx, _: null) => {
    await sql`set local transaction_read_only = on`.execute(tx.db);
    await tx.db.insertInto("installation_facts").values({ name: "x", value: "y" }).execute();
  });
  await assert.rejects(database.run(standby, null), is("unavailable"));
});

test("an operation's own exception is a bug, with or without a code, and keeps the connection", async () => {
  const backend = readOperation("backend", async (tx, _: null) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.db);
    return rows[0]!.pid;
  });
  const before = await database.run(backend, null);
  for (const thrown of [
    new Error("no rows"),
    Object.assign(new Error("odd"), { code: "ODD" }),
    new TypeError("undefined is not a function"),
    "a text",
    null,
  ]) {
    const write = writeOperation("write", async () => {
      throw thrown;
    });
    const read = readOperation("read", async () => {
      throw thrown;
    });
    await assert.rejects(database.run(write, null), is("failed"));
    await assert.rejects(database.run(read, null), is("failed"));
  }
  const none = readOperation("none", (tx, _: null) =>
    tx.db.selectFrom("installation_facts").selectAll().where("name", "=", "none").executeTakeFirstOrThrow(),
  );
  await assert.rejects(database.run(none, null), is("failed"));
  assert.equal(await database.run(backend, null), before);
});

test("errors of the connection are unavailable, with every code", () => {
  const of = (code?: string, message = "as it comes") => {
    const error = Object.assign(new Error(message), code === undefined ? {} : { code });
    recordConnectionError(error);
    return error;
  };
  for (const code of [
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
  ])
    assert.equal(faultOf(of(code)), "unavailable", code);
  for (const message of [
    "Connection terminated unexpectedly",
    "timeout exceeded when trying to connect",
    "Query read timeout",
    "Client has encountered a connection error and is not queryable",
  ])
    assert.equal(faultOf(of(undefined, message)), "unavailable", message);
});

test("that no connection is to be had is never the caller's fault", () => {
  for (const code of ["28P01", "3D000", "53300", "57P03", "ECONNREFUSED"])
    assert.equal(connectFaultOf(Object.assign(new Error(""), { code })), "unavailable", code);
  assert.equal(connectFaultOf(Object.assign(new Error(""), { code: "53100" })), "full");
  assert.equal(connectFaultOf(new Error("timeout exceeded when trying to connect")), "unavailable");
  assert.deepEqual(
    ["53300", "57P03", "28P01", "ECONNREFUSED"].map((code) => isTemporaryRefusal({ code })),
    [true, true, false, false],
  );
  assert.equal(isTemporaryRefusal(null), false);
});
