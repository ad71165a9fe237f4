// The installation as operators see it: the size of its database, and its processes.

import { sql } from "kysely";
import { readOperation } from "#store/database.ts";
import { readSchemaState, type SchemaState } from "#store/schema/migrate.ts";

/** The size of the database in bytes: of its file, which does not shrink, or on PostgreSQL of the tables and indexes of its schema. */
export const readDatabaseSize = readOperation("readDatabaseSize", async (tx, _: null): Promise<number> => {
  if (tx.engine === "postgres") {
    const { rows } = await sql<{ bytes: number }>`
      select sum(pg_total_relation_size(oid)) as bytes from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
    `.execute(tx.db);
    return Number(rows[0]?.bytes ?? 0);
  }
  const { rows: count } = await sql<{ page_count: number }>`pragma page_count`.execute(tx.db);
  const { rows: size } = await sql<{ page_size: number }>`pragma page_size`.execute(tx.db);
  return (count[0]?.page_count ?? 0) * (size[0]?.page_size ?? 0);
});

export interface ProcessRow {
  id: string;
  started_at: number;
  /** Lanes that it owns. */
  lanes: number;
}

/** The processes that have a heartbeat row, oldest first. A dead one has it until another process takes over its lanes. */
export const listProcesses = readOperation("listProcesses", async (tx, _: null): Promise<ProcessRow[]> => {
  const processes = await tx.db
    .selectFrom("processes")
    .select(["id", "started_at"])
    .orderBy("started_at")
    .orderBy("id")
    .execute();
  const owned = await tx.db
    .selectFrom("lanes")
    .select((eb) => ["owner", eb.fn.countAll<number>().as("lanes")])
    .where("owner", "is not", null)
    .groupBy("owner")
    .execute();
  const lanesOf = new Map(owned.map(({ owner, lanes }) => [owner, Number(lanes)]));
  return processes.map((row) => ({ ...row, lanes: lanesOf.get(row.id) ?? 0 }));
});

/** Rows to read in the index of held messages. */
const heldLook = 10_000;

export interface HeldOfAccount {
  account_id: string;
  name: string;
  messages: number;
}

/** How many messages of each account a restore holds, among the first 10,000 of them; largest first. */
export const countHeldByAccount = readOperation(
  "countHeldByAccount",
  async (tx, _: null): Promise<HeldOfAccount[]> => {
    const { rows } = await sql<{ account_id: string; messages: number }>`
      select account_id, count(*) as messages from (
        select account_id from ${tx.indexed("messages", "messages_held")}
        where held_due_at is not null and id >= 'msg_' order by id limit ${heldLook}
      ) as found group by account_id
    `.execute(tx.db);
    if (rows.length === 0) return [];
    const accounts = await tx.db
      .selectFrom("accounts")
      .select(["id", "name"])
      .where(
        "id",
        "in",
        rows.map(({ account_id }) => account_id),
      )
      .execute();
    const names = new Map(accounts.map(({ id, name }) => [id, name]));
    return rows
      .map(({ account_id, messages }) => ({
        account_id,
        name: names.get(account_id) ?? account_id,
        messages: Number(messages),
      }))
      .sort((a, b) => b.messages - a.messages);
  },
);

/** The newest migration of the database, and which releases may run on it. */
export const readSchema = readOperation(
  "readSchema",
  (tx, _: null): Promise<SchemaState> => readSchemaState(tx),
);
