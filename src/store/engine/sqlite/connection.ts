// One node:sqlite connection, and kysely on top of it. Used inside the worker threads only: every call blocks.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { TransactionChanges } from "#store/changes.ts";
import { CountBuffer } from "#store/counts/buffer.ts";
import type { Tx } from "#store/database.ts";
import { kyselyOn } from "#store/engine/kysely-driver.ts";
import type { Schema } from "#store/schema/schema.ts";
import type { Access } from "./protocol.ts";

/** The version that fixed the WAL-reset corruption (two connections, checkpoint race). */
const oldestSafeSqlite = [3, 51, 3];

type Value = string | number | null;

/** A connection with its prepared statements kept. */
export class SqliteConnection implements DatabaseConnection {
  readonly raw: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #returnsRows = new WeakMap<StatementSync, boolean>();

  constructor(path: string, access: Access) {
    this.raw = new DatabaseSync(path, { readOnly: access === "read" });
    this.raw.exec("pragma busy_timeout = 5000");
    if (access === "write") {
      this.raw.exec("pragma journal_mode = wal");
      // WAL by itself runs at NORMAL: the last commits, already answered with 2xx, could be lost in a power failure.
      this.raw.exec("pragma synchronous = full");
      this.raw.exec("pragma wal_autocheckpoint = 4000");
      this.raw.exec("pragma journal_size_limit = 67108864");
      this.#expect("journal_mode", "wal");
      this.#expect("synchronous", 2);
    }
    // In KiB. The writer's is small on purpose: after a page split in the middle of an index SQLite walks the whole cache at the commit
    // (balance_nonroot, pcache1TruncateUnsafe). With 32 MiB that was a fifth of a send.
    this.raw.exec(`pragma cache_size = -${access === "write" ? 8192 : 32768}`);
    this.raw.exec("pragma temp_store = memory");
    const version = String(this.raw.prepare("select sqlite_version() as v").get()?.v);
    const numbers = version.split(".").map(Number);
    const safe =
      numbers.map((part, i) => part - (oldestSafeSqlite[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
    if (safe < 0)
      throw new Error(`SQLite ${version} is older than ${oldestSafeSqlite.join(".")}, the oldest safe one.`);
  }

  #expect(pragma: string, value: string | number): void {
    const found = Object.values(this.raw.prepare(`pragma ${pragma}`).get() ?? {})[0];
    if (found !== value)
      throw new Error(`SQLite did not accept ${pragma} = ${value}; it is ${String(found)}.`);
  }

  statement(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.raw.prepare(text);
    // Lists of values produce many texts; the oldest are dropped first, so the map stays bounded.
    if (this.#statements.size >= 300) this.#statements.delete(this.#statements.keys().next().value as string);
    this.#statements.set(text, statement);
    return statement;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.statement(query.sql);
    const parameters = query.parameters as Value[];
    let returnsRows = this.#returnsRows.get(statement);
    if (returnsRows === undefined) {
      // Describing 31 columns takes 12 µs, five times the query itself.
      returnsRows = statement.columns().length > 0;
      this.#returnsRows.set(statement, returnsRows);
    }
    if (returnsRows) return { rows: statement.all(...parameters) as R[] };
    const { changes } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("SQLite results are not streamed.");
  }

  close(): void {
    this.#statements.clear();
    this.raw.close();
  }
}

/** The transaction handle of a connection; the worker begins and commits around it. */
export function sqliteTx(connection: SqliteConnection): Tx {
  const db = kyselyOn(connection, new SqliteAdapter(), new SqliteQueryCompiler());
  return {
    engine: "sqlite",
    db,
    counts: new CountBuffer().transaction(),
    changes: new TransactionChanges(),
    lock: () => sql``,
    // A prepared insert in a loop is two to four times as fast as one statement over json_each (100,000 rows: 0.9 s against 1.8 to 3.7 s).
    insert: async (table, columns, batches) => {
      const names = columns.map((column) => `"${column}"`).join(", ");
      const marks = columns.map(() => "?").join(", ");
      const statement = connection.statement(`insert into "${table}" (${names}) values (${marks})`);
      for (const { constant, rows } of batches) {
        for (const row of rows) statement.run(...(constant as Value[]), ...(row as Value[]));
      }
    },
    // 1.6 µs a row of 28 columns; one statement over json_each takes 16.
    insertMissing: async (table, columns, records) => {
      const names = Object.keys(columns) as (keyof (typeof records)[number])[];
      const statement = connection.statement(
        `insert into "${table}" (${names.map((name) => `"${String(name)}"`).join(", ")}) ` +
          `values (${names.map(() => "?").join(", ")}) on conflict (id) do nothing`,
      );
      const inserted = new Set<string>();
      for (const record of records)
        if (statement.run(...names.map((name) => (record[name] ?? null) as Value)).changes === 1)
          inserted.add(record.id);
      return inserted;
    },
    update: async <R>(...[table, columns, records, write]: Parameters<Tx["update"]>) => {
      const names = Object.keys(columns);
      // Numbered, since a column may be named more than once.
      const { set, where, returning } = write((column) => sql.raw(`?${names.indexOf(column) + 1}`));
      const end = returning ? sql` returning ${returning}` : sql``;
      const query = sql`update ${sql.table(table)} set ${set} where ${where}${end}`.compile(db);
      if (query.parameters.length > 0) throw new Error("An update of records takes values of records only.");
      const found: R[] = [];
      for (const record of records) {
        const parameters = names.map((column) => (record as Record<string, unknown>)[column] ?? null);
        const { rows } = await connection.executeQuery<R>({ ...query, parameters });
        for (const row of rows) found.push(row);
      }
      return found;
    },
    indexed: <T extends keyof Schema & string>(table: T, index = `sqlite_autoindex_${table}_1`) =>
      sql<Schema[T]>`${sql.table(table)}`.as<T>(sql`${sql.ref(table)} indexed by ${sql.ref(index)}`),
    list: (texts) => sql`(select value from json_each(${JSON.stringify(texts)}))`,
    rows: (name, columns, records) => {
      const names = Object.keys(columns);
      const json = JSON.stringify(
        records.map((record) => names.map((column) => (record as Record<string, unknown>)[column] ?? null)),
      );
      const fields = names.map((column, i) => sql`value ->> ${sql.lit(i)} as ${sql.ref(column)}`);
      return sql`(select ${sql.join(fields)} from json_each(${json})) as ${sql.table(name)}`;
    },
  };
}
