// Everything that a system leaves behind: each column of each row of its database as text, and the bytes of the
// files in its folder. It uses a database whose URL has a password.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import type { EngineName, Ground } from "../../harness.ts";
import { migratedDatabase } from "../../postgres.ts";
import { openCopied } from "../../sqlite.ts";
import { planted } from "./planted.ts";

interface Left {
  /** `table.column`, or the name of a file. */
  place: string;
  text: string;
}

function columnsOf(table: string, rows: readonly Record<string, unknown>[]): Left[] {
  return rows.flatMap((row) =>
    Object.entries(row).map(([column, value]) => ({
      place: `${table}.${column}`,
      text: ArrayBuffer.isView(value)
        ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1")
        : String(value),
    })),
  );
}

function dumpSqlite(path: string): Left[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("select name, sql from sqlite_master").all();
    const named = tables.filter(({ sql }) => /^create table/i.test(String(sql)));
    return named.flatMap(({ name }) =>
      columnsOf(String(name), database.prepare(`select * from "${name}"`).all()),
    );
  } finally {
    database.close();
  }
}

async function dumpPostgres(url: string): Promise<Left[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select tablename from pg_tables where schemaname = 'trunkline'");
    const left: Left[] = [];
    for (const { tablename } of rows) {
      left.push(...columnsOf(tablename, (await client.query(`select * from "${tablename}"`)).rows));
    }
    return left;
  } finally {
    await client.end();
  }
}

/** The bytes of the files, one character each. */
function filesOf(folder: string): Left[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({
      place: `file ${name}`,
      text: readFileSync(join(folder, name)).toString("latin1"),
    }));
}

/** A system whose database URL has a password, and whose folder can be looked into. */
export async function groundOf(
  engine: EngineName,
): Promise<Ground & { left(): Promise<Left[]>; databaseUrl: string }> {
  if (engine === "postgres") {
    const fresh = await migratedDatabase();
    const url = new URL(fresh.url);
    url.password = planted.databasePassword;
    const open = () => openPostgres({ url: url.href });
    return { engine, open, remove: fresh.drop, left: () => dumpPostgres(fresh.url), databaseUrl: url.href };
  }
  const folder = mkdtempSync(join(tmpdir(), "trunkline-secrets-"));
  const path = join(folder, "trunkline.db");
  return {
    engine,
    open: () => openCopied(path),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
    left: async () => [...dumpSqlite(path), ...filesOf(folder)],
    databaseUrl: planted.databasePassword,
  };
}
