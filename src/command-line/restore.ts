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
import { commandWords } from "#runtime/program.ts";
import { writeSecret } from "./backup.ts";
import { databaseFile, masterKeyFile } from "./open.ts";
import { configured } from "./settings.ts";
import { print, type Terminal } from "./terminal.ts";

/**
 * Copies a backup, and with `keyFile` its master key, into the data folder of the settings. It replaces nothing: a folder with
 * a database, also one that lost its main file, is refused.
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
  if (key !== null && !existsSync(keyPath)) writeSecret(keyPath, key);
  // Under its name only when it is whole.
  const part = `${database}.part`;
  try {
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    sync(part);
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

/** Until the disk has it. */
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
