// Kysely over one pooled `pg` connection, and the transaction handle that operations receive.

import {
  type CompiledQuery,
  type DatabaseConnection,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from "kysely";
import type { PoolClient, QueryResult as Result } from "pg";
import { TransactionChanges } from "#store/changes.ts";
import { CountBuffer, type TransactionCounts } from "#store/counts/buffer.ts";
import type { ColumnType, Tx } from "#store/database.ts";
import { kyselyOn } from "#store/engine/kysely-driver.ts";
import type { Schema } from "#store/schema/schema.ts";
import { recordConnectionError } from "./errors.ts";

/** Statement names by text: PostgreSQL plans a named statement once a connection. Bounded, like the statements are. */
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= 300) return known;
  const name = `t${names.size}`;
  names.set(text, name);
  return name;
}

/** Compared as bytes, like the columns: two different orders do not match. */
const types: Record<ColumnType, string> = { text: 'text collate "C"', bigint: "bigint" };

class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #named: boolean;

  constructor(client: PoolClient, named: boolean) {
    this.#client = client;
    this.#named = named;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const name = this.#named ? nameOf(query.sql) : undefined;
    let result: Result;
    try {
      result = await this.#client.query({
        text: query.sql,
        values: query.parameters as unknown[],
        ...(name === undefined ? {} : { name }),
      });
    } catch (error) {
      recordConnectionError(error);
      throw error;
    }
    return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("PostgreSQL results are not streamed.");
  }
}

/**
 * The handle of a connection; the engine begins and commits around it. `named`: whether the server plans each statement once a session,
 * which a pooler in transaction mode cannot keep.
 */
export function postgresTx(
  client: PoolClient,
  {
    named = true,
    counts = new CountBuffer().transaction(),
    changes = new TransactionChanges(),
  }: { named?: boolean; counts?: TransactionCounts; changes?: TransactionChanges } = {},
): Tx {
  const db = kyselyOn(
    new PostgresConnection(client, named),
    new PostgresAdapter(),
    new PostgresQueryCompiler(),
  );
  const rows: Tx["rows"] = (name, columns, records) => {
    const fields = sql.join(
      Object.entries(columns).map(([column, type]) => sql`${sql.ref(column)} ${sql.raw(types[type])}`),
    );
    return sql`json_to_recordset(${JSON.stringify(records)}::json) as ${sql.table(name)}(${fields})`;
  };
  return {
    engine: "postgres",
    db,
    counts,
    changes,
    rows,
    list: (texts) => sql`(select unnest(${texts}::text[]) collate "C")`,
    update: async <R>(...[table, columns, records, write]: Parameters<Tx["update"]>) => {
      const { set, where, returning } = write((column) => sql.ref(`given.${column}`));
      const end = returning ? sql` returning ${returning}` : sql``;
      const recordRows = rows("given", columns, records);
      const query = sql<R>`update ${sql.table(table)} set ${set} from ${recordRows} where ${where}${end}`;
      return (await query.execute(db)).rows;
    },
    insertMissing: async (table, columns, records) => {
      const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
      const inserted = await sql<{ id: string }>`
        insert into ${sql.table(table)} (${names}) select ${names} from ${rows("given", columns, records)} where true
        on conflict (id) do nothing returning id
      `.execute(db);
      return new Set(inserted.rows.map(({ id }) => id));
    },
    indexed: <T extends keyof Schema & string>(table: T) => sql<Schema[T]>`${sql.table(table)}`.as<T>(table),
    lock: (strength) => sql.raw(`for ${strength}`),
    insert: async (table, columns, batches) => {
      const records: Record<string, unknown>[] = [];
      for (const { constant, rows } of batches) {
        for (const row of rows) {
          const record: Record<string, unknown> = {};
          columns.forEach((column, i) => {
            record[column] = i < constant.length ? constant[i] : row[i - constant.length];
          });
          records.push(record);
        }
      }
      // The table's own row type determines the types of the columns.
      const names = sql.join(columns.map((column) => sql.ref(column)));
      const type = sql.table(table);
      await sql`
        insert into ${type} (${names})
        select ${names} from json_populate_recordset(null::${type}, ${JSON.stringify(records)}::json)
      `.execute(db);
    },
  };
}
