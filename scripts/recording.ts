// The database of a version as a file, `test/upgrade/VERSION.json.gz`, from which tests of later versions restore it. It contains the
// statements that create SQLite's tables, and the rows of each table, so that PostgreSQL can have them too.

import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";

/** A larger file is refused: every release adds one to the repository. */
const maxBytes = 300_000;

type Value = string | number | null | { bytes: string };

export interface Recording {
  version: string;
  /** Epoch ms: tests set their clock to a time shortly after it. */
  recordedAt: number;
  masterKey: string;
  /** The credentials of callers and operators. */
  keys: { api: string; named: string; pool: string; token: string };
  user: { email: string; password: string };
  accountId: string;
  /** Identifiers of messages by their status at that time, and the channel of each. */
  messages: { id: string; channel: string; status: string; name: string }[];
  schema: string[];
  tables: Record<string, { columns: string[]; rows: Value[][] }>;
}

export const writtenValue = (value: Value) =>
  value !== null && typeof value === "object" ? Buffer.from(value.bytes, "base64") : value;

/** The tables of a SQLite file that no process has open. */
export function readTables(path: string): Pick<Recording, "schema" | "tables"> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const made = database
      .prepare("select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by rowid")
      .all();
    const tables: Recording["tables"] = {};
    for (const { type, name } of made) {
      if (type !== "table") continue;
      const found = database.prepare(`select * from "${String(name)}"`).all();
      const columns = Object.keys(found[0] ?? {});
      const plain = (value: unknown): Value =>
        value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : (value as Value);
      tables[String(name)] = {
        columns,
        rows: found.map((row) => columns.map((column) => plain(row[column]))),
      };
    }
    return { schema: made.map(({ sql }) => String(sql)), tables };
  } finally {
    database.close();
  }
}

/** Writes the file. Throws if it is too large. */
export function writeRecording(path: string, recording: Recording): void {
  const bytes = gzipSync(JSON.stringify(recording), { level: 9 });
  if (bytes.length > maxBytes)
    throw new Error(`${path} would have ${bytes.length} bytes, more than ${maxBytes}.`);
  writeFileSync(path, bytes);
}

export const readRecording = (path: string | URL): Recording =>
  JSON.parse(gunzipSync(readFileSync(path)).toString("utf8")) as Recording;
