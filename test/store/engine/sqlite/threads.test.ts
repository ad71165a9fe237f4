// Threads that serve one store after another: what is given back, what is not, and that nothing of a store stays in them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import type { Worker } from "node:worker_threads";
import { countAccounts } from "#store/accounts/accounts.ts";
import type { StorageError } from "#store/database.ts";
import { probeRead } from "#store/engine/probe.ts";
import { openSqlite, type SqliteThreads } from "#store/engine/sqlite/sqlite.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { keepThreads } from "../../../sqlite.ts";
import { makeMessages } from "../../rows.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-threads-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const kept = keepThreads();

/** The kept threads, with a record of what is taken and given back. */
function recorded() {
  const taken: Worker[] = [];
  const returned: Worker[] = [];
  const threads: SqliteThreads = {
    take: (access) => {
      const worker = kept.take(access);
      taken.push(worker);
      return worker;
    },
    give: (worker, access) => {
      returned.push(worker);
      return kept.give(worker, access);
    },
  };
  return { threads, taken, returned };
}

test("two threads serve store after store, and each store has its own rows alone", async () => {
  const { threads, taken, returned } = recorded();
  for (const name of ["one", "two", "three"]) {
    const database = await openSqlite({ path: join(folder, `${name}.db`), threads });
    assert.equal(await database.run(countAccounts, null), 0, name);
    await makeMessages(database, { count: 2 });
    assert.equal(await database.run(countAccounts, null), 1, name);
    await database.close();
    await assert.rejects(database.run(countAccounts, null), { message: "The database is closed." });
  }
  assert.equal(taken.length, 6);
  assert.equal(new Set(taken).size, 2);
  assert.equal(returned.length, 6);
  const first = await openSqlite({ path: join(folder, "one.db"), threads });
  assert.equal(await first.run(countAccounts, null), 1, "the first file, opened again");
  await first.close();
});

test("stores that are open at once have threads of their own", async () => {
  const { threads, taken } = recorded();
  const open = (name: string) => openSqlite({ path: join(folder, `${name}.db`), threads });
  const [one, two] = await Promise.all([open("left"), open("right")]);
  assert.equal(new Set(taken).size, 4);
  await one.run(getOrSetFact, { name: "side", value: "left" });
  assert.equal(await two.run(getOrSetFact, { name: "side", value: "right" }), "right");
  await Promise.all([one.close(), two.close()]);
});

test("a thread is given back once the calls before the end are answered", async () => {
  const { threads, returned } = recorded();
  const database = await openSqlite({ path: join(folder, "busy.db"), threads });
  let answered = 0;
  const calls = Array.from({ length: 20 }, (_, i) =>
    database.run(getOrSetFact, { name: `n${i}`, value: "v" }).then(() => {
      answered += 1;
      assert.equal(returned.length < 2, true, "the writer is not given back yet");
    }),
  );
  await database.close();
  assert.equal(answered, 20);
  await Promise.all(calls);
  assert.equal(returned.length, 2);
});

test("a thread that died is not given back, and the next store is well", async () => {
  const { threads, taken, returned } = recorded();
  const path = join(folder, "died.db");
  const database = await openSqlite({ path, threads });
  const [writer, reader] = taken;
  const call = database.run(getOrSetFact, { name: "n", value: "v" }).then(
    () => "answered",
    ({ message }) => message,
  );
  await writer!.terminate();
  assert.match(await call, /^answered$|The SQLite thread ended/);
  await assert.rejects(database.run(getOrSetFact, { name: "n", value: "v" }), { fault: "unavailable" });
  await database.close();
  assert.deepEqual(returned, [reader]);
  const next = await openSqlite({ path, threads });
  assert.equal(await next.run(getOrSetFact, { name: "m", value: "w" }), "w");
  await next.close();
});

for (const [index, access] of (["write", "read"] as const).entries())
  test(`a ${access} thread that ends by itself is reported once, and a call in flight has an outcome`, async () => {
    const { threads, taken } = recorded();
    const deaths: StorageError[] = [];
    const path = join(folder, `${access}.db`);
    const database = await openSqlite({ path, threads, onDeath: (error) => deaths.push(error) });
    const outcome = (call: Promise<unknown>) =>
      call.then(
        () => "answered",
        ({ fault }: StorageError) => fault,
      );
    const write = outcome(database.run(getOrSetFact, { name: "n", value: "v" }));
    const read = outcome(database.run(probeRead, null));
    // Both calls are with their threads.
    await new Promise((resolve) => setImmediate(resolve));
    await taken[index]!.terminate();
    const [ofWrite, ofRead] = [await write, await read];
    assert.match(ofWrite, access === "write" ? /^(answered|commit_unknown)$/ : /^answered$/);
    assert.match(ofRead, access === "read" ? /^(answered|unavailable)$/ : /^answered$/);
    assert.deepEqual(
      deaths.map(({ message }) => message),
      ["The SQLite thread ended."],
    );
    await database.close();
    assert.equal(deaths.length, 1, "closing is no death");
  });

test("an idle thread that ends is not taken", async () => {
  const { threads, taken } = recorded();
  const path = join(folder, "idle.db");
  await (await openSqlite({ path, threads })).close();
  await taken[0]!.terminate();
  const next = await openSqlite({ path, threads });
  assert.equal(await next.run(getOrSetFact, { name: "m", value: "w" }), "w");
  await next.close();
  assert.equal(new Set(taken).size, 3);
});

test("a thread that could not open its file ends, and is not given back", async () => {
  const { threads, taken, returned } = recorded();
  const path = join(folder, "text.db");
  writeFileSync(path, "This is a letter, not a database. ".repeat(100));
  await assert.rejects(openSqlite({ path, threads }), { name: "StorageError" });
  assert.deepEqual(returned, []);
  assert.deepEqual(
    taken.map(({ threadId }) => threadId),
    [-1, -1],
    "the id of a thread that has ended",
  );
});

test("without a pool the threads end with their store", async () => {
  const threads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
  const before = threads();
  const database = await openSqlite({ path: join(folder, "own.db") });
  assert.equal(threads() > before, true);
  await database.close();
  assert.equal(threads(), before);
});
