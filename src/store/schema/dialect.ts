// Translates a text for a table into the SQL of either engine.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";

/**
 * One text for both engines, except for two words. `text` is compared by bytes, as SQLite does by default: a locale's order is slower and
 * unsuitable for ids. `clustered` tables are only looked up by their key, so SQLite keeps them in one tree.
 */
function dialect(tx: Tx, statement: string): string {
  if (tx.engine === "sqlite") return statement.replace(/\) clustered$/, ") without rowid");
  return statement.replace(/\) clustered$/, ")").replace(/ text\b/g, ' text collate "C"');
}

/** Runs the statements of a migration, in order. */
export async function define(tx: Tx, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(dialect(tx, statement)).execute(tx.db);
}
