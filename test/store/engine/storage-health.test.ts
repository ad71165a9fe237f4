// Readiness follows what storage did to the calls that were made anyway, and by what a check asks for itself.

import assert from "node:assert/strict";
import test from "node:test";
import { movableClock } from "#runtime/movable-clock.ts";
import { countAccounts } from "#store/accounts/accounts.ts";
import { type Database, StorageError, type StorageFault } from "#store/database.ts";
import { probeWrite } from "#store/engine/probe.ts";
import { watchStorage } from "#store/engine/storage-health.ts";

function watching() {
  const asked: string[] = [];
  /** What the next calls meet, by their order; afterwards `always`. */
  const next: (StorageFault | null)[] = [];
  let always: (access: "read" | "write") => StorageFault | null | "silence" = () => null;
  const opened: Database = {
    engine: "sqlite",
    run: async (operation) => {
      asked.push(operation.name);
      const fault = next.length > 0 ? next.shift()! : always(operation.access);
      if (fault === "silence") return await new Promise<never>(() => {});
      if (fault !== null) throw new StorageError(fault, "a fault");
      return 0 as never;
    },
    onChanges: () => () => {},
    notify: () => {},
    onNotify: () => {},
    close: async () => {},
  };
  const clock = movableClock();
  const it = watchStorage(opened, clock);
  return {
    ...it,
    clock,
    asked,
    next,
    fails: (how: typeof always) => {
      always = how;
    },
    read: () => it.database.run(countAccounts, null),
    write: () => it.database.run(probeWrite, 0),
  };
}

test("storage that works is ok, and a check asks for one read", async () => {
  const it = watching();
  assert.equal(await it.check(), "ok");
  assert.deepEqual(it.asked, ["probeRead"]);
});

test("a fault is passed on to the caller; one call's fault turns nothing red", async () => {
  const it = watching();
  for (const fault of ["unavailable", "commit_unknown"] as const) {
    it.next.push(fault);
    await assert.rejects(it.write(), (error) => error instanceof StorageError && error.fault === fault);
    assert.equal(await it.check(), "ok");
  }
});

test("a connection that breaks under the check is no fault: it asks once more", async () => {
  const it = watching();
  it.next.push("unavailable");
  assert.equal(await it.check(), "ok");
  it.next.push("unavailable", "unavailable");
  assert.equal(await it.check(), "storage is unavailable");
  assert.equal(await it.check(), "ok");
});

test("an outage is red as long as it lasts, and over with the first check that is answered", async () => {
  const it = watching();
  it.fails(() => "unavailable");
  for (let i = 0; i < 10; i++) {
    assert.equal(await it.check(), "storage is unavailable");
    await it.clock.advance(1000);
  }
  it.fails(() => null);
  assert.equal(await it.check(), "ok");
});

test("storage that answers reads and refuses writes is red once a write has met that", async () => {
  const it = watching();
  it.fails((access) => (access === "write" ? "unavailable" : null));
  assert.equal(await it.check(), "ok");
  await assert.rejects(it.write());
  for (let i = 0; i < 20; i++) {
    await it.read();
    assert.equal(await it.check(), "storage is unavailable");
    await it.clock.advance(1000);
  }
  it.fails(() => null);
  assert.equal(await it.check(), "ok");
  it.asked.length = 0;
  assert.equal(await it.check(), "ok");
  assert.deepEqual(it.asked, ["probeRead"], "once a write has passed, reads do again");
});

test("a write that began before the fault proves nothing", async () => {
  const it = watching();
  const begun = it.write();
  it.next.push("unavailable");
  const failing = it.write();
  await assert.rejects(failing);
  await begun;
  it.asked.length = 0;
  await it.check();
  assert.deepEqual(it.asked, ["probeRead", "probeWrite"]);
});

test("a full disk is red while large writes fail, although small ones pass between them; and for 2 s after the last", async () => {
  for (const fault of ["full", "io"] as const) {
    const it = watching();
    for (let i = 0; i < 10; i++) {
      it.next.push(fault);
      await assert.rejects(it.write());
      await it.write();
      assert.equal(await it.check(), `storage is ${fault}`);
      await it.clock.advance(1900);
      assert.equal(await it.check(), `storage is ${fault}`);
    }
    await it.clock.advance(100);
    assert.equal(await it.check(), "ok");
  }
});

test("a disk on which not even a small write passes is red for as long as that lasts", async () => {
  const it = watching();
  it.fails((access) => (access === "write" ? "full" : null));
  await assert.rejects(it.write());
  for (let i = 0; i < 20; i++) {
    assert.equal(await it.check(), "storage is full");
    await it.clock.advance(3000);
  }
  it.fails(() => null);
  await it.clock.advance(2000);
  assert.equal(await it.check(), "ok");
});

test("checks at the same time share one look, and storage that does not answer is red after 5 s", async () => {
  const it = watching();
  it.fails(() => "silence");
  const checks = Promise.all(Array.from({ length: 50 }, () => it.check()));
  await it.clock.advance(5000);
  assert.deepEqual(new Set(await checks), new Set(["storage does not answer"]));
  assert.equal(it.asked.length, 1);
  assert.equal(it.clock.sleeping(), 0);
});

test("a bug of ours in a call is no fault of storage", async () => {
  const it = watching();
  it.next.push("failed");
  await assert.rejects(it.read());
  assert.equal(await it.check(), "ok");
});
