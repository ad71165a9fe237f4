// Inspects a PostgreSQL installation without changing it, for the command line.

import type { Client } from "pg";
import { describeError } from "#runtime/describe-error.ts";
import { StorageError } from "#store/database.ts";
import type { Inspection } from "#store/engine/inspection.ts";
import { mayRun, newestSchema, oldestOf, oldestSchemaFact } from "#store/schema/migrate.ts";
import { refuseReadOnly, urlsOf } from "./hosts.ts";
import { findFormerTables } from "./move-tables.ts";
import { defaultSchema, quoted, searchPathStatement } from "./own-schema.ts";
import { canListen, describePooler, isTransactionPooled } from "./pooler.ts";
import { loadPg, refuseUnsafe } from "./postgres.ts";

const connectMs = 5_000;

/** Connects once. Never throws. `schema`: where the tables are. `listenUrl`: where notifications are listened for, if not there. */
export async function inspectPostgres(
  url: string,
  schema = defaultSchema,
  listenUrl?: string,
): Promise<Inspection> {
  const pg = await loadPg();
  const opened: Client[] = [];
  const connect = async (connectionString: string) => {
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      application_name: "trunkline doctor",
    });
    client.on("error", () => {});
    opened.push(client);
    await client.connect();
    return client;
  };
  try {
    const { client, at } = await firstOf(urlsOf(url), connect);
    const pooled = await isTransactionPooled(client, () => connect(at));
    const listens = await canListen(pooled, listenUrl, () => connect(listenUrl ?? at));
    const pooler = pooled ? describePooler(listenUrl !== undefined, listens) : null;
    await refuseUnsafe(client);
    const { rows } = await client.query(
      "select to_regclass($1) is not null as made, extract(epoch from clock_timestamp()) * 1000 as clock",
      [`${quoted(schema)}.migrations`],
    );
    const clock = Number(rows[0]?.clock);
    const made = rows[0]?.made === true;
    await client.query("begin read only");
    const former = made ? [] : await findFormerTables(client, schema);
    const moves = former.some((tables) => tables.schema === "public" && tables.movedTo === null);
    if (!made && !moves)
      return { schema: 0, newestSchema, mayRun: true, masterKey: null, clock, moves, pooler };
    await client.query(searchPathStatement(moves ? "public" : schema, "local"));
    const newest = Number((await client.query("select max(id) as id from migrations")).rows[0]?.id ?? 0);
    const fact = await client.query("select value from installation_facts where name = $1", [
      oldestSchemaFact,
    ]);
    const oldest = oldestOf(fact.rows[0]?.value, newest);
    const key = await client.query("select value from installation_facts where name = 'master_key'");
    return {
      schema: newest,
      newestSchema,
      mayRun: mayRun({ newest, oldest }),
      masterKey: key.rows[0]?.value ?? null,
      clock,
      moves,
      pooler,
    };
  } catch (error) {
    if (error instanceof StorageError) return { fault: error.message };
    // The server's own messages, such as `password authentication failed for user`; others may contain the URL.
    const { severity, message } = error as { severity?: string; message: string };
    return {
      fault: severity === undefined ? `PostgreSQL: ${describeError(error)}.` : `PostgreSQL: ${message}.`,
    };
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => {})));
  }
}

/** A connection to the first server that takes writes. Rejects with the fault of the last one. */
async function firstOf(urls: readonly string[], connect: (url: string) => Promise<Client>) {
  let fault: unknown;
  for (const at of urls) {
    try {
      const client = await connect(at);
      if (urls.length > 1) await refuseReadOnly(client);
      return { client, at };
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}
