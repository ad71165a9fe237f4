// Reads from the database itself, past the server, what is still to be posted and how deliveries ended.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";

export interface Waiting {
  /** What happened and is not yet handed to the webhook endpoints. */
  outbox: number;
  /** Deliveries by their status. */
  deliveries: Readonly<Record<string, number>>;
}

export interface WaitingReader {
  read(): Promise<Waiting>;
  close(): Promise<void>;
}

const outboxSql = "select count(*) as count from outbox";
const deliveriesSql = "select status, count(*) as count from webhook_deliveries group by status";

function waitingOf(outbox: unknown[], deliveries: unknown[]): Waiting {
  const rows = deliveries as { status: string; count: unknown }[];
  return {
    outbox: Number((outbox as { count: unknown }[])[0]?.count),
    deliveries: Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])),
  };
}

/** Of an installation on SQLite. Opened anew each time, because a run may put another file in its place. */
export function sqliteWaiting(dataFolder: string): WaitingReader {
  return {
    async read() {
      const database = new DatabaseSync(join(dataFolder, "trunkline.db"), { readOnly: true, timeout: 5000 });
      try {
        return waitingOf(database.prepare(outboxSql).all(), database.prepare(deliveriesSql).all());
      } finally {
        database.close();
      }
    },
    async close() {},
  };
}

/** Of an installation on PostgreSQL. */
export function postgresWaiting(url: string): WaitingReader {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  // The server may end a connection that is just being closed, when the database is dropped.
  pool.on("error", () => {});
  return {
    async read() {
      return waitingOf((await pool.query(outboxSql)).rows, (await pool.query(deliveriesSql)).rows);
    },
    close: () => pool.end(),
  };
}
