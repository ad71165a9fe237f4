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
import { damageAtStart } from "#store/engine/sqlite/damage.ts";
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
    masterKey: null,
    clock: null,
    moves: false,
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

/** Overwrites the page that a table or an index begins with. */
function damage(path: string, name: string): void {
  const database = new DatabaseSync(path);
  const { rootpage } = database.prepare("select rootpage from sqlite_schema where name = ?").get(name) as {
    rootpage: number;
  };
  const { page_size: size } = database.prepare("pragma page_size").get() as { page_size: number };
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, 7), 0, size, size * (rootpage - 1));
  closeSync(file);
}

test("a start refuses a damaged file, and names the doctor", async () => {
  // None of the tables is read by an open.
  for (const name of ["messages", "completions", "audit_entries"]) {
    const path = await installation(`start-${name}.db`);
    damage(path, name);
    await assert.rejects(openKept(path), /The database is damaged \(.+\)\. .+doctor says what to do\./);
  }
  const other = join(folder, "no-database.db");
  writeFileSync(other, "a text ".repeat(1000));
  await assert.rejects(openKept(other), /damaged.+doctor/);
});

test("of a large file a start checks the small tables alone", async () => {
  const path = await installation("large.db");
  const raw = new DatabaseSync(path);
  const fill = raw.prepare("insert into installation_facts (name, value) values (?, 'v')");
  raw.exec("begin");
  for (let i = 0; i < 5_001; i++) fill.run(`fact-${i}`);
  raw.exec("commit");
  raw.close();
  /** What a look finds; words, too, where the file cannot be read on. */
  const look = (maxBytes?: number) => {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return damageAtStart(database, maxBytes);
    } catch (error) {
      return (error as Error).message;
    } finally {
      database.close();
    }
  };
  assert.equal(look(0), null);
  damage(path, "audit_entries");
  for (const maxBytes of [0, undefined]) assert.notEqual(look(maxBytes), null);
});
