// `trunkline backup`: a copy of a SQLite installation.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { configured, databaseFile, masterKeyFile } from "#command-line/settings.ts";
import { print, type Terminal } from "#command-line/terminal.ts";
import { systemClock } from "#runtime/clock.ts";
import { commandWords } from "#runtime/program.ts";
import { systemRandom } from "#runtime/random.ts";
import { backupSqlite } from "#store/engine/sqlite/backup.ts";
import { createSealer } from "#store/seal.ts";
import { heldText } from "./hold.ts";

/** Copies a SQLite installation, running or not, to a file; with `keyFile` the master key to another. */
export async function backup(terminal: Terminal, file: string, keyFile: string | null): Promise<void> {
  const config = configured(terminal);
  if (config.DATABASE_URL)
    throw new Error(
      `This is for SQLite. Back up PostgreSQL with pg_dump, and before the first start on a restored database run: ${commandWords("hold")}`,
    );
  if (!existsSync(databaseFile(config)))
    throw new Error(
      `There is no database at ${databaseFile(config)}. TRUNKLINE_DATA_DIR names the installation's folder.`,
    );
  let key: string | null = null;
  if (keyFile !== null) {
    if (existsSync(keyFile)) throw new Error(`${keyFile} exists already. A backup overwrites nothing.`);
    key = config.MASTER_KEY ?? readFileSync(masterKeyFile(config), "utf8").trim();
  }
  const copy = await backupSqlite({
    path: databaseFile(config),
    file,
    at: systemClock().now(),
    tag: Buffer.from(systemRandom().bytes(8)).toString("hex"),
  });
  print(terminal, `${file}: ${copy.messages} messages, ${copy.bytes} bytes, checked.`);
  print(terminal, `Held in it until you release it: ${heldText(copy.held)}.`);
  if (keyFile !== null && key !== null) {
    const fingerprint = copy.masterKey;
    if (fingerprint !== null && fingerprint !== createSealer(key, systemRandom()).fingerprint)
      throw new Error(
        "The copy is good, but this master key is not the one that its database was sealed with.",
      );
    writeSecret(keyFile, key);
    print(terminal, `${keyFile}: the master key. Both files together open everything; keep them apart.`);
  } else {
    print(
      terminal,
      "The master key is not in it. Without it the copy does not start: keep a copy of that apart.",
    );
  }
  print(
    terminal,
    `
To restore: ${commandWords(`restore ${file}`)}${keyFile === null ? "" : ` --key ${keyFile}`}, with the settings of an installation that has
no database yet, and start. New sends go out at once; what was pending in the copy waits for: ${commandWords("release")}
docs/operations.md says more.`,
  );
}

/** A file that only its owner may read, which must not exist. */
export function writeSecret(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, `${text}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
