// Readiness goes by what storage did to the calls that were made anyway: a fault shows, and is forgotten after a while.

import assert from "node:assert/strict";
import test from "node:test";
import { countAccounts } from "#store/accounts.ts";
import { type Database, StorageError, type StorageFault } from "#store/database.ts";
import { watchStorage } from "#store/watch.ts";

function watching() {
  let fault: StorageFault | null = null;
  let now = 0;
  const opened: Database = {
    engine: "sqlite",
    run: async () => {
      if (fault !== null) throw new StorageError(fault, "a fault");
      return 0 as never;
    },
    announce: () => {},
    onAnnounced: () => {},
    close: async () => {},
  };
  const clock = { now: () => 0, monotonic: () => now, sleep: async () => {} };
  return {
    ...watchStorage(opened, clock),
    fail: (kind: StorageFault | null) => (fault = kind),
    pass: (ms: number) => (now += ms),
  };
}

test("storage that works is ok", async () => {
  assert.equal(await watching().check(), "ok");
});

test("a fault is passed on to whoever called, and shows for a while after it is over", async () => {
  const it = watching();
  it.fail("full");
  await assert.rejects(it.database.run(countAccounts, null), StorageError);
  it.fail(null);
  assert.equal(await it.check(), "storage is full");
  it.pass(9_999);
  assert.equal(await it.check(), "storage is full");
  it.pass(1);
  assert.equal(await it.check(), "ok");
});

test("a database that nobody asked shows its faults to the check", async () => {
  const it = watching();
  it.fail("unavailable");
  assert.equal(await it.check(), "storage is unavailable");
});

test("a bug of ours is no fault of storage", async () => {
  const it = watching();
  it.fail("failed");
  await assert.rejects(it.database.run(countAccounts, null));
  assert.equal(await it.check(), "ok");
});
