// What an installation of the first schema has, it still has after the second, with what belongs to it from then on.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { sql } from "kysely";
import pg, { type PoolClient } from "pg";
import type { Tx } from "#store/database.ts";
import { postgresTx } from "#store/engine/postgres/connection.ts";
import { SqliteConnection, sqliteTx } from "#store/engine/sqlite/connection.ts";
import { up as foundation } from "#store/schema/migrations/0001-foundation.ts";
import { up as consentAndWebhooks } from "#store/schema/migrations/0002-consent-and-webhooks.ts";
import { freshDatabase } from "../../../postgres.ts";
import { numericTypes } from "../../conformance.ts";

const old = [
  `insert into accounts values ('acc_1', 'acme', 'UTC', null, 'basic', null, null, 1, 1)`,
  `insert into credits values ('acc_1', 'sms', 100, 40, 'monthly', 7), ('acc_1', 'email', 5, 0, null, 8)`,
  `insert into lanes values ('gw_1', 1, null, 3, null, null, 0, null, 0, null, 0, 2)`,
];

async function migrated(tx: Tx): Promise<void> {
  await foundation(tx);
  for (const statement of old) await sql.raw(statement).execute(tx.db);
  await consentAndWebhooks(tx);
  const account = await tx.db.selectFrom("accounts").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([account.name, account.lateness_ms, account.channel_failover], ["acme", 259_200_000, 0]);
  const lane = await tx.db.selectFrom("lanes").selectAll().where("id", "=", "gw_1").executeTakeFirstOrThrow();
  assert.deepEqual([lane.kind, lane.fence, lane.revision, lane.stopped_at], ["gateway", 3, 2, null]);
  const ledger = await tx.db.selectFrom("credit_entries").selectAll().orderBy("channel").execute();
  const opening = { account_id: "acc_1", kind: "opening", reference: "before_ledger" };
  const note = "The ledger begins here.";
  assert.deepEqual(
    ledger.map((entry) => ({ ...entry })),
    [
      { ...opening, channel: "email", at: 8, amount: 0, remaining: 0, note },
      { ...opening, channel: "sms", at: 7, amount: 40, remaining: 40, note },
    ],
  );
}

test("an installation of the first schema comes up with the second, on sqlite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-migration-"));
  const connection = new SqliteConnection(join(folder, "trunkline.db"), "write");
  try {
    await migrated(sqliteTx(connection));
  } finally {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("an installation of the first schema comes up with the second, on postgres", async () => {
  const { url, drop } = await freshDatabase();
  const client = new pg.Client({ connectionString: url, types: numericTypes });
  await client.connect();
  try {
    await migrated(postgresTx(client as unknown as PoolClient));
  } finally {
    await client.end();
    await drop();
  }
});
