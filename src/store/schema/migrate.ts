// Applies migrations, forward only. A schema newer than this code is refused, because an older binary would lose what it does not know. A
// schema that is not a prefix of the list is refused too: it belongs to an unreleased version, whose tables have other columns.

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

const migrations: readonly { id: number; name: string; up(tx: Tx): Promise<void> }[] = [
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
 * Runs inside one transaction, under the engine's own lock, so that two starting processes do not collide. `upTo`: the id of the last
 * migration to apply.
 */
export async function migrate(tx: Tx, upTo = newestSchema): Promise<void> {
  await sql`create table if not exists migrations (id bigint primary key, name text not null)`.execute(tx.db);
  const { rows } = await sql<AppliedMigration>`
    select id, name from migrations order by id
  `.execute(tx.db);
  refuseUnknown(rows);
  for (const { id, name, up } of migrations.slice(rows.length, upTo)) {
    await up(tx);
    await sql`insert into migrations (id, name) values (${id}, ${name})`.execute(tx.db);
  }
}

/** Throws a `StorageError` unless the applied migrations are the first ones of the list. */
function refuseUnknown(applied: readonly AppliedMigration[]): void {
  const unknown = applied.find((row, i) => {
    const migration = migrations[i];
    return migration !== undefined && (row.id !== migration.id || row.name !== migration.name);
  });
  if (unknown) {
    throw new StorageError(
      "failed",
      `The database was created by an unreleased version of Trunkline (its schema ${unknown.id} is "${unknown.name}"), and cannot be upgraded. Start this version with an empty database.`,
    );
  }
  const newest = applied.at(-1)?.id ?? 0;
  if (newest > newestSchema) {
    throw new StorageError(
      "failed",
      `The database has schema ${newest}, this version of Trunkline knows ${newestSchema}. Start a version that is at least as new as the one that wrote it.`,
    );
  }
}
