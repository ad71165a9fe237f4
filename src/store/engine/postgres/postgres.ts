// The PostgreSQL engine: operations run on pooled connections; several processes may share the database.

import type { Client, ClientBase, PoolClient } from "pg";
import { systemClock } from "#runtime/clock.ts";
import { describeError } from "#runtime/describe-error.ts";
import type { Clock } from "#runtime/runtime.ts";
import { ChangeListeners, TransactionChanges } from "#store/changes.ts";
import { CountBuffer } from "#store/counts/buffer.ts";
import { type Database, type Operation, StorageError, type Tx } from "#store/database.ts";
import { migrate } from "#store/schema/migrate.ts";
import { acquire, acquireFirst, type PoolCapacity } from "./acquire.ts";
import { postgresTx } from "./connection.ts";
import { faultOf, recordConnectionError, storageError } from "./errors.ts";
import { GroupCommit } from "./group-commit.ts";
import { moveTables, recordSchema } from "./move-tables.ts";
import { channelOf, defaultSchema, ensureSchema, lockSchema, searchPathStatement } from "./own-schema.ts";

/** How long a call waits for a connection, ms. */
const connectMs = 5_000;
/** How long a start waits for a server that is not reachable, is starting or has no room, ms. */
const defaultStartMs = 30_000;
/** How often serialisation failures and deadlocks are retried. */
const tries = 5;
/** Most connections of a process. */
const defaultConnections = 6;

/** Loaded only for PostgreSQL. */
export const loadPg = async () => (await import("pg")).default;

/** Session settings: 2xx promises a flushed commit, so the server's default must not decide. */
async function prepare(client: ClientBase, schema: string): Promise<void> {
  await client.query(
    `${searchPathStatement(schema)}; set synchronous_commit = on; set client_encoding = 'UTF8'; set statement_timeout = '60s'; set lock_timeout = '20s'; set idle_in_transaction_session_timeout = '5s'`,
  );
}

/** Rejects if a setting of the server could lose an accepted message. */
export async function refuseUnsafe(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    "select name, setting, reset_val from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'server_version_num')",
  );
  const setting = (name: string) => rows.find((row) => row.name === name);
  if (setting("synchronous_commit")?.reset_val === "off") {
    throw new StorageError(
      "failed",
      "PostgreSQL's synchronous_commit is off for this role or database: messages answered with 2xx could be lost in a crash. Set it to on.",
    );
  }
  for (const name of ["fsync", "full_page_writes"]) {
    if (setting(name)?.setting !== "on") {
      throw new StorageError(
        "failed",
        `PostgreSQL's ${name} is off: messages answered with 2xx could be lost in a power cut. Set it to on.`,
      );
    }
  }
  if (Number(setting("server_version_num")?.setting) < 150000) {
    throw new StorageError("failed", "PostgreSQL 15 or later is needed.");
  }
}

async function transaction<T>(
  connect: (what: string) => Promise<PoolClient>,
  { buffer, listeners }: { buffer: CountBuffer; listeners: ChangeListeners },
  what: string,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await connect(what);
    const counts = buffer.transaction();
    const changes = new TransactionChanges();
    let committing = false;
    let running = false;
    try {
      await client.query("begin");
      running = true;
      const output = await run(postgresTx(client, counts, changes));
      running = false;
      committing = true;
      await client.query("commit");
      if (counts.hasAny()) changes.add("counts");
      counts.commit();
      changes.commit();
      client.release();
      for (const each of changes.take()) listeners.announce(each);
      return output;
    } catch (error) {
      counts.discard();
      if (!running) recordConnectionError(error);
      const fault = faultOf(error);
      if (fault === "unavailable") {
        client.release(true);
        if (committing)
          throw new StorageError("commit_unknown", `${what}: the connection broke during COMMIT`, {
            cause: error,
          });
        throw storageError(error, what);
      }
      await client.query("rollback").then(
        () => client.release(),
        () => client.release(true),
      );
      const code = (error as { code?: unknown } | null)?.code;
      if ((code === "40001" || code === "40P01") && attempt < tries) continue;
      throw storageError(error, what);
    }
  }
}

/**
 * Connects, refuses unsafe settings, and applies migrations. `url`: `postgres://…`. `schema`: the schema that holds the tables.
 * `keyFingerprint`: that of the master key, needed to move tables of an older version there. `connections`: the maximum, including the one
 * that listens for other processes; at least 2. `startMs`: how long to wait for a server that is not reachable yet (30 s); `onWait`
 * receives a sentence when the wait begins.
 */
export async function openPostgres(options: {
  url: string;
  schema?: string;
  keyFingerprint?: string | null;
  connections?: number;
  clock?: Clock;
  applicationName?: string;
  startMs?: number;
  onWait?: (sentence: string) => void;
}): Promise<Database> {
  const pg = await loadPg();
  const types = { ...pg.types, getTypeParser: pg.types.getTypeParser };
  // bigint as number: epoch milliseconds and counts stay far below 2^53.
  types.getTypeParser = ((oid: number, format?: "text" | "binary") =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser;
  const schema = options.schema ?? defaultSchema;
  const channel = channelOf(schema);
  const settings = {
    connectionString: options.url,
    application_name: options.applicationName ?? "trunkline",
    connectionTimeoutMillis: connectMs,
    // A server that vanished silently (power, a firewall) would otherwise block its callers for hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: 65_000,
    types,
  };
  // One connection is reserved for the listener.
  const max = (options.connections ?? defaultConnections) - 1;
  const onConnect = (client: ClientBase) => prepare(client, schema);
  const pool = new pg.Pool({ ...settings, max, idleTimeoutMillis: 60_000, onConnect });
  // An idle connection that breaks must not end the process; the next call gets a new one.
  pool.on("error", () => {});
  // Nor must one that breaks in use: its query rejects, and the client emits the same error again.
  const clock = options.clock ?? systemClock();
  const room: PoolCapacity = { established: 0, max, smallUntil: 0 };
  pool.on("connect", (client) => {
    client.on("error", () => {});
    room.established += 1;
    client.once("end", () => {
      room.established -= 1;
    });
  });

  let client: PoolClient;
  try {
    const startMs = options.startMs ?? defaultStartMs;
    client = await acquireFirst(pool, startMs, clock, (error) =>
      options.onWait?.(
        `PostgreSQL does not accept connections yet (${describeError(error)}). The start waits for it, for at most ${startMs / 1_000} s.`,
      ),
    );
  } catch (error) {
    await pool.end();
    throw error;
  }
  try {
    await refuseUnsafe(client);
    await client.query("begin");
    await lockSchema(client, schema);
    await ensureSchema(client, schema);
    await moveTables(client, schema, options.keyFingerprint ?? null);
    await migrate(postgresTx(client));
    await recordSchema(client, schema);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    client.release(true);
    await pool.end();
    throw storageError(error, "PostgreSQL");
  }
  client.release();

  const listeners: ((topic: string) => void)[] = [];
  let listening: Client | null = null;
  let closed = false;
  let mending: Promise<void> | null = null;
  /** One at a time: a second listener would receive every notification twice, and would never be closed. */
  const listen = (): Promise<void> => {
    mending ??= connectListener().finally(() => {
      mending = null;
    });
    return mending;
  };
  const connectListener = async (): Promise<void> => {
    const candidate = new pg.Client(settings);
    candidate.on("error", () => {});
    candidate.on("end", () => {
      listening = null;
    });
    candidate.on("notification", ({ payload }) => {
      for (const listener of listeners) listener(payload ?? "");
    });
    try {
      await candidate.connect();
      await candidate.query(`listen ${channel}`);
      listening = candidate;
    } catch {
      await candidate.end().catch(() => {});
    }
  };
  await listen();

  const connect = (what: string) => acquire(pool, what, room, clock);
  const transactions = { buffer: new CountBuffer(), listeners: new ChangeListeners() };
  const groupCommits = new Map<string, GroupCommit<unknown, unknown>>();
  const groupCommitOf = (operation: Operation<unknown, unknown>): GroupCommit<unknown, unknown> => {
    let groupCommit = groupCommits.get(operation.name);
    if (!groupCommit) {
      groupCommit = new GroupCommit(
        (inputs) =>
          transaction(connect, transactions, operation.name, async (tx) => {
            if (!operation.batched) throw new Error(`${operation.name} is not a batched operation.`);
            return await operation.run(tx, inputs);
          }),
        (error) => error instanceof StorageError && error.fault === "failed",
        operation.bytesOf,
      );
      groupCommits.set(operation.name, groupCommit);
    }
    return groupCommit;
  };

  const run = async (operation: Operation<unknown, unknown>, input: unknown): Promise<unknown> => {
    if (closed) throw new StorageError("unavailable", "The database is closed.");
    if (operation.batched) return await groupCommitOf(operation).call(input);
    if (operation.access === "write")
      return await transaction(connect, transactions, operation.name, (tx) => operation.run(tx, input));
    const client = await connect(operation.name);
    try {
      const output = await operation.run(postgresTx(client), input);
      client.release();
      return output;
    } catch (error) {
      client.release(faultOf(error) === "unavailable");
      throw storageError(error, operation.name);
    }
  };

  return {
    engine: "postgres",
    run: (operation, input) => run(operation as Operation<unknown, unknown>, input) as Promise<never>,
    onChanges: (listener) => transactions.listeners.add(listener),
    notify: (topic) => {
      // A lost hint costs a second, because every listener also polls. The connection is restored in the background.
      if (!closed && listening === null) void listen();
      void pool.query("select pg_notify($1, $2)", [channel, topic]).catch(() => {});
    },
    onNotify: (listener) => {
      listeners.push(listener);
    },
    close: async () => {
      closed = true;
      await mending;
      await listening?.end().catch(() => {});
      await pool.end();
    },
  };
}
