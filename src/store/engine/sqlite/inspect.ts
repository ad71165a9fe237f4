// Looks at a SQLite installation without changing it, for the command line.

import { DatabaseSync } from "node:sqlite";
import type { Inspection } from "#store/engine/inspection.ts";
import { newestSchema } from "#store/schema/migrate.ts";

/** Reads the whole file once: about a second for each GB. Never throws. */
export function inspectSqlite(path: string): Inspection {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
    const [damage] = database.prepare("pragma quick_check(1)").all();
    const words = String(Object.values(damage ?? {})[0] ?? "");
    if (words !== "ok") return { fault: `The file is damaged: ${words.replaceAll("\n", " ")}.` };
    const newest = database.prepare("select max(id) as id from migrations").get();
    const key = database.prepare("select value from installation_facts where name = 'master_key'").get();
    return {
      schema: Number(newest?.id ?? 0),
      newestSchema,
      masterKey: key === undefined ? null : String(key.value),
      clock: null,
    };
  } catch (error) {
    return { fault: (error as Error).message };
  } finally {
    database?.close();
  }
}
