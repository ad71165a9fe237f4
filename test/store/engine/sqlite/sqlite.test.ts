// The SQLite engine: start-up and its refusals, the one-process lock, modes and flushing.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { countAccounts } from "#store/accounts/accounts.ts";
import { readOperation, StorageError } from "#store/database.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { storeSends } from "#store/messages/insert.ts";
import { makeAccount, makeGateway, makeMessages, sendOf } from "../../rows.ts";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-sqlite-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const holderFile = fileURLToPath(new URL("./holder.ts", import.meta.url));
const mode = (path: string) => statSync(path).mode & 0o777;

async function startHolder(path: string): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn(process.execPath, [holderFile, path], { stdio: ["pipe", "pipe", "inherit"] });
  const output = await new Promise<string>((resolve) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.endsWith("\n")) resolve(text.trim());
    });
    child.once("exit", () => resolve(text.trim()));
  });
  return { child, output };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

test("a new database is its owner's alone: folder 0700, every file 0600", async () => {
  const path = join(folder, "new", "deep", "trunkline.db");
  const database = await openSqlite({ path });
  await makeAccount(database);
  assert.equal(mode(join(folder, "new", "deep")), 0o700);
  for (const suffix of ["", "-wal", "-shm", ".lock"]) assert.equal(mode(path + suffix), 0o600, suffix);
  await database.close();
});

test("files left readable by others are closed again", async () => {
  const path = join(folder, "open.db");
  await (await openSqlite({ path })).close();
  chmodSync(path, 0o644);
  const database = await openSqlite({ path });
  assert.equal(mode(path), 0o600);
  await database.close();
});

test("what was committed is there again after closing", async () => {
  const path = join(folder, "again.db");
  const first = await openSqlite({ path });
  await makeMessages(first, { count: 3 });
  await first.close();
  const second = await openSqlite({ path });
  assert.equal(await second.run(countAccounts, null), 1);
  await second.close();
  const raw = new DatabaseSync(path, { readOnly: true });
  assert.equal(raw.prepare("select count(*) as n from messages").get()?.n, 3);
  assert.equal(raw.prepare("pragma journal_mode").get()?.journal_mode, "wal");
  assert.equal(raw.prepare("pragma integrity_check").get()?.integrity_check, "ok");
  raw.close();
});

test("a schema that is newer than this code is refused, and nothing is changed", async () => {
  const path = join(folder, "newer.db");
  await (await openSqlite({ path })).close();
  let raw = new DatabaseSync(path);
  raw.exec("insert into migrations (id, name) values (9999, 'from the future')");
  raw.close();
  await assert.rejects(
    openSqlite({ path }),
    (error) =>
      error instanceof StorageError && /schema 9999, this version of Trunkline knows \d+/.test(error.message),
  );
  raw = new DatabaseSync(path);
  raw.exec("delete from migrations where id = 9999");
  raw.close();
  // The refusal let go of the lock.
  await (await openSqlite({ path })).close();
});

test("a file that is no database is refused with a StorageError", async () => {
  const path = join(folder, "text.db");
  writeFileSync(path, "This is a letter, not a database. ".repeat(100));
  await assert.rejects(openSqlite({ path }), (error) => error instanceof StorageError);
});

test("a folder that is a file is refused with a StorageError that names the path", async () => {
  writeFileSync(join(folder, "file"), "");
  const path = join(folder, "file", "trunkline.db");
  await assert.rejects(
    openSqlite({ path }),
    (error) =>
      error instanceof StorageError && error.message.includes(path) && !/Another process/.test(error.message),
  );
});

test("a second opening in the same process is refused", async () => {
  const path = join(folder, "twice.db");
  const database = await openSqlite({ path });
  await assert.rejects(openSqlite({ path }), { name: "StorageError", message: /Another process is using/ });
  assert.equal(await database.run(countAccounts, null), 0, "the first one is unharmed");
  await database.close();
});

test("a second process is refused while the first lives, and not after kill -9", async () => {
  const path = join(folder, "held.db");
  const holder = await startHolder(path);
  try {
    assert.equal(holder.output, "open");
    await assert.rejects(
      openSqlite({ path }),
      (error) =>
        error instanceof StorageError &&
        error.fault === "unavailable" &&
        /need PostgreSQL/.test(error.message),
    );
    const third = await startHolder(path);
    assert.match(third.output, /^refused unavailable Another process is using/);
  } finally {
    await kill(holder.child);
  }
  const database = await openSqlite({ path });
  const other = await startHolder(path);
  assert.match(other.output, /^refused unavailable/, "and the other way round");
  await database.close();
});

test("calls before closing are answered, calls after it refused", async () => {
  const database = await openSqlite({ path: join(folder, "closing.db") });
  const kept = Array.from({ length: 50 }, (_, i) =>
    database.run(getOrSetFact, { name: `n${i}`, value: "v" }),
  );
  const closing = database.close();
  assert.equal((await Promise.all(kept)).length, 50);
  await closing;
  await assert.rejects(database.run(countAccounts, null), { name: "StorageError", fault: "unavailable" });
});

test("an operation that no thread knows fails alone", async () => {
  const database = await openSqlite({ path: join(folder, "unknown.db") });
  const unknown = readOperation("noSuchOperation", async (_tx, _: null) => null);
  const [bad, good] = await Promise.allSettled([
    database.run(unknown, null),
    database.run(countAccounts, null),
  ]);
  assert.ok(bad.status === "rejected" && bad.reason instanceof StorageError && bad.reason.fault === "failed");
  assert.ok(good.status === "fulfilled");
  await database.close();
});

test("a fault in one operation undoes none of those that went in the same transaction", async () => {
  const database = await openSqlite({ path: join(folder, "mixed.db") });
  const accountId = await makeAccount(database);
  const gatewayId = await makeGateway(database, accountId);
  const good = sendOf(accountId, gatewayId, { count: 2 });
  const poisoned = sendOf(accountId, gatewayId);
  poisoned.messages[0]!.body = null as unknown as string;
  const results = await Promise.allSettled([
    database.run(getOrSetFact, { name: "first", value: "1" }),
    database.run(storeSends, good),
    database.run(storeSends, poisoned),
    database.run(getOrSetFact, { name: "second", value: "2" }),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled"],
  );
  assert.equal(await database.run(getOrSetFact, { name: "second", value: "other" }), "2");
  await database.close();
});
