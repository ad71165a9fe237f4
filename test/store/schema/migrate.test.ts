// Migrations: applied once, forward only, by many starters at once; a database that this code does not know is refused.

import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import { findAccountByName } from "#store/accounts/accounts.ts";
import type { Operation } from "#store/database.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { readSchema } from "#store/maintenance/installation.ts";
import { type Migration, migrations, newestSchema } from "#store/schema/migrate.ts";
import { freshDatabase } from "../../postgres.ts";
import { engines, numericTypes, onBothEngines } from "../conformance.ts";
import { emptyPlace } from "./place.ts";

onBothEngines((open) => {
  test("the migrations are recorded, each once, and the newest is the one that the code knows", async () => {
    const rows = await open().query<{ id: number; name: string }>(
      "select id, name from migrations order by id",
    );
    assert.deepEqual({ ...rows[0] }, { id: 1, name: "initial-rules" });
    assert.deepEqual(
      rows.map(({ id }) => id),
      Array.from({ length: newestSchema }, (_, i) => i + 1),
    );
  });
});

/** The oldest release that may run on what this one writes. */
const oldestNow = migrations.findLast(({ additive }) => additive !== true)?.id ?? 0;
const future = (additive: boolean, id = newestSchema + 1): Migration => ({
  id,
  name: "from-the-future",
  additive,
  up: async (tx) => {
    await sql`alter table accounts add column from_the_future text`.execute(tx.db);
    await sql`create table of_the_future (id text primary key)`.execute(tx.db);
  },
});
const newer = (...added: Migration[]) => [...migrations, ...added];

for (const engine of engines) {
  test(`a second start changes nothing, and a newer schema that says nothing is refused, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      await place.open();
      await place.exec("insert into migrations (id, name) values (9999, 'from the future')");
      await assert.rejects(place.open(), {
        name: "StorageError",
        fault: "failed",
        message: /schema 9999, this version of Trunkline knows \d+\. Start a version that is at least as new/,
      });
    } finally {
      await place.drop();
    }
  });

  test(`a database says which releases may run on it, on ${engine}`, async () => {
    // What the newest migrations say, and whether a release that knows none of them starts.
    const cases: [additive: boolean[], starts: boolean][] = [
      [[], true],
      [[true], true],
      [[true, true], true],
      [[false], false],
      [[true, false], false],
      [[false, true], false],
    ];
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const [additive, starts] of cases) {
        const oldest = additive.findLastIndex((one) => !one);
        const fact = oldest < 0 ? oldestNow : newestSchema + 1 + oldest;
        const added = additive.map(
          (_, i) => `insert into migrations (id, name) values (${newestSchema + 1 + i}, 'f')`,
        );
        await place.exec(
          [
            `delete from migrations where id > ${newestSchema}`,
            ...added,
            `update installation_facts set value = '${fact} of ${newestSchema + additive.length}' where name = 'oldest_schema'`,
          ].join(";"),
        );
        const words = JSON.stringify(additive);
        if (starts) await place.open();
        else await assert.rejects(place.open(), /Start a version that is at least as new/, words);
      }
    } finally {
      await place.drop();
    }
  });

  test(`a database of an unreleased version is refused, and stays as it is, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.exec(`
        create table migrations (id bigint primary key, name text not null);
        insert into migrations (id, name) values (1, 'foundation'), (2, 'consent-and-webhooks');
        create table messages (id text primary key, number text not null)`);
      await assert.rejects(place.open(), {
        name: "StorageError",
        fault: "failed",
        message:
          /created by an unreleased version .* \(its schema 1 is "foundation"\), and cannot be upgraded\. Start this version with an empty database\./,
      });
      // Nothing was created: what the new schema would add can still be created.
      await place.exec("create table accounts (id text primary key)");
    } finally {
      await place.drop();
    }
  });
}

test("starters at once on an empty PostgreSQL all come up", async () => {
  const { url, drop } = await freshDatabase();
  try {
    const databases = await Promise.all(Array.from({ length: 4 }, () => openPostgres({ url })));
    await Promise.all(databases.map((database) => database.close()));
    const client = new pg.Client({ connectionString: url, types: numericTypes });
    await client.connect();
    const { rows } = await client.query("select id from migrations order by id");
    await client.end();
    assert.deepEqual(
      rows.map(({ id }) => id),
      Array.from({ length: newestSchema }, (_, i) => i + 1),
      "each migration is recorded once",
    );
  } finally {
    await drop();
  }
});

test("every migration from 34 on says whether an older release may run beside it", () => {
  for (const { id, additive } of migrations) if (id >= 34) assert.equal(typeof additive, "boolean", `${id}`);
});

const lockAccounts: Operation<null, unknown[]> = {
  name: "lockAccounts",
  batched: false,
  access: "write",
  run: async (tx) => await tx.db.selectFrom("accounts").selectAll().forUpdate().execute(),
};

suite("on PostgreSQL, beside running processes", () => {
  test("an older release goes on, with the statements that it has planned, and a newer one writes what it may run on", async () => {
    const { url, drop } = await freshDatabase();
    const older = await openPostgres({ url, connections: 4 });
    try {
      // On all of its connections, each of which has the plans of its own statements.
      const everywhere = async () => {
        const calls = Array.from({ length: 12 }, () => older.run(findAccountByName, "acme"));
        const locks = Array.from({ length: 12 }, () => older.run(lockAccounts, null));
        for (const found of await Promise.all([...calls, ...locks]))
          assert.ok(found === null || (found as unknown[]).length === 0);
      };
      await everywhere();
      const young = await openPostgres({ url, migrations: newer(future(true)) });
      await everywhere();
      assert.deepEqual(await older.run(readSchema, null), { newest: newestSchema + 1, oldest: oldestNow });
      await young.close();
      await (await openPostgres({ url })).close();
    } finally {
      await older.close();
      await drop();
    }
  });
});
