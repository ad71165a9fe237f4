// What `trunkline restore` refuses, with nothing left behind: files that are damaged, newer, or sealed with another key.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { after, before } from "node:test";
import { systemRandom } from "#runtime/random.ts";
import { createSealer } from "#store/seal.ts";
import { openKept } from "../../sqlite.ts";
import { callIn } from "../commands.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-restore-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const key = "k".repeat(44);
const otherKey = "o".repeat(44);
const backup = join(folder, "backup.db");
const keyFile = join(folder, "backup.key");
const otherKeyFile = join(folder, "other.key");

before(async () => {
  await (await openKept(backup)).close();
  change(backup, (database) => {
    const { fingerprint } = createSealer(key, systemRandom());
    database
      .prepare("insert into installation_facts (name, value) values ('master_key', ?)")
      .run(fingerprint);
    database.exec("pragma journal_mode = delete");
  });
  writeFileSync(keyFile, `${key}\n`);
  writeFileSync(otherKeyFile, otherKey);
});

function change(path: string, make: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path);
  make(database);
  database.close();
}

/** A copy of the backup with other bytes. */
function damaged(name: string, make: (bytes: Buffer) => Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, make(readFileSync(backup)));
  return path;
}

let made = 0;

async function restored(words: string[], environment: Record<string, string> = {}) {
  const data = join(folder, `data-${++made}`);
  const result = await callIn(folder, { TRUNKLINE_DATA_DIR: data, ...environment }, ["restore", ...words]);
  return { ...result, files: existsSync(data) ? readdirSync(data).sort() : [] };
}

test("a backup is restored with its key, and without one", async () => {
  const withKey = await restored([backup, "--key", keyFile]);
  assert.equal(withKey.code, 0, withKey.error);
  assert.deepEqual(withKey.files, ["master.key", "trunkline.db"]);
  const withoutKey = await restored([backup]);
  assert.equal(withoutKey.code, 0, withoutKey.error);
  assert.match(withoutKey.out, /The master key is missing/);
  assert.deepEqual(withoutKey.files, ["trunkline.db"]);
});

const refused: readonly [string, () => { words: string[]; environment?: Record<string, string> }, RegExp][] =
  [
    [
      "a file that was cut",
      () => ({ words: [damaged("cut.db", (bytes) => bytes.subarray(0, 40_000))] }),
      /cannot be read/,
    ],
    [
      "a file with pages of zeros",
      () => ({ words: [damaged("zeros.db", (bytes) => bytes.fill(0, 4 * 4_096, 6 * 4_096))] }),
      /damaged/,
    ],
    [
      "the database of something else",
      () => {
        const path = join(folder, "else.db");
        change(path, (database) => database.exec("create table notes (text text)"));
        return { words: [path] };
      },
      /migrations/,
    ],
    [
      "a backup of a newer version",
      () => {
        const path = damaged("newer.db", (bytes) => bytes);
        change(path, (database) =>
          database.exec("update migrations set id = 9999 where id = (select max(id) from migrations)"),
        );
        return { words: [path, "--key", keyFile] };
      },
      /A newer version wrote it/,
    ],
    [
      "another key",
      () => ({ words: [backup, "--key", otherKeyFile] }),
      /not the one that it was sealed with/,
    ],
    [
      "another key in the environment",
      () => ({ words: [backup], environment: { TRUNKLINE_MASTER_KEY: otherKey } }),
      /not the one that it was sealed with/,
    ],
  ];

for (const [name, make, says] of refused)
  test(`refused: ${name}`, async () => {
    const { words, environment } = make();
    const { code, error, files } = await restored(words, environment);
    assert.equal(code, 1);
    assert.match(error, says);
    assert.match(error, /is not restored/);
    assert.deepEqual(files, []);
  });
