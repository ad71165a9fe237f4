// Runs every operation of the store on a database that has grown, and gathers the statements with their plans.

import { DatabaseSync } from "node:sqlite";
import type { CompiledQuery } from "kysely";
import pg, { type PoolClient } from "pg";
import type { Tx } from "#store/database.ts";
import { postgresTx } from "#store/engine/postgres/connection.ts";
import { SqliteConnection, sqliteTx } from "#store/engine/sqlite/connection.ts";
import { numericTypes, type Store } from "./conformance.ts";
import { grow, growing } from "./grown.ts";
import { hookCases } from "./inputs-hooks.ts";
import { managementCases } from "./inputs-management.ts";
import { messageCases } from "./inputs-messages.ts";
import { pageCases } from "./inputs-pages.ts";
import { phoneCases } from "./inputs-phones.ts";
import { poolCases } from "./inputs-pools.ts";

export const cases = [
  ...messageCases,
  ...hookCases,
  ...managementCases,
  ...pageCases,
  ...phoneCases,
  ...poolCases,
];

/** Adds the messages `from` to `to`, with all that belongs to them. */
export async function growTo(store: Store, from: number, to: number): Promise<void> {
  await store.query("begin");
  for (const statement of grow(store.engine, from, to)) await store.query(statement);
  await store.query("commit");
}

/** Runs each operation with each of its inputs in a transaction that is undone. `begin` and `rollback` run as statements. */
async function runAll(
  tx: Tx,
  control: (statement: string) => unknown,
  entering: (operation: string) => void,
): Promise<void> {
  for (const { operation, inputs } of cases) {
    for (const input of inputs) {
      entering(operation.name);
      await control("begin");
      try {
        const run = operation.run as (tx: Tx, input: unknown) => Promise<unknown>;
        await run(tx, operation.batched ? [input] : input);
      } catch (error) {
        throw new Error(`${operation.name} failed with its input`, { cause: error });
      } finally {
        await control("rollback");
      }
    }
  }
}

/** The operations of each statement, by its text. */
export async function statementsOnSqlite(store: Store): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  let current = "";
  class Recording extends SqliteConnection {
    override async executeQuery<R>(query: CompiledQuery) {
      if (/^\s*(pragma|analyze)/.test(query.sql)) return await super.executeQuery<R>(query);
      const operations = found.get(query.sql) ?? new Set();
      found.set(query.sql, operations.add(current));
      return await super.executeQuery<R>(query);
    }
  }
  const connection = new Recording(store.place, "write");
  try {
    const control = (statement: string) => connection.raw.exec(statement);
    await runAll(sqliteTx(connection), control, (name) => {
      current = name;
    });
  } finally {
    connection.close();
  }
  return found;
}

/** What `analyze` found out: `sqlite_stat1`. */
export type Statistics = readonly { tbl: string; idx: string | null; stat: string }[];

export async function readStatistics(store: Store): Promise<Statistics> {
  return await store.query<Statistics[number]>("select tbl, idx, stat from sqlite_stat1");
}

/** The lines of each statement's plan under these statistics. SQLite looks at nothing else, the tables' size included. */
export function plansOnSqlite(
  store: Store,
  statements: Iterable<string>,
  statistics: Statistics,
): Map<string, string[]> {
  const raw = new DatabaseSync(store.place);
  try {
    raw.exec("pragma busy_timeout = 5000; delete from sqlite_stat1");
    const insert = raw.prepare("insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)");
    for (const { tbl, idx, stat } of statistics) insert.run(tbl, idx, stat);
    raw.exec("analyze sqlite_schema");
    const plans = new Map<string, string[]>();
    for (const text of statements) {
      const lines = raw.prepare(`explain query plan ${text}`).all();
      plans.set(
        text,
        lines.map(({ detail }) => String(detail)),
      );
    }
    return plans;
  } finally {
    raw.close();
  }
}

/** Statistics of which each table has those of one of these sources, drawn by `seed`. */
export function mixed(sources: readonly Statistics[], seed: number): Statistics {
  const draw = (table: string) => {
    let hash = seed;
    for (const letter of table) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619) >>> 0;
    return (hash >>> 8) % sources.length;
  };
  return sources.flatMap((source, i) => source.filter(({ tbl }) => draw(tbl) === i));
}

/** As if each table that grows had this many rows at most when it was analysed. */
export function taken(statistics: Statistics, rows: number): Statistics {
  const grows: ReadonlySet<string> = new Set(growing);
  return statistics.map((row) =>
    grows.has(row.tbl)
      ? { ...row, stat: row.stat.replace(/\d+/g, (count) => String(Math.min(rows, Number(count)))) }
      : row,
  );
}

function literal(value: unknown): string {
  if (value === null) return "null";
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value));
  return `array[${value.map((text) => pg.escapeLiteral(String(text))).join(", ")}]::text[]`;
}

/** The plans that PostgreSQL has for the statements now, with the operations of each, by its text. */
export async function plansOnPostgres(
  store: Store,
  mode: "generic" | "custom",
): Promise<Map<string, { operations: Set<string>; plan: string }>> {
  const client = new pg.Client({ connectionString: store.place, types: numericTypes });
  await client.connect();
  await client.query(`set plan_cache_mode = force_${mode}_plan`);
  const found = new Map<string, { operations: Set<string>; plan: string }>();
  let current = "";
  const explaining = {
    query: async (query: { text: string; values: unknown[] }) => {
      const known = found.get(query.text);
      known?.operations.add(current);
      if (!known && !/^\s*(lock|analyze)/.test(query.text)) {
        // Prepared, as the engine's own statements are: its plan is the one in force.
        const name = `plan_${found.size}`;
        await client.query(`prepare ${name} as ${query.text}`);
        const literals = query.values.map(literal).join(", ");
        const { rows } = await client.query(
          `explain (costs off) execute ${literals === "" ? name : `${name}(${literals})`}`,
        );
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        found.set(query.text, { operations: new Set([current]), plan });
      }
      return await client.query({ text: query.text, values: query.values });
    },
  };
  try {
    const control = (statement: string) => client.query(statement);
    await runAll(postgresTx(explaining as unknown as PoolClient), control, (name) => {
      current = name;
    });
  } finally {
    await client.end();
  }
  return found;
}
