// Brings the schema up to date, forward only. A schema newer than this code is refused: an older binary
// on a newer database would lose what it does not know.

import { sql } from "kysely";
import { StorageError, type Tx } from "#store/database.ts";
import { up as foundation } from "#store/schema/migrations/0001-foundation.ts";
import { up as consentAndWebhooks } from "#store/schema/migrations/0002-consent-and-webhooks.ts";
import { up as pools } from "#store/schema/migrations/0003-pools.ts";
import { up as email } from "#store/schema/migrations/0004-email.ts";
import { up as poolAnswerTime } from "#store/schema/migrations/0005-pool-answer-time.ts";
import { up as callbackProofs } from "#store/schema/migrations/0006-callback-proofs.ts";
import { up as gatewaySessions } from "#store/schema/migrations/0007-gateway-sessions.ts";

const migrations: readonly { id: number; name: string; up(tx: Tx): Promise<void> }[] = [
  { id: 1, name: "foundation", up: foundation },
  { id: 2, name: "consent-and-webhooks", up: consentAndWebhooks },
  { id: 3, name: "pools", up: pools },
  { id: 4, name: "email", up: email },
  { id: 5, name: "pool-answer-time", up: poolAnswerTime },
  { id: 6, name: "callback-proofs", up: callbackProofs },
  { id: 7, name: "gateway-sessions", up: gatewaySessions },
];

/** The schema that this code knows. */
export const newestSchema = migrations.at(-1)?.id ?? 0;

/** Runs inside one transaction, under the engine's own lock, so that two starters do not collide. */
export async function migrate(tx: Tx): Promise<void> {
  await sql`create table if not exists migrations (id bigint primary key, name text not null)`.execute(tx.db);
  const { rows } = await sql<{ id: number }>`select id from migrations order by id`.execute(tx.db);
  const applied = new Set(rows.map((row) => row.id));
  const newest = Math.max(0, ...applied);
  if (newest > newestSchema) {
    throw new StorageError(
      "failed",
      `The database has schema ${newest}, this version of Trunkline knows ${newestSchema}. Start a version that is at least as new as the one that wrote it.`,
    );
  }
  for (const migration of migrations) {
    if (applied.has(migration.id)) continue;
    await migration.up(tx);
    await sql`insert into migrations (id, name) values (${migration.id}, ${migration.name})`.execute(tx.db);
  }
}
