// Inspects a SQLite installation without changing it, for the command line.

import { chownSync, existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { Inspection } from "#store/engine/inspection.ts";
import { mayRun, newestSchema, oldestOf, oldestSchemaFact } from "#store/schema/migrate.ts";
import { type Check, damageOf } from "./damage.ts";

/**
 * SQLite creates a journal and its index even for a reader. Without a journal the file is complete and read as immutable, so that nothing
 * is created. With a journal, its index may be created; it gets the owner of the file, because the reader may be root.
 */
function openToRead(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  const index = `${path}-shm`;
  const hasJournal = existsSync(`${path}-wal`);
  if (!hasJournal) url.searchParams.set("immutable", "1");
  const hadIndex = existsSync(index);
  const database = new DatabaseSync(url, { readOnly: true, timeout: 2_000 });
  if (hasJournal && !hadIndex) {
    database.prepare("select count(*) from sqlite_schema").get();
    const { uid, gid } = statSync(path);
    if (existsSync(index) && process.getuid?.() === 0) chownSync(index, uid, gid);
  }
  return database;
}

/**
 * Reads the whole file once: about a second per GB. `check`: a quick one does not compare indexes with their tables; an integrity check
 * takes several times as long. Never throws.
 */
export function inspectSqlite(path: string, check: Check = "quick"): Inspection {
  let database: DatabaseSync | null = null;
  try {
    database = openToRead(path);
    const damage = damageOf(database, check);
    if (damage !== null) return { fault: `The file is damaged: ${damage}.` };
    const schema = Number(database.prepare("select max(id) as id from migrations").get()?.id ?? 0);
    const factOf = database.prepare("select value from installation_facts where name = ?");
    const key = factOf.get("master_key");
    const oldest = oldestOf(factOf.get(oldestSchemaFact)?.value as string | undefined, schema);
    return {
      schema,
      newestSchema,
      mayRun: mayRun({ newest: schema, oldest }),
      masterKey: key === undefined ? null : String(key.value),
      clock: null,
      moves: false,
      pooler: null,
    };
  } catch (error) {
    return { fault: (error as Error).message };
  } finally {
    database?.close();
  }
}
