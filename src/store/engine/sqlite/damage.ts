// Checks an open SQLite file for damage.

import type { DatabaseSync } from "node:sqlite";

/** A file up to this size is read completely at a start, in about half a second. */
const maxWholeBytes = 512 * 1024 * 1024;
/** In a larger file, tables with more rows are left to `doctor`, because a start does not wait for them. */
const maxRows = 5_000;

/** `quick` does not compare indexes with their tables; `integrity` takes several times as long. */
export type Check = "quick" | "integrity";

/** The damage found in the file, or in one table and its indexes; null if there is none. May throw for a file that cannot be read. */
export function damageOf(database: DatabaseSync, check: Check, table: string | null = null): string | null {
  const subject = table === null ? "1" : `"${table}"`;
  const [row] = database.prepare(`pragma ${check}_check(${subject})`).all();
  const words = String(Object.values(row ?? {})[0] ?? "");
  return words === "ok" ? null : words.replaceAll("\n", " ");
}

/** A quick check in bounded time. Null if no damage was found. */
export function damageAtStart(database: DatabaseSync, maxBytes = maxWholeBytes): string | null {
  const { bytes } = database
    .prepare("select page_count * page_size as bytes from pragma_page_count, pragma_page_size")
    .get() as { bytes: number };
  if (bytes <= maxBytes) return damageOf(database, "quick");
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  for (const { name } of tables as { name: string }[]) {
    const seen = database.prepare(
      `select count(*) as rows from (select 1 from "${name}" limit ${maxRows + 1})`,
    );
    if (Number(seen.get()?.rows) > maxRows) continue;
    const damage = damageOf(database, "quick", name);
    if (damage !== null) return damage;
  }
  return null;
}
