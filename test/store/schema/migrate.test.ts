// Migrations: applied once, forward only, by many starters at once.

import assert from "node:assert/strict";
import test from "node:test";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { freshDatabase } from "../../postgres.ts";
import { onBothEngines } from "../conformance.ts";

onBothEngines((open) => {
  test("the migrations are recorded, each once", async () => {
    const rows = await open().query<{ id: number; name: string }>(
      "select id, name from migrations order by id",
    );
    assert.ok(rows.length >= 1);
    assert.deepEqual({ ...rows[0] }, { id: 1, name: "foundation" });
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  });
});

test("starters at once on an empty PostgreSQL all come up, and a newer schema is refused", async () => {
  const { url, drop } = await freshDatabase();
  try {
    const databases = await Promise.all(Array.from({ length: 4 }, () => openPostgres({ url })));
    await Promise.all(databases.map((database) => database.close()));
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("insert into migrations (id, name) values (9999, 'from the future')");
    await client.end();
    await assert.rejects(openPostgres({ url }), {
      name: "StorageError",
      fault: "failed",
      message: /schema 9999, this version of Trunkline knows \d+/,
    });
  } finally {
    await drop();
  }
});
