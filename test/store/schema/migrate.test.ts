// Migrations: applied once, forward only, by many starters at once; a database that this code does not know is refused.

import assert from "node:assert/strict";
import test from "node:test";
import pg from "pg";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { newestSchema } from "#store/schema/migrate.ts";
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

for (const engine of engines) {
  test(`a second start changes nothing, and a newer schema is refused, on ${engine}`, async () => {
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
