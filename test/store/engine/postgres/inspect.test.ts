// A look at a PostgreSQL installation: it changes nothing, and says why a server cannot be used.

import assert from "node:assert/strict";
import test from "node:test";
import { inspectPostgres } from "#store/engine/postgres/inspect.ts";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { newestSchema } from "#store/schema/migrate.ts";
import { freshDatabase } from "../../../postgres.ts";

test("an empty database stays empty, and one in use has its schema and the server's clock", async () => {
  const { url, drop } = await freshDatabase();
  try {
    for (let time = 0; time < 2; time++) {
      const found = await inspectPostgres(url);
      assert.ok("schema" in found, JSON.stringify(found));
      assert.deepEqual([found.schema, found.newestSchema, found.masterKey], [0, newestSchema, null]);
      assert.ok(Number.isFinite(found.clock));
    }
    const database = await openPostgres({ url });
    const found = await inspectPostgres(url);
    await database.close();
    assert.ok("schema" in found);
    assert.equal(found.schema, newestSchema);
  } finally {
    await drop();
  }
});

test("what is wrong is the server's own word, and never the password", async () => {
  const { url, drop } = await freshDatabase();
  try {
    const gone = await inspectPostgres("postgres://ada:secret-word@127.0.0.1:1/none");
    assert.deepEqual(gone, { fault: "PostgreSQL: the connection was refused." });
    const other = new URL(url);
    other.pathname = "/nothing_of_that_name";
    const missing = await inspectPostgres(other.href);
    assert.match("fault" in missing ? missing.fault : "", /database "nothing_of_that_name" does not exist/);
  } finally {
    await drop();
  }
});
