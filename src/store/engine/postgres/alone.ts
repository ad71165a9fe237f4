// Migrations beside running processes. For one that older releases may not run beside, no other process may be running: each counts up a
// heartbeat in the table of processes every five seconds at most, so two readings tell the living from those that were killed. Any other one
// must not hold them up.

import type { PoolClient } from "pg";
import type { Clock } from "#runtime/runtime.ts";
import { StorageError } from "#store/database.ts";
import { breakingAfter, type Migration } from "#store/schema/migrate.ts";
import { quoted } from "./own-schema.ts";

/** Longer than any interval between two heartbeats. */
const observedMs = 6_000;

/**
 * Rejects if a migration is to be applied for which all other processes have to be stopped, and one of them lives. Takes six seconds if one
 * may have been killed, and otherwise no time. The connection is outside a transaction.
 */
export async function refuseBesideOthers(
  client: PoolClient,
  { schema, clock, known }: { schema: string; clock: Clock; known: readonly Migration[] },
): Promise<void> {
  const table = (name: string) => `${quoted(schema)}.${name}`;
  // Without the right to use the schema, the start fails a moment later, in better words.
  const { rows } = await client.query<{ made: boolean }>(
    `select case when has_schema_privilege(to_regnamespace($1), 'usage')
       then to_regclass($2) is not null and to_regclass($3) is not null else false end as made`,
    [quoted(schema), table("migrations"), table("processes")],
  );
  if (!rows[0]?.made) return;
  const newest = await client.query<{ id: number | null }>(
    `select max(id) as id from ${table("migrations")}`,
  );
  const applied = Number(newest.rows[0]?.id ?? 0);
  const [breaking] = applied === 0 ? [] : breakingAfter(applied, known);
  if (breaking === undefined) return;
  const heartbeats = async () => {
    const found = await client.query<{ id: string; heartbeat: number }>(
      `select id, heartbeat from ${table("processes")}`,
    );
    return new Map(found.rows.map(({ id, heartbeat }) => [id, Number(heartbeat)]));
  };
  const before = await heartbeats();
  if (before.size === 0) return;
  await clock.sleep(observedMs);
  const living = [...(await heartbeats())].filter(([id, heartbeat]) => heartbeat !== before.get(id));
  if (living.length === 0) return;
  const others = living.length === 1 ? "a process" : `${living.length} processes`;
  throw new StorageError(
    "failed",
    `This version changes the database in a way that the version before it cannot read (schema ${breaking.id}, "${breaking.name}"), and ${others} of that version ${living.length === 1 ? "is" : "are"} running. Stop all of them, and start again. Nothing was changed.`,
  );
}

/** While a change of a table waits for its lock, behind a long query or `pg_dump`, every other statement on the table waits behind it. */
export const shortWaits = "set local lock_timeout to '1s'";
const pauseMs = 1_000;
const maxAttempts = 30;

/** Runs a transaction again, a second later, that waited in vain for a lock or was one side of a deadlock: 30 times at most. */
export async function withoutLongWaits(
  client: PoolClient,
  clock: Clock,
  transaction: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code;
      if ((code !== "55P03" && code !== "40P01") || attempt === maxAttempts) throw error;
      await client.query("rollback");
      await clock.sleep(pauseMs);
    }
  }
}
