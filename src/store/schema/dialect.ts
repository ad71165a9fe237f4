// How one text of a table becomes SQL of either engine.

import { sql } from "kysely";
import type { Tx } from "#store/database.ts";

/**
 * One text for both engines, but for two words. `text` compares by bytes, as SQLite does by itself: a language's
 * order is slower and no order for ids. `clustered` tables are found by their key alone, so SQLite keeps them in one tree.
 */
function dialect(tx: Tx, statement: string): string {
  if (tx.engine === "sqlite") return statement.replace(/\) clustered$/, ") without rowid");
  return statement.replace(/\) clustered$/, ")").replace(/ text\b/g, ' text collate "C"');
}

/** Runs the statements of a migration, in order. */
export async function define(tx: Tx, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(dialect(tx, statement)).execute(tx.db);
}
