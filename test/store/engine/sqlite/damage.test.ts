// A damaged file is found at the start, in bounded time.

import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { after } from "node:test";
import { damageAtStart } from "#store/engine/sqlite/damage.ts";
import { openKept } from "../../../sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-damage-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function installation(name: string): Promise<string> {
  const path = join(folder, name);
  await (await openKept(path)).close();
  return path;
}

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
