// A look at a SQLite installation: it changes nothing, and names what is wrong.

import assert from "node:assert/strict";
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { after } from "node:test";
import { inspectSqlite } from "#store/engine/sqlite/inspect.ts";
import { newestSchema } from "#store/schema/migrate.ts";
import { openKept } from "../../../sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-inspect-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function installation(name: string): Promise<string> {
  const path = join(folder, name);
  await (await openKept(path)).close();
  return path;
}

test("a good file has its schema, and is as it was", async () => {
  const path = await installation("good.db");
  const before = readFileSync(path);
  assert.deepEqual(inspectSqlite(path), {
    schema: newestSchema,
    newestSchema,
    mayRun: true,
    masterKey: null,
    clock: null,
    moves: false,
    pooler: null,
  });
  assert.deepEqual(readFileSync(path), before);
  const beside = readdirSync(folder).filter((name) => name.startsWith("good.db"));
  assert.deepEqual(beside.toSorted(), ["good.db", "good.db.lock"]);
});

test("what only the journal has is seen, and the journal stays", async () => {
  const path = await installation("journal.db");
  const copy = join(folder, "copied.db");
  const writer = new DatabaseSync(path);
  writer.exec("pragma wal_autocheckpoint = 0");
  writer.exec("insert into installation_facts (name, value) values ('master_key', 'print')");
  // As after a kill: the journal without its index.
  for (const end of ["", "-wal"]) copyFileSync(`${path}${end}`, `${copy}${end}`);
  writer.close();
  const journal = readFileSync(`${copy}-wal`);
  const found = inspectSqlite(copy);
  assert.equal("masterKey" in found ? found.masterKey : null, "print", JSON.stringify(found));
  assert.deepEqual(readFileSync(`${copy}-wal`), journal);
});

test("the schema of a newer version is seen", async () => {
  const path = await installation("newer.db");
  const database = new DatabaseSync(path);
  database.exec(`insert into migrations (id, name) values (${newestSchema + 1}, 'of a later version')`);
  database.close();
  const found = inspectSqlite(path);
  assert.equal("schema" in found ? found.schema : 0, newestSchema + 1);
});

test("damage and other files are faults", async () => {
  const path = await installation("damaged.db");
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096 * 10, 7), 0, 4096 * 10, 4096 * 3);
  closeSync(file);
  const damaged = inspectSqlite(path);
  assert.match("fault" in damaged ? damaged.fault : "", /damaged|malformed/);
  const other = join(folder, "text.db");
  writeFileSync(other, "a text ".repeat(1000));
  const text = inspectSqlite(other);
  assert.match("fault" in text ? text.fault : "", /not a database/);
});
