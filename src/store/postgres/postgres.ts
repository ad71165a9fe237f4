// The PostgreSQL engine: operations run on pooled connections; several processes may share the database.

import type { Client, ClientBase, Pool, PoolClient } from "pg";
import { type Database, type Operation, StorageError, type StorageFault, type Tx } from "#store/database.ts";
import { migrate } from "#store/migrate.ts";
import { postgresTx } from "./connection.ts";
import { Gatherer } from "./gather.ts";

const connections = 12;
/** Serialisation failures and deadlocks are repeated this often. */
const tries = 5;
/** Any number that other users of the same server are unlikely to lock. */
const migrationLock = 7235861102;
const channel = "trunkline";

function faultOf(error: unknown): StorageFault {
  const code = String((error as { code?: unknown }).code ?? "");
  if (code === "53100") return "full";
  if (code.startsWith("58") || code === "XX001" || code === "XX002") return "io";
  // Ended by the server because this process stood still inside a transaction.
  if (code === "25P03") return "unavailable";
  if (code === "25006") return "unavailable"; // read-only: a standby, or a failover in progress
  // Five characters are PostgreSQL's own codes; the rest are sockets' (ECONNREFUSED) or none at all (connection terminated).
  if (/^[0-9A-Z]{5}$/.test(code) && !/^(08|57|53)/.test(code)) return "failed";
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
    ? "failed"
    : "unavailable";
}

function storageError(error: unknown, what: string): StorageError {
  if (error instanceof StorageError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(faultOf(error), `${what}: ${message}`, { cause: error });
}

/** What a connection needs: 2xx promises a flushed commit, whatever the server's default is. */
async function prepare(client: ClientBase): Promise<void> {
  await client.query(
    "set synchronous_commit = on; set client_encoding = 'UTF8'; set statement_timeout = '60s'; set lock_timeout = '20s'; set idle_in_transaction_session_timeout = '5s'",
  );
}

async function refuseUnsafe(client: PoolClient): Promise<void> {
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

async function transaction<T>(pool: Pool, what: string, run: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw storageError(error, what);
    }
    let committing = false;
    try {
      await client.query("begin");
      const output = await run(postgresTx(client));
      committing = true;
      await client.query("commit");
      client.release();
      return output;
    } catch (error) {
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
      const code = (error as { code?: unknown }).code;
      if ((code === "40001" || code === "40P01") && attempt < tries) continue;
      throw storageError(error, what);
    }
  }
}

/** Connects, refuses unsafe settings, and brings the schema up to date. `url`: `postgres://…`. */
export async function openPostgres(options: { url: string; applicationName?: string }): Promise<Database> {
  const { default: pg } = await import("pg");
  const types = { ...pg.types, getTypeParser: pg.types.getTypeParser };
  // bigint as number: epoch milliseconds and counts stay far below 2^53.
  types.getTypeParser = ((oid: number, format?: "text" | "binary") =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser;
  const settings = {
    connectionString: options.url,
    application_name: options.applicationName ?? "trunkline",
    connectionTimeoutMillis: 5000,
    // A server that vanished without a word (power, a firewall) would otherwise keep its callers for hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: 65_000,
    types,
  };
  const pool = new pg.Pool({ ...settings, max: connections, idleTimeoutMillis: 60_000, onConnect: prepare });
  // An idle connection that breaks must not end the process; the next use gets a new one.
  pool.on("error", () => {});
  // Nor must one that breaks in use: its query rejects, and the client emits the same error once more.
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });

  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    await pool.end();
    throw storageError(error, "PostgreSQL");
  }
  try {
    await refuseUnsafe(client);
    await client.query("begin");
    await client.query(`select pg_advisory_xact_lock(${migrationLock})`);
    await migrate(postgresTx(client));
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
  /** One at a time: a second listener would hear everything twice, and nobody would close it. */
  const listen = (): Promise<void> => {
    mending ??= connectListener().finally(() => {
      mending = null;
    });
    return mending;
  };
  const connectListener = async (): Promise<void> => {
    const own = new pg.Client(settings);
    own.on("error", () => {});
    own.on("end", () => {
      listening = null;
    });
    own.on("notification", ({ payload }) => {
      for (const listener of listeners) listener(payload ?? "");
    });
    try {
      await own.connect();
      await own.query(`listen ${channel}`);
      listening = own;
    } catch {
      await own.end().catch(() => {});
    }
  };
  await listen();

  const gatherers = new Map<string, Gatherer<unknown, unknown>>();
  const gathererOf = (operation: Operation<unknown, unknown>): Gatherer<unknown, unknown> => {
    let gatherer = gatherers.get(operation.name);
    if (!gatherer) {
      gatherer = new Gatherer(
        (inputs) =>
          transaction(pool, operation.name, async (tx) => {
            if (!operation.gathered) throw new Error("not a gathered operation");
            return await operation.run(tx, inputs);
          }),
        (error) => error instanceof StorageError && error.fault === "failed",
      );
      gatherers.set(operation.name, gatherer);
    }
    return gatherer;
  };

  const run = async (operation: Operation<unknown, unknown>, input: unknown): Promise<unknown> => {
    if (closed) throw new StorageError("unavailable", "The database is closed.");
    if (operation.gathered) return await gathererOf(operation).call(input);
    if (operation.access === "write")
      return await transaction(pool, operation.name, (tx) => operation.run(tx, input));
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw storageError(error, operation.name);
    }
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
    announce: (topic) => {
      // A lost hint costs a second: everybody polls as well. The listener is mended on the way.
      if (!closed && listening === null) void listen();
      void pool.query("select pg_notify($1, $2)", [channel, topic]).catch(() => {});
    },
    onAnnounced: (listener) => {
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
