// SQLite stores for tests that are not about the engine. A thread costs half a second of CPU until it has loaded the operations,
// so the stores of a test process use the same few, one after another; and a new file is a copy of one whose schema is
// up to date. The engine's own tests call `openSqlite`, as the service does.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import type { Database } from "#store/database.ts";
import { openSqlite, type SqliteThreads, startSqliteThread } from "#store/engine/sqlite/sqlite.ts";

/** How many idle threads of each kind are kept; most tests have one or two stores open at a time. */
const maxIdle = 4;

/** Threads that are kept for the next store. An idle one does not hold the process up. */
export function keepThreads(): SqliteThreads {
  const idle = { read: [] as Worker[], write: [] as Worker[] };
  return {
    take: (access) => {
      const worker = idle[access].pop();
      if (!worker) return startSqliteThread(access);
      worker.removeAllListeners("exit");
      worker.ref();
      return worker;
    },
    give: async (worker, access) => {
      const kept = idle[access];
      if (kept.length >= maxIdle) return await worker.terminate();
      worker.once("exit", () => kept.splice(kept.indexOf(worker), 1));
      worker.unref();
      kept.push(worker);
    },
  };
}

const threads = keepThreads();

/** Opens (or creates) a database file with threads that are kept. A new file gets its schema by the migrations. */
export const openKept = (path: string): Promise<Database> => openSqlite({ path, threads });

let template: Buffer | null = null;

/** The same, and a new file is a copy of the first one of this process. */
export async function openCopied(path: string): Promise<Database> {
  const isNew = !existsSync(path);
  if (isNew && template) writeFileSync(path, template, { mode: 0o600 });
  const database = await openKept(path);
  if (isNew) template ??= contentOf(path);
  return database;
}

function contentOf(path: string): Buffer {
  const raw = new DatabaseSync(path);
  raw.exec("pragma wal_checkpoint(truncate)");
  raw.close();
  return readFileSync(path);
}
