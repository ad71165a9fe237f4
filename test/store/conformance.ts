// The store's conformance suite: cases are written once and run on both engines, SQLite in a temporary
// folder and a real PostgreSQL. Each file's cases share one database; every case makes its own rows.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe } from "node:test";
import pg from "pg";
import type { Database, Engine } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { migratedDatabase } from "../postgres.ts";
import { openCopied } from "../sqlite.ts";

export const engines = ["sqlite", "postgres"] as const satisfies readonly Engine[];

export interface Store {
  engine: Engine;
  database: Database;
  /** A second process's view: connections of its own on PostgreSQL; on SQLite, which serves one process, the same object. */
  other: Database;
  /** The file of SQLite, the URL of PostgreSQL. */
  place: string;
  /** Looks at the tables past the store. `?` stands for a value. */
  query<T>(text: string, ...values: (string | number | null)[]): Promise<T[]>;
  close(): Promise<void>;
}

/** `bigint` as a number, as the store has it. */
export const numericTypes = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format as "text"),
} as typeof pg.types;

export async function openStore(engine: Engine): Promise<Store> {
  return engine === "sqlite" ? await openOnSqlite() : await openOnPostgres();
}

async function openOnSqlite(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-store-"));
  const place = join(folder, "trunkline.db");
  const database = await openCopied(place);
  const raw = new DatabaseSync(place);
  raw.exec("pragma busy_timeout = 5000");
  return {
    engine: "sqlite",
    database,
    other: database,
    place,
    query: async <T>(text: string, ...values: (string | number | null)[]) =>
      raw.prepare(text).all(...values) as T[],
    close: async () => {
      raw.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openOnPostgres(): Promise<Store> {
  const { url, drop } = await migratedDatabase();
  const database = await openPostgres({ url });
  const other = await openPostgres({ url });
  const raw = new pg.Pool({ connectionString: url, types: numericTypes, max: 2 });
  // The server may end a connection that is just being closed, when the database is dropped.
  raw.on("error", () => {});
  return {
    engine: "postgres",
    database,
    other,
    place: url,
    query: async <T>(text: string, ...values: (string | number | null)[]) => {
      let count = 0;
      const numbered = text.replace(/\?/g, () => `$${++count}`);
      return (await raw.query(numbered, values)).rows as T[];
    },
    close: async () => {
      await raw.end();
      await Promise.all([database.close(), other.close()]);
      await drop();
    },
  };
}

/** Declares `cases` once for each engine; `store()` is the open store of the engine whose case runs. */
export function onBothEngines(cases: (store: () => Store, engine: Engine) => void): void {
  for (const engine of engines) {
    describe(engine, () => {
      let opened: Store | null = null;
      before(async () => {
        opened = await openStore(engine);
      });
      after(() => opened?.close());
      cases(() => {
        if (!opened) throw new Error("The store is open inside cases only.");
        return opened;
      }, engine);
    });
  }
}
