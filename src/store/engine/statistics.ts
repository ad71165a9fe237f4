// The planners' statistics about the tables. No statement on a table that grows depends on them (see `Tx.indexed`), because statistics
// taken while a table was small would turn a look-up into a scan once it has grown. They are refreshed all the same, so that the other
// statements (joins of small tables, reports) follow the current sizes.

import { sql } from "kysely";
import { type Tx, writeOperation } from "#store/database.ts";

/**
 * Below this size SQLite keeps no statistics: without them it assumes a million rows and uses the table's keys, which is never wrong. With
 * statistics of fewer than about 100 rows it scans, and continues to do so while the table grows.
 */
const fewRows = 10_000;
/**
 * Larger tables are not analysed (again), because SQLite counts all rows of an index for it: 25 ms per million in memory, 300 on a disk,
 * and no write runs meanwhile. Their existing statistics are good enough.
 */
const manyRows = 100_000;
/** Rows that SQLite reads in each index, besides counting them. */
const rowsAnalysed = 400;
/** SQLite's tables are analysed again when the file has grown or shrunk by this factor, PostgreSQL's when the table has grown by it. */
const growth = { sqlite: 2, postgres: 10 };
/** Stores the number of pages that the file had. */
const factName = "analysed_pages";

/**
 * One step of refreshing the statistics; does nothing if little has changed. Call it until it returns null, each time with its previous
 * result (null for the first step). On SQLite a step analyses one index of at most 100,000 rows, which occupies the writer for 3 ms, or 30
 * if it reads from disk.
 */
export const refreshStatistics = writeOperation(
  "refreshStatistics",
  async (tx, input: { after: string | null }): Promise<string | null> => {
    if (tx.engine === "sqlite") return await analyseNext(tx, input.after);
    await analyseGrown(tx);
    return null;
  },
);

async function analyseNext(tx: Tx, after: string | null): Promise<string | null> {
  const { rows: file } = await sql<{ page_count: number }>`pragma page_count`.execute(tx.db);
  const pages = file[0]!.page_count;
  if (after === null && !(await hasChanged(tx, pages))) return null;
  const { rows: indexes } = await sql<{ step: string; name: string; table: string }>`
    select tbl_name || ' ' || name as step, name, tbl_name as "table" from sqlite_schema
    where type = 'index' and step > ${after ?? ""} order by step limit 1
  `.execute(tx.db);
  const [index] = indexes;
  if (index) {
    // After the names of all its indexes.
    if (!(await isWorthIt(tx, index.table))) return `${index.table} ~`;
    await sql`pragma analysis_limit = ${sql.lit(rowsAnalysed)}`.execute(tx.db);
    await sql`analyze main.${sql.ref(index.name)}`.execute(tx.db);
    return index.step;
  }
  await deleteSmallTableStatistics(tx);
  const value = String(pages);
  await tx.db
    .insertInto("installation_facts")
    .values({ name: factName, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
  return null;
}

async function hasChanged(tx: Tx, pages: number): Promise<boolean> {
  const fact = await tx.db
    .selectFrom("installation_facts")
    .select("value")
    .where("name", "=", factName)
    .executeTakeFirst();
  const before = Number(fact?.value ?? 0);
  return pages >= before * growth.sqlite || pages * growth.sqlite <= before;
}

async function isWorthIt(tx: Tx, table: string): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 from ${sql.table(table)} limit ${sql.lit(manyRows + 1)})
  `.execute(tx.db);
  const { count } = rows[0]!;
  return count >= fewRows && count <= manyRows;
}

/** SQLite creates the table when there is something to write into it. */
async function hasStatistics(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_schema where name = 'sqlite_stat1'`.execute(tx.db);
  return rows.length > 0;
}

/** Deletes SQLite's statistics of tables that were small when the statistics were taken. */
export async function deleteSmallTableStatistics(tx: Tx): Promise<void> {
  if (!(await hasStatistics(tx))) return;
  // The first number of `stat` is that of the index's rows; a partial index has fewer than its table.
  const few = sql`
    select tbl from sqlite_stat1 group by tbl having max(cast(stat as integer)) < ${sql.lit(fewRows)}
  `;
  const gone = await sql`delete from sqlite_stat1 where tbl in (${few}) returning tbl`.execute(tx.db);
  // The planner also has them in memory.
  if (gone.rows.length > 0) await sql`analyze sqlite_schema`.execute(tx.db);
}

/** Autovacuum does the same, and sooner, unless it is off or behind. */
async function analyseGrown(tx: Tx): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
      and pg_relation_size(oid) / current_setting('block_size')::bigint
        > ${sql.lit(growth.postgres)} * greatest(relpages, 1)
    order by relname
  `.execute(tx.db);
  if (rows.length === 0) return;
  // A locked table is already being analysed. Prepared plans of other connections are replanned after this.
  const tables = sql.join(rows.map(({ name }) => sql.table(name)));
  await sql`analyze (skip_locked) ${tables}`.execute(tx.db);
}
