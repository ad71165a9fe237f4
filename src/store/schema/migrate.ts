// Applies migrations, forward only. The database says which releases may run on it: one that does not know the newest migrations may if all
// of these are additive, and is refused otherwise, because it would lose what it does not know. A schema whose beginning is not that of the
// list is refused too: it belongs to an unreleased version, whose tables have other columns.

import { sql } from "kysely";
import { StorageError, type Tx } from "#store/database.ts";
import { up as initial } from "#store/schema/migrations/0001-initial.ts";
import { up as messageCounts } from "#store/schema/migrations/0002-message-counts.ts";
import { up as history } from "#store/schema/migrations/0003-history.ts";
import { up as spread } from "#store/schema/migrations/0004-spread.ts";
import { up as unreported } from "#store/schema/migrations/0005-unreported.ts";
import { up as callApi } from "#store/schema/migrations/0006-call-api.ts";
import { up as deletedGateways } from "#store/schema/migrations/0007-deleted-gateways.ts";
import { up as slowdowns } from "#store/schema/migrations/0008-slowdowns.ts";
import { up as callPerson } from "#store/schema/migrations/0009-call-person.ts";
import { up as partlyDelivered } from "#store/schema/migrations/0010-partly-delivered.ts";
import { up as userSetupLinks } from "#store/schema/migrations/0011-user-setup-links.ts";
import { up as receivedBySender } from "#store/schema/migrations/0012-received-by-sender.ts";
import { up as exactCosts } from "#store/schema/migrations/0013-exact-costs.ts";
import { up as poolStatistics } from "#store/schema/migrations/0014-pool-statistics.ts";
import { up as poolAnswers } from "#store/schema/migrations/0015-pool-answers.ts";
import { up as namedKeys } from "#store/schema/migrations/0016-named-keys.ts";
import { up as lastRefusals } from "#store/schema/migrations/0017-last-refusals.ts";
import { up as tokenScopes } from "#store/schema/migrations/0018-token-scopes.ts";
import { up as callContents } from "#store/schema/migrations/0019-call-contents.ts";
import { up as deferredApi } from "#store/schema/migrations/0020-deferred-api.ts";
import { up as senderNames } from "#store/schema/migrations/second-release/0021-sender-names.ts";
import { up as ownWords } from "#store/schema/migrations/second-release/0022-own-words.ts";
import { up as partCounting } from "#store/schema/migrations/second-release/0023-part-counting.ts";
import { up as unpricedCalls } from "#store/schema/migrations/second-release/0024-unpriced-calls.ts";
import { up as tokenEnds } from "#store/schema/migrations/second-release/0025-token-ends.ts";
import { up as keptResults } from "#store/schema/migrations/second-release/0026-kept-results.ts";
import { up as stoppedBy } from "#store/schema/migrations/second-release/0027-stopped-by.ts";
import { up as deferredCounts } from "#store/schema/migrations/second-release/0028-deferred-counts.ts";
import { up as poolKeyRotation } from "#store/schema/migrations/second-release/0029-pool-key-rotation.ts";
import { up as wholeMails } from "#store/schema/migrations/second-release/0030-whole-mails.ts";
import { up as hooks } from "#store/schema/migrations/second-release/0031-hooks.ts";
import { up as statusCallbacks } from "#store/schema/migrations/second-release/0032-status-callbacks.ts";
import { up as alertCauses } from "#store/schema/migrations/second-release/0033-alert-causes.ts";
import { up as webhookNames } from "#store/schema/migrations/second-release/0034-webhook-names.ts";

export interface Migration {
  id: number;
  name: string;
  /**
   * Whether releases that do not know it may run beside it: the rows that they write are valid, they lose nothing of the rows that newer
   * ones write, and it holds no lock for longer than a moment. docs/decisions/0066-rolling-upgrades.md has the rules. Before 34 none says
   * so: releases that know no more than 20 refuse every newer schema.
   */
  additive?: boolean;
  up(tx: Tx): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { id: 1, name: "initial-rules", up: initial },
  { id: 2, name: "message-counts", up: messageCounts },
  { id: 3, name: "history", up: history },
  { id: 4, name: "spread", up: spread },
  { id: 5, name: "unreported", up: unreported },
  { id: 6, name: "call-api", up: callApi },
  { id: 7, name: "deleted-gateways", up: deletedGateways },
  { id: 8, name: "slowdowns", up: slowdowns },
  { id: 9, name: "call-person", up: callPerson },
  { id: 10, name: "partly-delivered", up: partlyDelivered },
  { id: 11, name: "user-setup-links", up: userSetupLinks },
  { id: 12, name: "received-by-sender", up: receivedBySender },
  { id: 13, name: "exact-costs", up: exactCosts },
  { id: 14, name: "pool-statistics", up: poolStatistics },
  { id: 15, name: "pool-answers", up: poolAnswers },
  { id: 16, name: "named-keys", up: namedKeys },
  { id: 17, name: "last-refusals", up: lastRefusals },
  { id: 18, name: "token-scopes", up: tokenScopes },
  { id: 19, name: "call-contents", up: callContents },
  { id: 20, name: "deferred-api", up: deferredApi },
  { id: 21, name: "sender-names", up: senderNames },
  { id: 22, name: "own-words", up: ownWords },
  { id: 23, name: "part-counting", up: partCounting },
  { id: 24, name: "unpriced-calls", up: unpricedCalls },
  { id: 25, name: "token-ends", up: tokenEnds },
  { id: 26, name: "kept-results", up: keptResults },
  { id: 27, name: "stopped-by", up: stoppedBy },
  { id: 28, name: "deferred-counts", up: deferredCounts },
  { id: 29, name: "pool-key-rotation", up: poolKeyRotation },
  { id: 30, name: "whole-mails", up: wholeMails },
  { id: 31, name: "hooks", up: hooks },
  { id: 32, name: "status-callbacks", up: statusCallbacks },
  { id: 33, name: "alert-causes", up: alertCauses },
  { id: 34, name: "webhook-names", additive: true, up: webhookNames },
];

/** The id of the newest migration that this code knows. */
export const newestSchema = migrations.at(-1)?.id ?? 0;

export interface AppliedMigration {
  id: number;
  name: string;
}

/** Whether a table of migrations is Trunkline's: its first entry is. */
export const isTrunkline = (applied: readonly AppliedMigration[]) =>
  applied[0]?.id === migrations[0]?.id && applied[0]?.name === migrations[0]?.name;

/**
 * The fact with the id of the newest migration that a release has to know to run on the database, and that of the newest one, such as
 * `34 of 36`: the fact counts for no other database than the one whose newest migration it names.
 */
export const oldestSchemaFact = "oldest_schema";

/** The id of the migration that a release has to know, by the fact; null if it says nothing about this database. */
export function oldestOf(fact: string | undefined, newest: number): number | null {
  const [oldest, of] = (fact ?? "").split(" of ").map(Number);
  return of === newest ? (oldest ?? null) : null;
}

/** What a database says of the releases that may run on it. `oldest`: null if only those that know all of its migrations. */
export interface SchemaState {
  newest: number;
  oldest: number | null;
}

/** Whether a release whose newest migration is `known` may run on the database. */
export const mayRun = ({ newest, oldest }: SchemaState, known = newestSchema): boolean =>
  newest <= known || (oldest !== null && oldest <= known);

/** Why this release may not run on the database, in a sentence. */
export const newerSchema = ({ newest }: Pick<SchemaState, "newest">, known = newestSchema): string =>
  `The database has schema ${newest}, this version of Trunkline knows ${known}. Start a version that is at least as new as the one that wrote it.`;

/** The migrations that releases without them may not run beside, of those after `newest`. */
export const breakingAfter = (newest: number, known: readonly Migration[] = migrations): Migration[] =>
  known.filter(({ id, additive }) => id > newest && additive !== true);

/** What the database says. It has migrations. */
export async function readSchemaState(tx: Tx): Promise<SchemaState> {
  const { rows } = await sql<{ newest: number }>`select max(id) as newest from migrations`.execute(tx.db);
  const newest = Number(rows[0]?.newest);
  const fact = await tx.db
    .selectFrom("installation_facts")
    .select("value")
    .where("name", "=", oldestSchemaFact)
    .executeTakeFirst();
  return { newest, oldest: oldestOf(fact?.value, newest) };
}

/** Whether there are facts: tables that were moved to another schema leave their migrations behind alone. */
async function hasFacts(tx: Tx): Promise<boolean> {
  const found =
    tx.engine === "postgres"
      ? sql<{ name: string }>`select relname as name from pg_class
          where oid = to_regclass('installation_facts')`
      : sql<{ name: string }>`select name from sqlite_schema where name = 'installation_facts'`;
  return (await found.execute(tx.db)).rows.length > 0;
}

/**
 * Runs inside one transaction, under the engine's own lock, so that two starting processes do not collide. `upTo`: the id of the last
 * migration to apply. `known`: the migrations of this release.
 */
export async function migrate(
  tx: Tx,
  upTo = newestSchema,
  known: readonly Migration[] = migrations,
): Promise<void> {
  await sql`create table if not exists migrations (id bigint primary key, name text not null)`.execute(tx.db);
  const { rows } = await sql<AppliedMigration>`
    select id, name from migrations order by id
  `.execute(tx.db);
  refuseUnreleased(rows, known);
  const newestKnown = known.at(-1)?.id ?? 0;
  const newest = rows.at(-1)?.id ?? 0;
  if (newest > newestKnown) {
    // A newer release has migrated it, and has said which releases may run.
    const state = (await hasFacts(tx)) ? await readSchemaState(tx) : { newest, oldest: null };
    if (!mayRun(state, newestKnown)) throw new StorageError("failed", newerSchema(state, newestKnown));
    return;
  }
  for (const { id, name, up } of known.slice(rows.length, upTo)) {
    await up(tx);
    await sql`insert into migrations (id, name) values (${id}, ${name})`.execute(tx.db);
  }
  const applied = known.slice(0, Math.max(rows.length, upTo));
  const oldest = applied.findLast(({ additive }) => additive !== true)?.id ?? 0;
  const value = `${oldest} of ${applied.at(-1)?.id ?? 0}`;
  await tx.db
    .insertInto("installation_facts")
    .values({ name: oldestSchemaFact, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

/** Throws a `StorageError` unless the applied migrations begin as the list does. */
function refuseUnreleased(applied: readonly AppliedMigration[], known: readonly Migration[]): void {
  const unknown = applied.find((row, i) => {
    const migration = known[i];
    return migration !== undefined && (row.id !== migration.id || row.name !== migration.name);
  });
  if (unknown) {
    throw new StorageError(
      "failed",
      `The database was created by an unreleased version of Trunkline (its schema ${unknown.id} is "${unknown.name}"), and cannot be upgraded. Start this version with an empty database.`,
    );
  }
}
