// A pooler in transaction mode in front of PostgreSQL is found at the start, and everything works through it although no session is kept.

import assert from "node:assert/strict";
import test, { after, before, describe } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { type Database, readOperation, type StorageError, type Tx, writeOperation } from "#store/database.ts";
import { inspectPostgres } from "#store/engine/postgres/inspect.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { probeWrite } from "#store/engine/probe.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";
import { findPgbouncer, type Pooler, type PoolMode, startPgbouncer, startPooler } from "./pooler-server.ts";

const program = findPgbouncer();
const kinds: [string, ((target: string, mode: PoolMode) => Promise<Pooler>) | null][] = [
  ["one that takes turns", (target, mode) => startPooler(target, 3, mode)],
  ["one with a single connection", (target) => startPooler(target, 1)],
  ["PgBouncer", program === null ? null : (target, mode) => startPgbouncer(program, target, mode)],
];

const names = ["search_path", "synchronous_commit", "statement_timeout", "lock_timeout"];
const settingsOf = async (tx: Tx) => {
  const found: string[] = [];
  for (const name of names) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(tx.db);
    found.push(rows[0]!.value);
  }
  return found;
};
const ours = ["trunkline", "on", "1min", "20s"];
const readSettings = readOperation("readSettings", settingsOf);
const writeSettings = writeOperation("writeSettings", settingsOf);

for (const [kind, start] of kinds) {
  describe(`behind ${kind}`, { skip: start === null && "PgBouncer is not installed" }, () => {
    let fresh: FreshDatabase;
    let pooler: Pooler;
    let one: Database;
    let other: Database;
    const notices: string[] = [];
    const notice = (event: string, sentence: string) => notices.push(`${event}: ${sentence}`);
    before(async () => {
      fresh = await freshDatabase({ bare: true });
      pooler = await start!(fresh.url, "transaction");
      one = await openPostgres({ url: pooler.url, notice });
      other = await openPostgres({ url: pooler.url, listenUrl: fresh.url, notice });
    });
    after(async () => {
      await one.close();
      await other.close();
      await pooler.close();
      await fresh.drop();
    });

    test("the start and the doctor say so, in one sentence", async () => {
      assert.deepEqual(notices, [
        "pooler: PostgreSQL is behind a pooler in transaction mode: each transaction brings its own settings, and other processes are noticed by polling, once a second, unless TRUNKLINE_DATABASE_LISTEN_URL leads past the pooler.",
        "pooler: PostgreSQL is behind a pooler in transaction mode: each transaction brings its own settings, and notifications come over TRUNKLINE_DATABASE_LISTEN_URL.",
      ]);
      const looks: [string, string | undefined, RegExp | null][] = [
        [fresh.url, undefined, null],
        [pooler.url, undefined, /by polling, once a second/],
        [pooler.url, fresh.url, /come over TRUNKLINE_DATABASE_LISTEN_URL/],
        [pooler.url, pooler.url, /leads to such a pooler too/],
      ];
      for (const [url, listenUrl, expected] of looks) {
        const found = await inspectPostgres(url, "trunkline", listenUrl);
        assert.ok("schema" in found && found.schema === found.newestSchema, JSON.stringify(found));
        if (expected === null) assert.equal(found.pooler, null);
        else assert.match(found.pooler ?? "", expected);
      }
    });

    test("each read and write has the settings and finds the tables, whichever session it gets", async () => {
      const calls = Array.from({ length: 20 }, (_, i) => [
        one.run(readSettings, null),
        other.run(writeSettings, null),
        one.run(getOrSetFact, { name: `fact ${i % 5}`, value: "v" }).then(() => ours),
        other.run(probeWrite, i).then(() => ours),
      ]);
      for (const found of await Promise.all(calls.flat())) assert.deepEqual(found, ours);
    });

    test("a failed transaction leaves nothing behind, and no session of others is changed", async () => {
      const broken = writeOperation("broken", async (tx) => {
        await tx.db.insertInto("installation_facts").values({ name: "broken", value: "v" }).execute();
        await sql`select 1 / 0`.execute(tx.db);
      });
      for (let i = 0; i < 5; i++)
        await assert.rejects(one.run(broken, null), (error) => (error as StorageError).fault === "failed");
      assert.equal(await one.run(getOrSetFact, { name: "broken", value: "none" }), "none");
      const otherClient = new pg.Client({ connectionString: pooler.url });
      await otherClient.connect();
      for (let i = 0; i < 5; i++) {
        const { rows } = await otherClient.query("show search_path");
        assert.equal(rows[0].search_path, '"$user", public');
        assert.equal((await otherClient.query("select name from pg_prepared_statements")).rowCount, 0);
        assert.equal((await otherClient.query("select pg_listening_channels()")).rowCount, 0);
      }
      await otherClient.end();
    });

    test("notifications arrive over the direct address", async () => {
      const heard = new Promise<string>((resolve) => other.onNotify(resolve));
      one.notify("lanes");
      assert.equal(await heard, "lanes");
    });
  });
}

for (const [kind, start] of kinds.filter(([name]) => name !== "one with a single connection")) {
  test(`${kind}, in session mode, works as without a pooler`, {
    skip: start === null && "PgBouncer is not installed",
  }, async () => {
    const fresh = await freshDatabase({ bare: true });
    const pooler = await start!(fresh.url, "session");
    const database = await openPostgres({ url: pooler.url, connections: 3, notice: assert.fail });
    const heard = new Promise<string>((resolve) => database.onNotify(resolve));
    database.notify("lanes");
    assert.equal(await heard, "lanes");
    assert.deepEqual(await database.run(readSettings, null), ours);
    await database.close();
    await pooler.close();
    await fresh.drop();
  });
}
