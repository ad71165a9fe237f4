// The PostgreSQL engine: operations run on pooled connections; several processes may share the database.

import type { ClientBase, ClientConfig, PoolClient } from "pg";
import { systemClock } from "#runtime/clock.ts";
import { describeError } from "#runtime/describe-error.ts";
import type { Clock } from "#runtime/runtime.ts";
import { ChangeListeners, TransactionChanges } from "#store/changes.ts";
import { CountBuffer } from "#store/counts/buffer.ts";
import { type Database, type Operation, StorageError, type Tx } from "#store/database.ts";
import { type Migration, migrate, migrations } from "#store/schema/migrate.ts";
import { acquire, acquireFirst, type PoolCapacity } from "./acquire.ts";
import { refuseBesideOthers, shortWaits, withoutLongWaits } from "./alone.ts";
import { postgresTx } from "./connection.ts";
import { faultOf, isStalePlan, recordConnectionError, storageError } from "./errors.ts";
import { GroupCommit } from "./group-commit.ts";
import { connectorOf, refuseReadOnly, urlsOf } from "./hosts.ts";
import { createListener } from "./listener.ts";
import { moveTables, recordSchema } from "./move-tables.ts";
import { channelOf, defaultSchema, ensureSchema, lockSchema } from "./own-schema.ts";
import { canListen, describePooler, isTransactionPooled, settingsStatements } from "./pooler.ts";
import { askServer, dropIdle, probing, watchSilence } from "./silence.ts";

/** How long a call waits for a connection, ms. */
const connectMs = 5_000;
/** How long a start waits for a server that is not reachable, is starting or has no room, ms. */
const defaultStartMs = 30_000;
/** How often serialisation failures and deadlocks are retried. */
const tries = 5;
/** Most connections of a process. */
const defaultConnections = 6;

/** How long the server may be silent before requests are refused, ms. */
const silenceMs = 1_800;
/** The same behind a pooler, which answers nothing while other clients have all of its connections, ms. */
const pooledSilenceMs = 5_000;

/** Loaded only for PostgreSQL. */
export const loadPg = async () => (await import("pg")).default;

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

/** What all transactions of a database share. */
interface Transactions {
  connect(what: string): Promise<PoolClient>;
  /** Begins one, with Trunkline's settings where the session does not keep them. */
  begin: string;
  /** Whether a session keeps its statements. */
  named: boolean;
  /** Ends the idle connections, whose plans are stale. */
  forgetPlans(): Promise<void>;
  buffer: CountBuffer;
  listeners: ChangeListeners;
}

async function transaction<T>(
  { connect, begin, named, forgetPlans, buffer, listeners }: Transactions,
  { name: what, access }: Pick<Operation<unknown, unknown>, "name" | "access">,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await connect(what);
    const counts = buffer.transaction();
    const changes = new TransactionChanges();
    let committing = false;
    let running = false;
    try {
      await client.query(begin);
      running = true;
      const output = await run(postgresTx(client, { named, counts, changes }));
      running = false;
      committing = access === "write";
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
        () => client.release(isStalePlan(error)),
        () => client.release(true),
      );
      const code = (error as { code?: unknown } | null)?.code;
      if ((code === "40001" || code === "40P01") && attempt < tries) continue;
      if (isStalePlan(error) && attempt < tries) {
        await forgetPlans();
        continue;
      }
      throw storageError(error, what);
    }
  }
}

/** What a start or an outage has to say: the name of the event, and a sentence. */
export type Notice = (event: "waiting" | "pooler" | "silent" | "answers", sentence: string) => void;

/**
 * Connects, refuses unsafe settings, and applies migrations. `url`: `postgres://…`, of one or several servers. `listenUrl`: where
 * notifications are listened for, if not there. `schema`: the schema that holds the tables. `keyFingerprint`: that of the master key,
 * needed to move tables of an older version there. `connections`: the maximum, including the one that listens for other processes; at
 * least 2. `startMs`: how long to wait for a server that is not reachable yet (30 s).
 */
export async function openPostgres(options: {
  url: string;
  listenUrl?: string;
  schema?: string;
  keyFingerprint?: string | null;
  connections?: number;
  clock?: Clock;
  applicationName?: string;
  startMs?: number;
  notice?: Notice;
  /** For tests of other releases: the migrations that this one knows. */
  migrations?: readonly Migration[];
}): Promise<Database> {
  const pg = await loadPg();
  const types = { ...pg.types, getTypeParser: pg.types.getTypeParser };
  // bigint as number: epoch milliseconds and counts stay far below 2^53.
  types.getTypeParser = ((oid: number, format?: "text" | "binary") =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser;
  const schema = options.schema ?? defaultSchema;
  const channel = channelOf(schema);
  const notice: Notice = options.notice ?? (() => {});
  const urls = urlsOf(options.url);
  const settings = {
    connectionString: urls[0],
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
  /** Null until the first connection has found out. */
  let pooled: boolean | null = null;
  const prepare = (client: ClientBase) => client.query(settingsStatements(schema, "session"));
  const onConnect = async (client: ClientBase): Promise<void> => {
    if (urls.length > 1) await refuseReadOnly(client);
    // Behind a pooler in transaction mode they would change the sessions of others.
    if (pooled === false) await prepare(client);
  };
  const pool = new pg.Pool({ ...settings, max, idleTimeoutMillis: 60_000, onConnect });
  const connector = connectorOf(pool, urls);
  const newClient = (more: ClientConfig) => {
    const made = new pg.Client({ ...settings, ...more });
    made.on("error", () => {});
    return made;
  };
  const connectedClient = async (connectionString: string | undefined) => {
    const made = newClient({ connectionString, query_timeout: connectMs });
    await made.connect();
    return made;
  };
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
    client = await acquireFirst(connector, startMs, clock, (error) =>
      notice(
        "waiting",
        `PostgreSQL does not take connections yet (${describeError(error)}). The start waits for it, ${startMs / 1_000} s at most.`,
      ),
    );
  } catch (error) {
    await pool.end();
    throw error;
  }
  let begin = "begin";
  try {
    pooled = await isTransactionPooled(client, () => connectedClient(pool.options.connectionString));
    if (pooled) begin = `begin; ${settingsStatements(schema, "local")}`;
    else await prepare(client);
    await refuseUnsafe(client);
    const known = options.migrations ?? migrations;
    await refuseBesideOthers(client, { schema, clock, known });
    await withoutLongWaits(client, clock, async () => {
      await client.query(begin);
      await lockSchema(client, schema);
      await ensureSchema(client, schema);
      await moveTables(client, schema, options.keyFingerprint ?? null);
      await client.query(shortWaits);
      await migrate(postgresTx(client, { named: false }), known.at(-1)?.id, known);
      await recordSchema(client, schema);
      await client.query("commit");
    });
  } catch (error) {
    await client.query("rollback").catch(() => {});
    client.release(true);
    await pool.end();
    throw storageError(error, "PostgreSQL");
  }
  client.release();

  const { listenUrl } = options;
  const mayListen = await canListen(pooled, listenUrl, () => connectedClient(listenUrl));
  if (pooled) notice("pooler", describePooler(listenUrl !== undefined, mayListen));
  let closed = false;
  const topics: ((topic: string) => void)[] = [];
  const listener = createListener(
    newClient,
    () => (mayListen && !closed ? { connectionString: listenUrl ?? pool.options.connectionString } : null),
    channel,
    (topic) => {
      for (const each of topics) each(topic);
    },
  );
  await listener.connect();

  const inUse = new Set<PoolClient>();
  pool.on("acquire", (used) => inUse.add(used));
  pool.on("release", (_error, used) => inUse.delete(used));
  const askAnew = () => askServer(newClient({ connectionString: pool.options.connectionString, ...probing }));
  const silence = watchSilence({
    clock,
    limitMs: pooled ? pooledSilenceMs : silenceMs,
    ask: async () => {
      // The listener is quicker, but may have lost its connection. One at another address says nothing about this one.
      const heard = listenUrl === undefined ? listener.connection() : null;
      const heardToo = heard === null ? [] : [heard.query({ text: "select 1", ...probing })];
      await Promise.any([...heardToo, askAnew()]);
    },
    askAnew,
    onSilence: () => {
      notice("silent", "PostgreSQL does not answer. Requests are refused at once until it does.");
      // Idle ones too: their server may never come back. What a connection was doing fails as if it had broken.
      for (const used of inUse) void used.end();
      void listener.connection()?.end();
      void dropIdle(pool);
    },
    onAnswer: () => notice("answers", "PostgreSQL answers again."),
  });

  const connect = async (what: string): Promise<PoolClient> => {
    const connecting = acquire(connector, what, room, clock);
    try {
      return await silence.unlessSilent(connecting);
    } catch (error) {
      connecting.then(
        (late) => late.release(),
        () => {},
      );
      throw error;
    }
  };
  const transactions: Transactions = {
    connect,
    begin,
    named: !pooled,
    forgetPlans: () => dropIdle(pool),
    buffer: new CountBuffer(),
    listeners: new ChangeListeners(),
  };
  const groupCommits = new Map<string, GroupCommit<unknown, unknown>>();
  const groupCommitOf = (operation: Operation<unknown, unknown>): GroupCommit<unknown, unknown> => {
    let groupCommit = groupCommits.get(operation.name);
    if (!groupCommit) {
      groupCommit = new GroupCommit(
        (inputs) =>
          transaction(transactions, operation, async (tx) => {
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
    if (operation.batched) return await groupCommitOf(operation).call(input);
    // A read needs a transaction only to have its settings.
    if (operation.access === "write" || pooled)
      return await transaction(transactions, operation, (tx) => operation.run(tx, input));
    for (let attempt = 1; ; attempt++) {
      const client = await connect(operation.name);
      try {
        const output = await operation.run(postgresTx(client), input);
        client.release();
        return output;
      } catch (error) {
        const isStale = isStalePlan(error);
        client.release(isStale || faultOf(error) === "unavailable");
        if (!isStale || attempt === tries) throw storageError(error, operation.name);
        await dropIdle(pool);
      }
    }
  };

  return {
    engine: "postgres",
    run: async (operation, input) => {
      if (closed) throw new StorageError("unavailable", "The database is closed.");
      return (await silence.during(() => run(operation as Operation<unknown, unknown>, input))) as never;
    },
    onChanges: (each) => transactions.listeners.add(each),
    notify: (topic) => {
      if (closed || silence.isSilent()) return;
      // A lost hint costs a second, because every listener also polls. The connection is restored in the background.
      void listener.connect();
      void pool.query("select pg_notify($1, $2)", [channel, topic]).catch(() => {});
    },
    onNotify: (each) => {
      topics.push(each);
    },
    close: async () => {
      closed = true;
      silence.close();
      await listener.close();
      await pool.end();
    },
  };
}
