// A consistent copy of a SQLite installation, made beside the running service by a process of its own. What is
// pending in the copy is held in it, so that starting it sends nothing of the past by itself.
//
// The copy is made by `vacuum into`: one statement, so one read transaction, which sees the database as it was
// at its start and always ends. SQLite's page-by-page backup starts over whenever another process commits
// between two steps, and under a steady load never ends. The price: what the service writes meanwhile stays in
// its `-wal` file until the copy is made.

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { StorageError, type StorageFault } from "#store/database.ts";
import { holdPending, type RestoreHold, readRestoreHold } from "#store/maintenance/restore-hold.ts";
import { mayRun, newestSchema, oldestOf, oldestSchemaFact } from "#store/schema/migrate.ts";
import { SqliteConnection, sqliteTx } from "./connection.ts";

interface Backup {
  bytes: number;
  /** The number of messages in it. */
  messages: number;
  /** What is held in it; null if nothing was pending. */
  held: RestoreHold | null;
  /** The fingerprint of the master key that it was sealed with; null if nothing was ever sealed. */
  masterKey: string | null;
}

/** Rows of a kind that one statement holds; all of them are in one transaction. */
const batchSize = 10_000;

const sqliteFull = 13;

function backupError(error: unknown, file: string): StorageError {
  if (error instanceof StorageError) return error;
  const { errcode, code, message } = error as { errcode?: number; code?: string; message?: string };
  const full = ((errcode ?? 0) & 0xff) === sqliteFull || code === "ENOSPC" || code === "EDQUOT";
  const fault: StorageFault = full ? "full" : "failed";
  const why = full ? "the disk is full" : String(message ?? error);
  return new StorageError(fault, `${file} was not made: ${why}. Nothing of it was left behind.`, {
    cause: error,
  });
}

const exists = (file: string) =>
  new StorageError("failed", `${file} exists already. A backup overwrites nothing; name another file.`);

/**
 * Copies the database at `path` to `file` (0600), which must not exist. `tag` is part of the name that it has until it is complete. Throws
 * a `StorageError`, after which there is no `file`.
 */
export async function backupSqlite(options: {
  path: string;
  file: string;
  at: number;
  tag: string;
}): Promise<Backup> {
  const { path, at, tag } = options;
  const file = resolve(options.file);
  if (!existsSync(path)) throw new StorageError("failed", `There is no database at ${path}.`);
  if (existsSync(file)) throw exists(file);
  const draft = `${file}.${tag}.part`;
  try {
    // SQLite writes into an existing empty file, so that other users cannot read it even for a moment.
    closeSync(openSync(draft, "wx", 0o600));
    copy(path, draft);
    const backup = await hold(draft, at);
    flush(draft);
    name(draft, file);
    flush(dirname(file));
    return { ...backup, bytes: statSync(file).size };
  } catch (error) {
    throw backupError(error, file);
  } finally {
    for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${draft}${end}`, { force: true });
  }
}

function copy(path: string, draft: string): void {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    source.exec("pragma busy_timeout = 5000");
    refuseForeign(source, path);
    source.prepare("vacuum into ?").run(draft);
  } finally {
    source.close();
  }
}

/** The copy is changed by this version, so its schema has to be this version's, or of a newer one that it may run beside. */
function refuseForeign(source: DatabaseSync, path: string): void {
  const known = source.prepare("select 1 from sqlite_schema where name = 'migrations'").get();
  const schema = known && source.prepare("select max(id) as id from migrations").get()?.id;
  if (schema === undefined || schema === null)
    throw new StorageError("failed", `${path} is no database of Trunkline.`);
  const fact = source.prepare("select value from installation_facts where name = ?").get(oldestSchemaFact);
  const newest = Number(schema);
  const state = { newest, oldest: oldestOf(fact?.value as string | undefined, newest) };
  if (state.newest < newestSchema || !mayRun(state))
    throw new StorageError(
      "failed",
      `The database has schema ${schema}, this version of Trunkline writes ${newestSchema}. Back it up with the version that runs it.`,
    );
}

/** Holds everything pending, in one transaction, and checks the file. Leaves one file, without a `-wal`. */
async function hold(draft: string, at: number): Promise<Omit<Backup, "bytes">> {
  const connection = new SqliteConnection(draft, "write");
  try {
    const tx = sqliteTx(connection);
    connection.raw.exec("begin immediate");
    while (!(await holdPending.run(tx, { at, limit: batchSize })));
    connection.raw.exec("commit");
    connection.raw.exec("pragma journal_mode = delete");
    const check = connection.raw.prepare("pragma integrity_check").get()?.integrity_check;
    if (check !== "ok") throw new Error(`it did not pass its check (${String(check)})`);
    const { rows } = await sql<{ messages: number; key: string | null }>`
      select (select count(*) from messages) as messages,
        (select value from installation_facts where name = 'master_key') as key
    `.execute(tx.db);
    return {
      messages: rows[0]!.messages,
      masterKey: rows[0]!.key,
      held: await readRestoreHold.run(tx, null),
    };
  } finally {
    connection.close();
  }
}

function flush(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Gives the finished copy its name, unless a file of this name was created meanwhile. */
function name(draft: string, file: string): void {
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, file);
    unlinkSync(draft);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || existsSync(file)) throw exists(file);
    // Not every file system used for backups has hard links.
    renameSync(draft, file);
  }
}
