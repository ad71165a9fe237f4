// Readiness on a real PostgreSQL whose connections are cut: red while it is away, and not a moment longer. The clock does
// not move at all, so what is green again is so by what storage does, not because time passed.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { sql } from "kysely";
import { movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError, writeOperation } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { watchStorage } from "#store/engine/storage-health.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { type FreshDatabase, freshDatabase } from "../../../postgres.ts";
import { type CommitProxy, startProxy } from "./proxy.ts";

let fresh: FreshDatabase;
let proxy: CommitProxy;
let opened: Database;
let it: ReturnType<typeof watchStorage>;
const clock = movableClock();
before(async () => {
  fresh = await freshDatabase();
  proxy = await startProxy(fresh.url);
  opened = await openPostgres({ url: proxy.url });
  it = watchStorage(opened, clock);
});
after(async () => {
  await opened.close();
  await proxy.close();
  await fresh.drop();
});

const write = (value: string) => it.database.run(getOrSetFact, { name: `fact ${value}`, value });
const checks = async (count: number) => {
  const answers: Record<string, number> = {};
  for (let i = 0; i < count; i++) {
    const answer = await it.check();
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
  return answers;
};

test("one connection that breaks among others that work turns nothing red", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, i) => write(String(i))));
  for (const how of ["before", "during", "after"] as const) {
    proxy.cutNext(how);
    await assert.rejects(
      write(how),
      (error) => error instanceof StorageError && error.fault === "commit_unknown",
    );
    assert.deepEqual(await checks(20), { ok: 20 });
  }
  // Idle ones that break are found by the check itself.
  proxy.cutOne();
  assert.deepEqual(await checks(20), { ok: 20 });
});

test("an outage is red at every check, and over with the first one after it", async () => {
  await proxy.down();
  await assert.rejects(write("down"), StorageError);
  assert.deepEqual(await checks(20), { "storage is unavailable": 20 });
  proxy.up();
  assert.deepEqual(await checks(50), { ok: 50 });
});

test("a server that takes no writes is red, though it answers reads", async () => {
  const name = new URL(fresh.url).pathname.slice(1);
  const readOnly = writeOperation("readOnly", async (tx, on: boolean) => {
    await sql`set local transaction_read_only = off`.execute(tx.db);
    await sql
      .raw(`alter database "${name}" set default_transaction_read_only = ${on ? "on" : "off"}`)
      .execute(tx.db);
  });
  await opened.run(readOnly, true);
  await proxy.down();
  proxy.up();
  // A failover ends all connections; the calls that meet that, and then the writes, are refused.
  for (let i = 0; i < 8; i++) await write(`standby ${i}`).catch(() => {});
  assert.deepEqual(await checks(10), { "storage is unavailable": 10 });
  await opened.run(readOnly, false);
  await proxy.down();
  proxy.up();
  await checks(8);
  assert.deepEqual(await checks(10), { ok: 10 });
});
