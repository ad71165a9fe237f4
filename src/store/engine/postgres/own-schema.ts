// The PostgreSQL schema that holds Trunkline's tables. It is the only schema on every connection's search path, so statements use plain
// table names and never find tables of other programs in the same database. Names that belong to the whole database (advisory locks,
// channels) include the name of the schema.

import { createHash } from "node:crypto";
import type { ClientBase } from "pg";
import { StorageError } from "#store/database.ts";

export const defaultSchema = "trunkline";

/** Older versions have their tables here, and take this lock while they change them. */
const publicLock = 7235861102;

/** A name as SQL reads it: quoted, so that no name is more than a name. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Sets the search path of a session, or (`local`) of a transaction, by a statement: a pooler, such as PgBouncer, refuses the startup
 * parameter `options`.
 */
export const searchPathStatement = (schema: string, scope: "session" | "local") =>
  `set ${scope} search_path to ${quoted(schema)}`;

/** The notification channel: 26 characters, because a schema's name may be as long as a channel's. */
export const channelOf = (schema: string) =>
  `trunkline_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`;

/** No other process changes this schema's tables until the transaction ends. */
export async function lockSchema(client: ClientBase, schema: string): Promise<void> {
  if (schema === "public") await client.query(`select pg_advisory_xact_lock(${publicLock})`);
  else await client.query(`select pg_advisory_xact_lock(hashtextextended($1, ${publicLock}))`, [schema]);
}

/** Creates the schema unless it exists. If the role lacks a privilege, rejects with the statement that grants it. */
export async function ensureSchema(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ role: string; made: boolean; usable: boolean; may: boolean }>(
    `select current_user as role, n.oid is not null as made,
       has_database_privilege(current_database(), 'create') as may,
       coalesce(has_schema_privilege(n.oid, 'usage') and has_schema_privilege(n.oid, 'create'), false) as usable
     from (select 1) as one left join pg_namespace as n on n.nspname = $1`,
    [schema],
  );
  const { role, made, usable, may } = rows[0]!;
  const name = quoted(schema);
  if (made && !usable) {
    throw new StorageError(
      "failed",
      `PostgreSQL's role ${role} may not use the schema ${schema}. Its owner can run: GRANT USAGE, CREATE ON SCHEMA ${name} TO ${quoted(role)}`,
    );
  }
  if (!made && !may) {
    throw new StorageError(
      "failed",
      `PostgreSQL's role ${role} may not create the schema ${schema}. The database's owner can run: CREATE SCHEMA ${name} AUTHORIZATION ${quoted(role)}`,
    );
  }
  if (!made) await client.query(`create schema ${name}`);
}
