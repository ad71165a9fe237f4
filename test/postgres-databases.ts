// The databases of a test server, made and lent by the process that started the server. A migrated one is copied from a
// template, and lent again once it is as new: to make, migrate and drop a database costs half a second of CPU, to clean one
// 30 ms. Every loan has a name of its own, so that a connection of an earlier loan cannot come back.

import { randomBytes } from "node:crypto";
import pg from "pg";

/**
 * `empty`: without tables. `bare`: the same, with the server's defaults, as an operator's has; in the others a test's own
 * clients find Trunkline's tables by their names alone. `migrated`: with Trunkline's tables, up to date and without rows.
 */
export const databaseKinds = ["empty", "bare", "migrated"] as const;
export type DatabaseKind = (typeof databaseKinds)[number];

/** A used database that has grown beyond this is dropped. A new one has 10 MB. */
const maxBytes = 20_000_000;

/**
 * Definitions, settings and migrations of the connection's database. Any change of a definition changes it; rows, statistics
 * and what a vacuum does change nothing.
 */
const definition = `
  select md5(string_agg(line, ' ' order by line)) as definition from (
    select format('class %s %s %s %s %s', oid, relnamespace, relname, reloptions, relacl) as line
      from pg_class where oid >= 16384 and relkind <> 't'
    union all select format('attribute %s %s %s', attrelid, attnum, xmin) from pg_attribute where attrelid >= 16384
    union all select format('index %s %s', indexrelid, indisvalid) from pg_index where indexrelid >= 16384
    union all select format('constraint %s %s', oid, xmin) from pg_constraint where oid >= 16384
    union all select format('trigger %s %s', oid, xmin) from pg_trigger where oid >= 16384
    union all select format('function %s %s', oid, xmin) from pg_proc where oid >= 16384
    union all select format('namespace %s %s', oid, xmin) from pg_namespace
    union all select format('setting %s %s', setrole, setconfig) from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
    union all select format('database %s %s %s', datconnlimit, datallowconn, datacl)
      from pg_database where datname = current_database()
    union all select format('migration %s %s', id, name) from trunkline.migrations
  ) as lines`;

/** Tables that have, or had, rows or statistics. */
const usedTables = `
  select format('trunkline.%I', relname) as name, relname from pg_class
  where relnamespace = 'trunkline'::regnamespace and relkind = 'r' and relname <> 'migrations'
    and (pg_relation_size(oid) > 0 or reltuples >= 0)`;

export interface TestDatabases {
  /** The URL of a database that nothing else uses. */
  lend(kind: DatabaseKind): Promise<string>;
  /** Takes a database back, by its URL. What is still connected to it is cut off. */
  giveBack(url: string): Promise<void>;
}

/**
 * `adminUrl`: an administrative database, superuser. `isOwn`: the server ends with its tests, so that a template and used
 * databases may stay in it; otherwise each loan is made and dropped, and a migrated database is one to be migrated.
 */
export function testDatabases(adminUrl: string, isOwn: boolean): TestDatabases {
  const admin = new pg.Pool({
    connectionString: adminUrl,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  admin.on("error", () => {}); // the server may end first
  const used: string[] = [];
  const migrated = new Set<string>();
  let template: Promise<{ name: string; definition: string }> | null = null;
  let made = 0;

  const newName = () => {
    made += 1;
    return `tl_${process.pid}_${made}_${randomBytes(4).toString("hex")}`;
  };
  const urlOf = (name: string) => {
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  const findTables = (name: string) =>
    admin.query(`alter database "${name}" set search_path to trunkline, public`);
  const drop = (name: string) => admin.query(`drop database if exists "${name}" with (force)`);

  async function connected<T>(name: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: urlOf(name) });
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }

  async function makeTemplate() {
    const name = newName();
    await admin.query(`create database "${name}" template template0`);
    // Only who asks for a migrated database needs the store.
    const { openPostgres } = await import("#store/engine/postgres/postgres.ts");
    await (await openPostgres({ url: urlOf(name) })).close();
    // What a copy gets beside its tables is a part of its definition.
    await findTables(name);
    const { rows } = await connected(name, (client) => client.query(definition));
    // Autovacuum would connect to it too, and a template that is in use cannot be copied.
    await admin.query(`alter database "${name}" allow_connections false`);
    return { name, definition: rows[0].definition as string };
  }

  /** Makes a used database as new under another name; false when it cannot be. */
  async function renew(before: string, name: string, expected: string): Promise<boolean> {
    await admin.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1", [
      before,
    ]);
    await admin.query(`alter database "${before}" rename to "${name}"`);
    return await connected(name, async (client) => {
      const found = await client.query(
        `${definition}; select pg_database_size(current_database())::int as bytes`,
      );
      const [defined, size] = found as unknown as [pg.QueryResult, pg.QueryResult];
      if (defined.rows[0].definition !== expected || size.rows[0].bytes > maxBytes) return false;
      const { rows } = await client.query<{ name: string; relname: string }>(usedTables);
      if (rows.length === 0) return true;
      const names = rows.map((row) => row.name);
      // A replica does not check references, so the order of the tables does not matter.
      await client.query(
        `begin; set local session_replication_role = replica; ${names.map((table) => `delete from ${table}`).join("; ")};
         delete from pg_statistic where starelid >= 16384; commit`,
      );
      await client.query(`vacuum ${names.join(", ")}`);
      await client.query(
        "select pg_clear_relation_stats('trunkline', relname) from pg_class where relnamespace = 'trunkline'::regnamespace and relkind in ('r', 'i') and reltuples >= 0",
      );
      return true;
    });
  }

  async function lendMigrated(): Promise<string> {
    template ??= makeTemplate();
    const { name: source, definition: expected } = await template;
    for (;;) {
      const before = used.pop();
      const name = newName();
      if (before === undefined) {
        await admin.query(`create database "${name}" template "${source}" strategy file_copy`);
        await findTables(name);
        return name;
      }
      const isNew = await renew(before, name, expected).catch(() => false);
      if (isNew) return name;
      await drop(before);
      await drop(name);
    }
  }

  return {
    lend: async (kind) => {
      if (kind === "migrated" && isOwn) {
        const name = await lendMigrated();
        migrated.add(name);
        return urlOf(name);
      }
      const name = newName();
      await admin.query(`create database "${name}" template template0`);
      if (kind !== "bare") await findTables(name);
      return urlOf(name);
    },
    giveBack: async (url) => {
      const name = new URL(url).pathname.slice(1);
      if (migrated.delete(name)) used.push(name);
      else await drop(name);
    },
  };
}
