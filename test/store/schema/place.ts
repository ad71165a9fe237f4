// Databases that tests of migrations open again and again, and write to past the service.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { freshDatabase } from "../../postgres.ts";
import { openKept } from "../../sqlite.ts";
import type { engines } from "../conformance.ts";

/** A database of its own, empty: how it is opened by the service, and how a test writes to it past the service. */
export interface Place {
  /** The path of its file, or its URL. */
  at: string;
  open(): Promise<void>;
  exec(statements: string): Promise<void>;
  drop(): Promise<void>;
}

export async function emptyPlace(engine: (typeof engines)[number]): Promise<Place> {
  if (engine === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-migrate-"));
    const path = join(folder, "trunkline.db");
    return {
      at: path,
      open: async () => (await openKept(path)).close(),
      exec: async (statements) => {
        const raw = new DatabaseSync(path);
        try {
          raw.exec(statements);
        } finally {
          raw.close();
        }
      },
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const { url, drop } = await freshDatabase();
  return {
    at: url,
    open: async () => (await openPostgres({ url })).close(),
    exec: async (statements) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query("create schema if not exists trunkline");
        await client.query(statements);
      } finally {
        await client.end();
      }
    },
    drop,
  };
}
