// The SQLite engine: one thread that writes, one that reads, and a lock that keeps a second process away.

import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { ownModule } from "#runtime/program.ts";
import { ChangeListeners, type Changes } from "#store/changes.ts";
import { type Database, type Operation, StorageError } from "#store/database.ts";
import { takeGroup } from "#store/engine/group.ts";
import { GatheredTexts } from "./long-texts.ts";
import type { Access, Answer, Call, Posted, Reply, Work } from "./protocol.ts";

interface Waiting {
  operation: Operation<unknown, unknown>;
  input: unknown;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Most calls in one transaction, so that one flush never delays the others for long. */
const maxGroupSize = 2000;

const sqliteBusy = 5;

/**
 * Half of a thread's young generation, MiB. The event loop has more, by the flag of `npm start`; V8 puts that flag above a Worker's own
 * limits but reads it when the Worker is created. With 2 the writer takes a third longer for a large request.
 */
const semiSpaceMib = { read: 2, write: 4 } as const;

/** Where a store gets its threads, and where they return once it is closed. */
export interface SqliteThreads {
  /** A thread that has no file open and no listeners. */
  take(access: Access): Worker;
  /** Takes back a thread that has closed its file and has no listeners. A thread that failed is not returned. */
  give(worker: Worker, access: Access): Promise<unknown>;
}

/** Starts a thread for a store, which loads the operations. */
export function startSqliteThread(access: Access): Worker {
  setFlagsFromString(`--max-semi-space-size=${semiSpaceMib[access]}`);
  return new Worker(ownModule("store/engine/sqlite/worker"), { name: `sqlite-${access}` });
}

const ownThreads: SqliteThreads = { take: startSqliteThread, give: (worker) => worker.terminate() };

/** A thread with at most one message in flight; what arrives meanwhile waits and goes together. */
class Thread {
  readonly #threads: SqliteThreads;
  readonly #access: Access;
  readonly #worker: Worker;
  #waiting: Waiting[] = [];
  #inFlight: ((reply: Reply) => void) | null = null;
  #opened = false;
  readonly #onChanges: (changes: Changes) => void;
  /** Why it no longer takes calls. */
  #dead: StorageError | null = null;

  constructor(
    threads: SqliteThreads,
    access: Access,
    onDeath: (error: StorageError) => void,
    onChanges: (changes: Changes) => void = () => {},
  ) {
    this.#onChanges = onChanges;
    this.#threads = threads;
    this.#access = access;
    this.#worker = threads.take(access);
    this.#worker.on("message", (reply: Reply) => this.#inFlight?.(reply));
    const die = (message: string) => {
      const isNew = this.#dead === null;
      this.#dead ??= new StorageError("unavailable", message);
      for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#dead);
      this.#inFlight?.({ answers: [] });
      if (isNew && this.#opened) onDeath(this.#dead);
    };
    this.#worker.on("error", (error) =>
      die(`The SQLite thread failed: ${error instanceof Error ? error.message : String(error)}`),
    );
    this.#worker.on("exit", () => die("The SQLite thread ended."));
  }

  async open(path: string, crashAt: string | null): Promise<void> {
    const answer = (await this.#send({ kind: "open", path, access: this.#access, crashAt })).answers[0]?.[0];
    if (!answer) throw this.#dead ?? new StorageError("unavailable", "The SQLite thread did not start.");
    if (!answer.ok) throw new StorageError(answer.fault, answer.message);
    this.#opened = true;
    this.#pump();
  }

  call(operation: Operation<unknown, unknown>, input: unknown): Promise<unknown> {
    if (this.#dead) return Promise.reject(this.#dead);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, input, resolve, reject });
      if (this.#inFlight || this.#waiting.length > 1) return;
      // Everything that arrives in this turn of the event loop is sent together: fewer flushes, fewer thread switches.
      setImmediate(() => this.#pump());
    });
  }

  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#inFlight) await new Promise((resolve) => setImmediate(resolve));
    const usable = this.#opened && !this.#dead;
    this.#dead ??= new StorageError("unavailable", "The database is closed.");
    // A thread that fails while it closes gives no answer.
    if (!usable || (await this.#send({ kind: "close" })).answers.length === 0) {
      await this.#worker.terminate();
      return;
    }
    // Each by name: removing all at once also removes Node's own listeners, and no message arrives any more.
    for (const event of ["message", "error", "exit"]) this.#worker.removeAllListeners(event);
    await this.#threads.give(this.#worker, this.#access);
  }

  #send(work: Work, texts: Uint8Array<ArrayBuffer> | null = null): Promise<Reply> {
    return new Promise((resolve) => {
      this.#inFlight = (reply) => {
        this.#inFlight = null;
        resolve(reply);
      };
      // As text: cheaper for this thread than a structured clone of many small objects.
      const text = JSON.stringify(work);
      if (texts === null) this.#worker.postMessage(text);
      else this.#worker.postMessage({ work: text, texts } satisfies Posted, [texts.buffer]);
    });
  }

  #pump(): void {
    if (this.#inFlight || this.#waiting.length === 0) return;
    const group = takeGroup(
      this.#waiting,
      maxGroupSize,
      ({ operation, input }) => operation.bytesOf?.(input) ?? 0,
    );
    // Batched operations take all their inputs at once; the others keep their order.
    const calls: { call: Call; members: Waiting[] }[] = [];
    const texts = new GatheredTexts();
    const byName = new Map<string, { call: Call; members: Waiting[] }>();
    for (const waiting of group) {
      let entry = waiting.operation.batched ? byName.get(waiting.operation.name) : undefined;
      if (!entry) {
        entry = { call: { name: waiting.operation.name, inputs: [] }, members: [] };
        calls.push(entry);
        if (waiting.operation.batched) byName.set(waiting.operation.name, entry);
      }
      const { codec } = waiting.operation;
      entry.call.inputs.push(codec ? codec.encode(waiting.input, texts) : waiting.input);
      entry.members.push(waiting);
    }
    void this.#send({ kind: "run", calls: calls.map(({ call }) => call) }, texts.bytes()).then(
      ({ answers, changes = [] }) => {
        this.#pump();
        for (const each of changes) this.#onChanges(each);
        calls.forEach(({ members }, i) => {
          members.forEach((member, j) => {
            this.#settle(member, answers[i]?.[j]);
          });
        });
      },
    );
  }

  #settle(member: Waiting, answer: Answer | undefined): void {
    // A thread that ended before it answered may have committed.
    if (!answer)
      member.reject(
        new StorageError(
          this.#access === "write" ? "commit_unknown" : "unavailable",
          this.#dead?.message ?? "The SQLite thread gave no answer.",
        ),
      );
    else if (answer.ok) member.resolve(answer.value);
    else member.reject(new StorageError(answer.fault, `${member.operation.name}: ${answer.message}`));
  }
}

/**
 * Holds an exclusive SQLite lock on a file beside the database for as long as the process lives; the kernel
 * drops it when the process dies, however it dies.
 */
function lockFile(path: string): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    lock = new DatabaseSync(`${path}.lock`);
    lock.exec("pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive");
    return lock;
  } catch (error) {
    lock?.close();
    const { errcode, message } = error as { errcode?: number; message?: string };
    if (errcode === sqliteBusy) {
      throw new StorageError(
        "unavailable",
        `Another process is using ${path}. One SQLite file serves one process; several processes need PostgreSQL.`,
      );
    }
    throw new StorageError("unavailable", `${path} cannot be opened: ${message}`, { cause: error });
  }
}

/**
 * Opens (or creates, 0600) the database file and applies migrations. `threads`: by default two are started, which end when the database is
 * closed. `onDeath`: called when a thread dies, after which the database fails every call of that kind; the process has to end and start
 * again.
 */
export async function openSqlite(options: {
  path: string;
  crashAt?: string | null;
  threads?: SqliteThreads;
  onDeath?: (error: StorageError) => void;
}): Promise<Database> {
  const { path, crashAt = null, threads = ownThreads, onDeath = () => {} } = options;
  const lock = lockFile(path);
  const listeners = new ChangeListeners();
  const writer = new Thread(threads, "write", onDeath, (changes) => listeners.announce(changes));
  const reader = new Thread(threads, "read", onDeath);
  try {
    await writer.open(path, crashAt);
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`])
      if (existsSync(file)) chmodSync(file, 0o600);
    await reader.open(path, null);
  } catch (error) {
    await Promise.all([writer.close(), reader.close()]).catch(() => {});
    lock.close();
    throw error;
  }
  return {
    engine: "sqlite",
    run: (operation, input) => {
      const thread = operation.access === "read" ? reader : writer;
      return thread.call(operation as Operation<unknown, unknown>, input) as Promise<never>;
    },
    onChanges: (listener) => listeners.add(listener),
    notify: () => {},
    onNotify: () => {},
    close: async () => {
      await reader.close();
      await writer.close();
      lock.close();
    },
  };
}
