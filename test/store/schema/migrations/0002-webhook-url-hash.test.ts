// A database of schema 1 keeps its webhook endpoints, whose URLs are then without a digest. An account has a digest once.

import assert from "node:assert/strict";
import test from "node:test";
import { openPostgres } from "#store/engine/postgres/postgres.ts";
import { openSqlite } from "#store/engine/sqlite/sqlite.ts";
import { findEndpoint, readUnsealedUrls } from "#store/webhooks/endpoints.ts";
import { engines } from "../../conformance.ts";
import { makeEndpoint } from "../../endpoints.ts";
import { makeAccount } from "../../rows.ts";
import { emptyPlace } from "../place.ts";

/** What the migration has added, taken away again. */
const schema1 = `
  drop index webhook_endpoints_url;
  alter table webhook_endpoints drop column url_hash;
  delete from migrations where id = 2`;

for (const engine of engines) {
  test(`the endpoints of schema 1 stay, and are found as not sealed yet, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const open = () =>
      engine === "sqlite" ? openSqlite({ path: place.at }) : openPostgres({ url: place.at });
    let database = await open();
    try {
      const accountId = await makeAccount(database);
      const url = "https://old.test/in?k=1";
      const id = await makeEndpoint(database, accountId, { url });
      const before = await database.run(findEndpoint, id);
      await database.close();
      await place.exec(schema1);
      database = await open();
      assert.deepEqual(
        { ...(await database.run(findEndpoint, id)) },
        { ...before, url_hash: null },
        "every other column is as it was",
      );
      assert.deepEqual(
        (await database.run(readUnsealedUrls, null)).map((row) => ({ ...row })),
        [{ id, url }],
      );
      await makeEndpoint(database, accountId, { url_hash: "one" });
      await makeEndpoint(database, accountId, { url_hash: "two" });
      await assert.rejects(
        place.exec("update webhook_endpoints set url_hash = 'one' where url_hash = 'two'"),
        /unique/i,
      );
    } finally {
      await database.close();
      await place.drop();
    }
  });
}
