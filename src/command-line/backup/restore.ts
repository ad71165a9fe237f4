// `trunkline restore`: puts a backup into a data folder.

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs";
import { configured, configuredKey, databaseFile, masterKeyFile } from "#command-line/settings.ts";
import { print, type Terminal } from "#command-line/terminal.ts";
import { commandWords } from "#runtime/program.ts";
import { systemRandom } from "#runtime/random.ts";
import { inspectSqlite } from "#store/engine/sqlite/inspect.ts";
import { createSealer } from "#store/seal.ts";
import { writeSecret } from "./backup.ts";

/**
 * Copies a backup, and with `keyFile` its master key, into the configured data folder. It replaces nothing: a folder with a database, even
 * one that lost its main file, is refused. So is a backup that is damaged, was written by a newer version, or was sealed with another key.
 */
export function restore(terminal: Terminal, file: string, keyFile: string | null): void {
  const config = configured(terminal);
  if (config.DATABASE_URL)
    throw new Error(
      `This is for SQLite. Restore PostgreSQL with pg_restore, and before the first start on it run: ${commandWords("hold")}`,
    );
  const database = databaseFile(config);
  const present = [database, `${database}-wal`, `${database}-shm`].filter((path) => existsSync(path));
  if (present.length > 0)
    throw new Error(
      `${present.join(" and ")} ${present.length === 1 ? "is" : "are"} there already. A restore replaces nothing: move the folder away first, or name another one in TRUNKLINE_DATA_DIR.`,
    );
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  if (!isSqlite(file)) throw new Error(`${file} is no SQLite database, and so no backup.`);
  const key = keyFile === null ? null : readFileSync(keyFile, "utf8").trim();
  const keyPath = masterKeyFile(config);
  if (key !== null && existsSync(keyPath) && readFileSync(keyPath, "utf8").trim() !== key)
    throw new Error(`${keyPath} holds another master key. Move it away first.`);
  mkdirSync(config.DATA_DIR, { recursive: true, mode: 0o700 });
  const keys = [config.MASTER_KEY ?? null, key, configuredKey(config)].filter((known) => known !== null);
  // It gets its name only when it is complete.
  const part = `${database}.part`;
  try {
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    sync(part);
    const refusal = refusalOf(part, keys);
    if (refusal !== null) throw new Error(`${file} is not restored. ${refusal}`);
    if (key !== null && !existsSync(keyPath)) writeSecret(keyPath, key);
    renameSync(part, database);
    sync(config.DATA_DIR);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  const hasKey = config.MASTER_KEY !== undefined || existsSync(keyPath);
  print(terminal, `${database}: restored. What was pending in it is held until: ${commandWords("release")}`);
  if (!hasKey)
    print(
      terminal,
      "The master key is missing: put it into TRUNKLINE_MASTER_KEY, or restore with --key KEYFILE. Without it nothing starts.",
    );
}

/** Why the copy cannot be started with these keys, or null if it can. */
function refusalOf(copy: string, keys: readonly string[]): string | null {
  const found = inspectSqlite(copy, "integrity");
  if ("fault" in found) return `It cannot be read as a backup: ${found.fault}`;
  const { schema, newestSchema, mayRun, masterKey } = found;
  if (!mayRun)
    return `A newer version wrote it: it has schema ${schema}, this version knows ${newestSchema}.`;
  const fits = (key: string) => createSealer(key, systemRandom()).fingerprint === masterKey;
  if (masterKey === null || keys.every(fits)) return null;
  return "The master key is not the one that it was sealed with. Name that one with --key KEYFILE, or give it in TRUNKLINE_MASTER_KEY.";
}

/** Waits until it is on disk. */
function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const magic = "SQLite format 3\0";

function isSqlite(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(magic.length);
    readSync(file, start, 0, start.length, 0);
    return start.toString("latin1") === magic;
  } finally {
    closeSync(file);
  }
}
