// Versions up to 0.1 have their tables in the schema `public`, which other programs use too. The first start of a later version moves
// exactly these tables into the configured schema, in the transaction that migrates them. The list of tables is not written down: the
// migrations that the installation had are applied again in a temporary schema, inspected, and rolled back.

import type { ClientBase, PoolClient } from "pg";
import { StorageError } from "#store/database.ts";
import { type AppliedMigration, isTrunkline, migrate } from "#store/schema/migrate.ts";
import { postgresTx } from "./connection.ts";
import { lockSchema, quoted } from "./own-schema.ts";

/**
 * An entry added to `public.migrations` after a move: a migration that no version knows, so that an older version refuses to start instead
 * of creating empty tables.
 */
const movedId = 1_000_000;
const movedTo = "moved to the schema ";

/** Written at every start. An installation without it was last started by a version up to 0.1. */
const factName = "postgres_schema";

/** Where a version up to 0.1 has its tables, and which tables those are. */
interface FormerTables {
  schema: string;
  migrations: AppliedMigration[];
  /** The schema that they were moved to, if these are only the leftovers. */
  movedTo: string | null;
}

/**
 * Each Trunkline that a version up to 0.1 may have left: in `public`, or elsewhere on the default search path of the role or the database.
 * Ignores tables of other programs and those of `schema`. Call it inside a transaction.
 */
export async function findFormerTables(client: ClientBase, schema: string): Promise<FormerTables[]> {
  await client.query("set local search_path to default");
  const { rows: found } = await client.query<{ schema: string; columns: string }>(
    `select n.nspname as schema,
       string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum) as columns
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
       join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relname = 'migrations' and c.relkind = 'r' and n.nspname = any(current_schemas(false) || name 'public')
       and n.nspname <> $1 and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
     group by n.nspname order by array_position(current_schemas(false), n.nspname)`,
    [schema],
  );
  await client.query(`set local search_path to ${quoted(schema)}`);
  const former: FormerTables[] = [];
  for (const { schema, columns } of found) {
    if (columns !== "id bigint, name text") continue;
    const migrations = await migrationsOf(client, schema);
    if (isTrunkline(migrations)) former.push({ schema, migrations, movedTo: whereMoved(migrations) });
  }
  return former;
}

async function migrationsOf(client: ClientBase, schema: string): Promise<AppliedMigration[]> {
  const { rows } = await client.query<{ id: string; name: string }>(
    `select id, name from ${quoted(schema)}.migrations order by id`,
  );
  return rows.map(({ id, name }) => ({ id: Number(id), name }));
}

/** The schema that tables with these migrations were moved to; null if they were not moved. */
function whereMoved(migrations: readonly AppliedMigration[]): string | null {
  const last = migrations.at(-1);
  return last?.id === movedId ? last.name.slice(movedTo.length) : null;
}

/** `table.column type`, of all tables of a schema. */
async function columnsOf(client: ClientBase, schema: string): Promise<{ table: string; column: string }[]> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname || ' ' || format_type(a.atttypid, a.atttypmod) as column
     from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' order by 1, 2`,
    [quoted(schema)],
  );
  return rows;
}

/** The tables that these migrations create, with their columns. */
async function tablesOf(client: PoolClient, schema: string, migrations: number) {
  await client.query("savepoint tables_of");
  await migrate(postgresTx(client, { named: false }), migrations);
  const columns = await columnsOf(client, schema);
  await client.query("rollback to savepoint tables_of");
  return columns;
}

/** Rejects if the configured schema's tables were moved elsewhere by a start with another setting. */
async function refuseEmptied(client: ClientBase, schema: string): Promise<void> {
  const moved = whereMoved(await migrationsOf(client, schema));
  if (moved === null) return;
  throw new StorageError(
    "failed",
    `Trunkline's tables were moved from the schema ${schema} to the schema ${moved}. Set TRUNKLINE_DATABASE_SCHEMA=${moved}.`,
  );
}

/** Whether these tables belong to this installation and are to be moved. Rejects if an operator has to decide. */
async function isToBeMoved(
  client: ClientBase,
  former: FormerTables,
  keyFingerprint: string | null,
): Promise<boolean> {
  if (former.movedTo !== null) return false;
  const { rows: facts } = await client.query<{ name: string; value: string }>(
    `select name, value from ${quoted(former.schema)}.installation_facts where name in ('master_key', $1)`,
    [factName],
  );
  const fact = (name: string) => facts.find((row) => row.name === name)?.value;
  const hasSetting = fact(factName) !== undefined;
  if (former.schema !== "public") {
    if (hasSetting) return false;
    throw new StorageError(
      "failed",
      `PostgreSQL's schema ${former.schema}, which the role's search_path names, has the tables of an older version of Trunkline. Set TRUNKLINE_DATABASE_SCHEMA=${former.schema} to go on with them.`,
    );
  }
  const sealedWith = fact("master_key");
  if (sealedWith === undefined || sealedWith === keyFingerprint) return true;
  // A start with another key put its tables into `public` on purpose: this is a second installation.
  if (hasSetting) return false;
  throw new StorageError(
    "failed",
    "PostgreSQL's schema public has the tables of a Trunkline with another master key. Start with the key that it was made with (TRUNKLINE_MASTER_KEY, or master.key in the data folder), which moves them to the schema of its setting; after that a second Trunkline can start beside it.",
  );
}

/**
 * Moves the tables from `public`, if this schema has none yet. Call it inside the transaction that migrates, under the schema's lock.
 * `keyFingerprint`: that of this installation's master key, null if unknown. Rejects for an installation with another key, and for an
 * incomplete one, which are both left unchanged.
 */
export async function moveTables(
  client: PoolClient,
  schema: string,
  keyFingerprint: string | null,
): Promise<void> {
  const { rows: own } = await client.query("select to_regclass($1) is not null as made", [
    `${quoted(schema)}.migrations`,
  ]);
  if (own[0]?.made === true) return await refuseEmptied(client, schema);
  let hasMoved = false;
  if ((await findFormerTables(client, schema)).length > 0) {
    // Held until commit: of two starting processes only one moves the tables; an older version waits, then refuses to start.
    await lockSchema(client, "public");
    for (const former of await findFormerTables(client, schema)) {
      if (!(await isToBeMoved(client, former, keyFingerprint))) continue;
      await move(client, schema, former.migrations.length);
      hasMoved = true;
    }
  }
  if (!hasMoved && keyFingerprint !== null) await refuseRenamed(client, schema, keyFingerprint);
}

/** Rejects if the installation's tables are in a schema of another name: a start would begin with empty tables. */
async function refuseRenamed(client: ClientBase, schema: string, keyFingerprint: string): Promise<void> {
  const { rows: found } = await client.query<{ schema: string }>(
    `select n.nspname as schema from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.relname = 'installation_facts' and c.relkind = 'r' and n.nspname not in ($1, 'public')
       and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
       and (select count(*) from pg_attribute as a where a.attrelid = c.oid and a.attname in ('name', 'value')
         and format_type(a.atttypid, a.atttypmod) = 'text') = 2
     order by 1`,
    [schema],
  );
  for (const { schema: other } of found) {
    const { rows: facts } = await client.query<{ value: string }>(
      `select value from ${quoted(other)}.installation_facts where name = 'master_key'`,
    );
    if (facts[0]?.value !== keyFingerprint) continue;
    throw new StorageError(
      "failed",
      `PostgreSQL's schema ${other} has the tables of the Trunkline with this master key, and the schema ${schema} has none. Set TRUNKLINE_DATABASE_SCHEMA=${other} to go on with them; a second Trunkline needs a master key of its own.`,
    );
  }
}

/** Exactly the tables that `public` has after its first `migrations`. */
async function move(client: PoolClient, schema: string, migrations: number): Promise<void> {
  const expected = await tablesOf(client, schema, migrations);
  const present = new Set(
    (await columnsOf(client, "public")).map(({ table, column }) => `${table} ${column}`),
  );
  const missing = expected.find(({ table, column }) => !present.has(`${table} ${column}`));
  if (missing) {
    throw new StorageError(
      "failed",
      `PostgreSQL's schema public has a Trunkline whose table ${missing.table} is not as its version made it (column ${missing.column}), so that it cannot be moved to the schema ${schema}. Set TRUNKLINE_DATABASE_SCHEMA=public, or restore a backup.`,
    );
  }
  const tables = [...new Set(expected.map(({ table }) => table))];
  try {
    for (const table of tables)
      await client.query(`alter table public.${quoted(table)} set schema ${quoted(schema)}`);
    await client.query("create table public.migrations (id bigint primary key, name text not null)");
    await client.query(
      `insert into public.migrations select id, name from ${quoted(schema)}.migrations union all select ${movedId}, $1`,
      [movedTo + schema],
    );
  } catch (error) {
    if ((error as { code?: unknown }).code !== "42501") throw error;
    throw new StorageError(
      "failed",
      `PostgreSQL's role may not move Trunkline's tables from the schema public to the schema ${schema} (${(error as Error).message}). Start as the role that owns the tables.`,
      { cause: error },
    );
  }
}

/** Records that the tables are in the schema of a setting. Call it inside the transaction that migrates. */
export async function recordSchema(client: ClientBase, schema: string): Promise<void> {
  await client.query(
    `insert into installation_facts (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value where installation_facts.value <> excluded.value`,
    [factName, schema],
  );
}
