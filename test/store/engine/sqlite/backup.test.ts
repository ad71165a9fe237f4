// A backup of a database in use: whole, of one moment, held, for no other user to read; or none at all.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { after } from "node:test";
import { backupSqlite } from "#store/engine/sqlite/backup.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { readRestoreHold } from "#store/maintenance/restore-hold.ts";
import { storeSends } from "#store/messages/insert.ts";
import { newestSchema } from "#store/schema/migrate.ts";
import { openKept } from "../../../sqlite.ts";
import { makeMessages, now, sendOf } from "../../rows.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-backup-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A folder of its own for a case, with a database that is open in this process. */
async function installation() {
  const own = mkdtempSync(join(folder, "case-"));
  const path = join(own, "trunkline.db");
  const database = await openKept(path);
  const rows = await makeMessages(database, { count: 3 });
  const file = join(own, "copy.db");
  return { own, path, database, file, ...rows };
}

const back = (from: { path: string; file: string }) =>
  backupSqlite({ path: from.path, file: from.file, at: now, tag: "t" });

const left = (own: string) => readdirSync(own).filter((name) => !name.startsWith("trunkline.db"));

function ask(path: string, query: string): unknown {
  const raw = new DatabaseSync(path, { readOnly: true });
  try {
    return Object.values(raw.prepare(query).get() ?? {})[0];
  } finally {
    raw.close();
  }
}

test("the copy is one file of 0600, whole, with what was pending held; the original is as it was", async () => {
  const it = await installation();
  await it.database.run(getOrSetFact, { name: "master_key", value: "a fingerprint" });
  const backup = await back(it);
  const { size, mode } = statSync(it.file);
  assert.deepEqual(backup, {
    bytes: size,
    messages: 3,
    held: { at: now, messages: 3, deliveries: 0, events: 0 },
    masterKey: "a fingerprint",
  });
  assert.equal(mode & 0o777, 0o600);
  assert.deepEqual(left(it.own), ["copy.db"]);
  assert.equal(ask(it.file, "pragma integrity_check"), "ok");
  assert.equal(ask(it.file, "select count(*) from messages where due_at is not null"), 0);
  assert.equal(ask(it.path, "select count(*) from messages where due_at is not null"), 3);
  assert.equal(ask(it.path, "select count(*) from installation_facts where name = 'held'"), 0);
  assert.equal(await it.database.run(readRestoreHold, null), null);
  await it.database.close();
  const restored = await openKept(it.file);
  assert.equal((await restored.run(readRestoreHold, null))?.messages, 3);
  await restored.close();
});

test("a transaction that is open is not in it, and does not keep it waiting", async () => {
  const it = await installation();
  const writer = new DatabaseSync(it.path);
  writer.exec(
    "begin immediate; update messages set body = 'half'; insert into installation_facts values ('half', '1')",
  );
  const backup = await back(it);
  writer.exec("rollback");
  writer.close();
  assert.equal(backup.messages, 3);
  assert.equal(ask(it.file, "select count(*) from installation_facts where name = 'half'"), 0);
  assert.equal(ask(it.file, "select count(*) from messages where body = 'half'"), 0);
  await it.database.close();
});

test("a closed database can be copied too, and what is only in its journal is in the copy", async () => {
  const it = await installation();
  // Past the last checkpoint, in the file beside it.
  await it.database.run(storeSends, sendOf(it.accountId, it.gatewayId, { count: 2 }));
  assert.equal((await back(it)).messages, 5);
  await it.database.close();
  assert.equal((await back({ ...it, file: join(it.own, "second.db") })).messages, 5);
});

test("nothing is overwritten, and nothing is made of what is no database of this version", async () => {
  const it = await installation();
  writeFileSync(it.file, "precious");
  await assert.rejects(back(it), { name: "StorageError", message: /copy\.db exists already/ });
  assert.equal(readFileSync(it.file, "utf8"), "precious");
  rmSync(it.file);
  const none = join(it.own, "none.db");
  await assert.rejects(back({ ...it, path: none }), { message: /There is no database at/ });
  assert.equal(existsSync(none), false);
  const other = join(it.own, "other.db");
  new DatabaseSync(other).exec("create table t (x)");
  await assert.rejects(back({ ...it, path: other }), { message: /no database of Trunkline/ });
  const raw = new DatabaseSync(it.path);
  raw.exec("insert into migrations (id, name) values (9999, 'later')");
  await assert.rejects(back(it), {
    message: `The database has schema 9999, this version of Trunkline writes ${newestSchema}. Back it up with the version that runs it.`,
  });
  raw.close();
  await assert.rejects(back({ ...it, file: join(it.own, "no", "such", "folder") }), { name: "StorageError" });
  rmSync(other);
  assert.deepEqual(left(it.own), []);
  await it.database.close();
});

test("a full disk is called so, and leaves nothing of the copy behind", async () => {
  const it = await installation();
  await it.database.close();
  const raw = new DatabaseSync(it.path);
  // Setting them aside takes room.
  raw.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
    insert into outbox select 'evt_' || i, 'acc_0', 'x', 1, null, 0, hex(zeroblob(1000)) from n`);
  raw.close();
  const flag = join(it.own, "full");
  writeFileSync(flag, "");
  const code = `
    const { backupSqlite } = await import(${JSON.stringify(import.meta.resolve("#store/engine/sqlite/backup.ts"))});
    const [path, file] = process.argv.slice(1);
    await backupSqlite({ path, file, at: 1, tag: "t" }).catch((error) => console.log(error.fault, error.message));`;
  const full = new URL("./full-disk.ts", import.meta.url).href;
  const args = ["--input-type=module", "--import", full, "--eval", code, it.path, it.file];
  const ran = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, TRUNKLINE_TEST_FULL: flag },
  });
  assert.equal(
    ran.stdout,
    `full ${it.file} was not made: the disk is full. Nothing of it was left behind.\n`,
  );
  rmSync(flag);
  assert.deepEqual(left(it.own), []);
});
