// Connections when the server has no room for more: callers share those that are there, and the server is not asked again
// for each of them.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Database, readOperation, StorageError } from "#store/database.ts";
import { acquireFirst } from "#store/engine/postgres/acquire.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";
import { type CommitProxy, startProxy } from "./proxy.ts";

let fresh: FreshDatabase;
let admin: pg.Client;
let proxy: CommitProxy;
let role: string;
let url: string;
before(async () => {
  fresh = await freshDatabase();
  admin = new pg.Client({ connectionString: fresh.url });
  await admin.connect();
  role = `few_${new URL(fresh.url).pathname.slice(1)}`;
  await admin.query(`create role "${role}" login`);
  await admin.query(`create schema trunkline authorization "${role}"`);
  const asRole = new URL(fresh.url);
  asRole.username = role;
  proxy = await startProxy(asRole.href);
  url = proxy.url;
});
after(async () => {
  await proxy.close();
  await admin.query(`drop owned by "${role}"`);
  await admin.query(`drop role "${role}"`);
  await admin.end();
  await fresh.drop();
});

const allow = (connections: number) => admin.query(`alter role "${role}" connection limit ${connections}`);
const short = readOperation(
  "short",
  async (tx, _: null) => void (await sql`select pg_sleep(0.01)`.execute(tx.db)),
);
const backends = async () =>
  (await admin.query("select count(*)::int as n from pg_stat_activity where usename = $1", [role])).rows[0]
    .n as number;
const unavailable = (error: unknown) => error instanceof StorageError && error.fault === "unavailable";

test("a process has no more connections than it was configured for, the listening one included", async () => {
  await allow(-1);
  const database = await openPostgres({ url, connections: 4 });
  await Promise.all(Array.from({ length: 40 }, () => database.run(short, null)));
  assert.equal(await backends(), 4);
  await database.close();
});

test("with too little room for all, every caller is served by the connections that there are", async () => {
  await allow(3);
  const clock = movableClock();
  const database = await openPostgres({ url, connections: 12, clock });
  const asked = proxy.asked();
  await Promise.all(Array.from({ length: 200 }, () => database.run(short, null)));
  assert.equal(await backends(), 3);
  // Those that were under way when the server first refused, and none for the other callers.
  assert.ok(proxy.asked() - asked <= 30, `${proxy.asked() - asked} connections asked for by 200 callers`);
  // Later there may be room.
  await allow(-1);
  await clock.advance(5_000);
  await Promise.all(Array.from({ length: 200 }, () => database.run(short, null)));
  assert.equal(await backends(), 12);
  await database.close();
});

test("with no room at all a call is unavailable, and works again when there is some", async () => {
  await allow(-1);
  const database: Database = await openPostgres({ url, connections: 3 });
  await allow(0);
  await proxy.down();
  proxy.up();
  // A pool may hear a turn later that its idle connections are gone.
  await assert.rejects(async () => {
    for (let i = 0; i < 5; i++) await database.run(short, null);
  }, unavailable);
  await assert.rejects(database.run(short, null), unavailable);
  await allow(-1);
  await database.run(short, null);
  await database.close();
});

test("a start waits for room, for so long and no longer, and for nothing that waiting does not cure", async () => {
  let tries = 0;
  const refusing = (code: string, times: number) => {
    tries = 0;
    const connect = async () => {
      tries += 1;
      if (tries <= times) throw Object.assign(new Error("refused"), { code });
      return "client";
    };
    return { connect } as never;
  };
  const clock = movableClock();
  const waited = acquireFirst(refusing("53300", 2), 1000, clock);
  await clock.advance(150);
  assert.equal(await waited, "client");
  assert.equal(tries, 3);
  for (const code of ["ECONNREFUSED", "ENOTFOUND"]) {
    const reasons: unknown[] = [];
    const absent = acquireFirst(refusing(code, 3), 1000, clock, (error) => reasons.push(error));
    await clock.advance(350);
    assert.equal(await absent, "client");
    assert.deepEqual(
      reasons.map((error) => (error as { code: string }).code),
      [code],
      "one notice, before the wait",
    );
  }
  const inVain = assert.rejects(acquireFirst(refusing("57P03", 99), 10_000, clock), unavailable);
  await clock.advance(10_000);
  await inVain;
  assert.equal(tries, 15);
  await assert.rejects(acquireFirst(refusing("28P01", 1), 1000, clock), unavailable);
  assert.equal(tries, 1);
});
