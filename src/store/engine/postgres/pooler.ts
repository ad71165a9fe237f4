// A pooler in transaction mode (PgBouncer, Supavisor; the default port of Supabase and Neon) gives each transaction any of its server
// connections. Settings, prepared statements and LISTEN belong to a session: they are lost, or they affect other clients.

import type { ClientBase } from "pg";
import { searchPathStatement } from "./own-schema.ts";

/** Enough to notice a pooler that chooses among many connections at random, each round with a chance of one half or more. */
const rounds = 8;

/** 2xx promises a flushed commit, so the server's default must not decide. */
const settings = {
  synchronous_commit: "on",
  statement_timeout: "60s",
  lock_timeout: "20s",
  idle_in_transaction_session_timeout: "5s",
};

/** The statements that give a session, or the transaction that they begin, Trunkline's settings. */
export function settingsStatements(schema: string, scope: "session" | "local"): string {
  const values = Object.entries(settings).map(([name, value]) => `set ${scope} ${name} = '${value}'`);
  return [searchPathStatement(schema, scope), ...values].join("; ");
}

async function backendOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]!.pid;
}

/**
 * Whether transactions of one connection may run in different sessions. A server names its process when a connection begins, and a pooler
 * makes that up; so a direct connection costs one statement. Behind a pooler a second connection (`connectAnother`, ended here) is opened
 * to see whether the two share a session, or one of them changes it. If that cannot be found out, the answer is yes, because
 * transaction mode also works over a session.
 */
export async function isTransactionPooled(
  client: ClientBase,
  connectAnother: () => Promise<ClientBase & { end(): Promise<void> }>,
): Promise<boolean> {
  const own = await backendOf(client);
  // The driver has it, its types do not.
  if (Reflect.get(client, "processID") === own) return false;
  let other: Awaited<ReturnType<typeof connectAnother>> | null = null;
  try {
    other = await connectAnother();
    for (let round = 0; round < rounds; round++) {
      // Twice, because a pooler that takes turns among two connections would otherwise seem to keep them.
      for (let i = 0; i < 2; i++) if ((await backendOf(client)) !== own) return true;
      await other.query("begin");
      if ((await backendOf(other)) === own || (await backendOf(client)) !== own) return true;
      await other.query("commit");
    }
    return false;
  } catch {
    return true;
  } finally {
    await other?.end().catch(() => {});
  }
}

/** Whether notifications arrive at this address (`listenUrl`; without one: at the database's own). */
export async function canListen(
  pooled: boolean,
  listenUrl: string | undefined,
  connect: () => Promise<ClientBase & { end(): Promise<void> }>,
): Promise<boolean> {
  if (listenUrl === undefined) return !pooled;
  let client: Awaited<ReturnType<typeof connect>>;
  try {
    client = await connect();
  } catch {
    // It may come up later; until then there is nothing to hear.
    return true;
  }
  try {
    return !(await isTransactionPooled(client, connect));
  } finally {
    await client.end().catch(() => {});
  }
}

/** One sentence for the log and `trunkline doctor`. `hasUrl`: TRUNKLINE_DATABASE_LISTEN_URL is set. */
export function describePooler(hasUrl: boolean, listens: boolean): string {
  const how = listens
    ? "notifications come over TRUNKLINE_DATABASE_LISTEN_URL"
    : hasUrl
      ? "other processes are noticed by polling, because TRUNKLINE_DATABASE_LISTEN_URL leads to such a pooler too"
      : "other processes are noticed by polling, once a second, unless TRUNKLINE_DATABASE_LISTEN_URL leads past the pooler";
  return `PostgreSQL is behind a pooler in transaction mode: each transaction brings its own settings, and ${how}.`;
}
