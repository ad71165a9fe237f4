// A recorded database, made again on either engine as its version left it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { postgresTx } from "#store/engine/postgres/connection.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { migrate } from "#store/schema/migrate.ts";
import { createSealer } from "#store/seal.ts";
import { type Recording, writtenValue } from "../../scripts/recording.ts";
import { type EngineName, type Ground, seededRandom } from "../harness.ts";
import { freshDatabase } from "../postgres.ts";
import { openKept } from "../sqlite.ts";
import { numericTypes } from "../store/conformance.ts";

/** The version from which the tables are in a PostgreSQL schema of their own. */
const isInPublic = ({ version }: Recording) => version.startsWith("0.1.");

/** A ground with the recorded rows; `open` is the first start of the present version. */
export async function recordedGround(engine: EngineName, recording: Recording): Promise<Ground> {
  return engine === "sqlite" ? onSqlite(recording) : await onPostgres(recording);
}

function onSqlite({ schema, tables }: Recording): Ground {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-upgrade-"));
  const path = join(folder, "trunkline.db");
  const raw = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  raw.exec("begin");
  for (const statement of schema) raw.exec(statement);
  for (const [table, { columns, rows }] of Object.entries(tables)) {
    if (rows.length === 0) continue;
    const places = columns.map(() => "?").join(", ");
    const insert = raw.prepare(`insert into "${table}" ("${columns.join('", "')}") values (${places})`);
    for (const row of rows) insert.run(...row.map(writtenValue));
  }
  raw.exec("commit");
  raw.close();
  return {
    engine: "sqlite",
    open: () => openKept(path),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Its version's own migrations make the tables, since the recording has the statements of SQLite. */
async function onPostgres(recording: Recording): Promise<Ground> {
  const { url, drop } = await freshDatabase({ bare: true });
  const pool = new pg.Pool({ connectionString: url, types: numericTypes, max: 1 });
  const client = await pool.connect();
  const { migrations, ...tables } = recording.tables;
  await client.query(
    isInPublic(recording)
      ? "set search_path to public"
      : "create schema trunkline; set search_path to trunkline",
  );
  await client.query("begin");
  await migrate(postgresTx(client), migrations?.rows.length);
  // The rows come in no order of their references.
  await client.query("set local session_replication_role = replica");
  for (const [table, { columns, rows }] of Object.entries(tables)) {
    const places = columns.map((_, i) => `$${i + 1}`).join(", ");
    await client.query(`delete from ${table}`);
    for (const row of rows)
      await client.query(
        `insert into ${table} ("${columns.join('", "')}") values (${places})`,
        row.map(writtenValue),
      );
  }
  await client.query("commit");
  client.release();
  await pool.end();
  const { fingerprint } = createSealer(recording.masterKey, seededRandom());
  return { engine: "postgres", open: () => openPostgres({ url, keyFingerprint: fingerprint }), remove: drop };
}
