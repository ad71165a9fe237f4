// A migration that older releases may not run beside, and their processes.

import assert from "node:assert/strict";
import test from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { systemClock } from "#runtime/clock.ts";
import { findAccountByName } from "#store/accounts/accounts.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { heartbeat } from "#store/lanes/lanes.ts";
import { readSchema } from "#store/maintenance/installation.ts";
import { type Migration, migrations, newestSchema } from "#store/schema/migrate.ts";
import { freshDatabase } from "../../../postgres.ts";

const nothing = async () => {};
const additive: Migration = { id: newestSchema + 1, name: "additive", additive: true, up: nothing };
const breaking: Migration = {
  id: newestSchema + 2,
  name: "from-the-future",
  additive: false,
  up: nothing,
};

test("while a process of an older release lives, the start is refused, and changes nothing; one that was killed delays it", async () => {
  const { url, drop } = await freshDatabase();
  const older = await openPostgres({ url });
  try {
    const beat = () => older.run(heartbeat, { processId: "prc_1", at: 0 });
    await beat();
    /** `meanwhile`: what happens in the six seconds between two readings of the heartbeats. */
    const start = (meanwhile: () => Promise<unknown>) => {
      const clock = systemClock();
      const sleep: typeof clock.sleep = async (ms, signal) =>
        ms === 6_000 ? void (await meanwhile()) : await clock.sleep(ms, signal);
      return openPostgres({
        url,
        clock: { ...clock, sleep },
        migrations: [...migrations, additive, breaking],
      });
    };
    await assert.rejects(start(beat), {
      message:
        /schema \d+, "from-the-future".*a process of that version is running\. Stop all of them, and start again\. Nothing was changed\./,
    });
    assert.deepEqual((await older.run(readSchema, null)).newest, newestSchema);
    // Killed: its heartbeat stays, and is counted up no more.
    await (await start(async () => {})).close();
    assert.deepEqual(await older.run(readSchema, null), {
      newest: newestSchema + 2,
      oldest: newestSchema + 2,
    });
    await assert.rejects(openPostgres({ url }), /Start a version that is at least as new/);
  } finally {
    await older.close();
    await drop();
  }
});

test("a change that waits for a long query gives way, so that the others go on, and is made when the query has ended", async () => {
  const { url, drop } = await freshDatabase();
  const older = await openPostgres({ url });
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  try {
    await reader.query("begin; select count(*) from trunkline.accounts");
    let waits = 0;
    const clock = systemClock();
    const sleep: typeof clock.sleep = async (ms, signal) => {
      if (ms !== 1_000) return await clock.sleep(ms, signal);
      waits += 1;
      assert.equal(await older.run(findAccountByName, "acme"), null, "nothing is in the way of the others");
      await reader.query("commit");
    };
    const column: Migration = {
      ...additive,
      up: async (tx) => {
        await sql`alter table accounts add column from_the_future text`.execute(tx.db);
      },
    };
    await (
      await openPostgres({ url, clock: { ...clock, sleep }, migrations: [...migrations, column] })
    ).close();
    assert.equal(waits, 1);
    assert.equal((await older.run(readSchema, null)).newest, newestSchema + 1);
  } finally {
    await reader.end();
    await older.close();
    await drop();
  }
});
