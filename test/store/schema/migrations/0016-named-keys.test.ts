// A database from before keys had names keeps its keys, and gets the table of the others.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutNamedKeys } from "./undone.ts";

for (const engine of engines) {
  test(`the fifteenth schema gets named keys, and its keys stay, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutNamedKeys) await place.exec(statement);
      await place.exec("delete from migrations where id >= 16");
      await place.exec(
        `insert into accounts (id, name, time_zone, plan_name, created_at, updated_at)
         values ('acc_1', 'acme', 'UTC', 'unlimited', 1, 1)`,
      );
      await place.exec(
        "insert into api_keys (hash, account_id, sealed, created_at) values ('h', 'acc_1', 's', 1)",
      );
      await assert.rejects(place.exec("select id from named_keys"));
      await place.open();
      await place.exec("select id, hash, previous_hash, previous_works_until, rules from named_keys");
      // A key from before ends when it is replaced, and not by itself.
      await place.exec(
        "insert into api_keys (hash, account_id, created_at) select 'g', account_id, 2 from api_keys where hash = 'h' and works_until is null and hint is null",
      );
      await assert.rejects(
        place.exec("insert into api_keys (hash, account_id, created_at) values ('g', 'acc_1', 2)"),
      );
    } finally {
      await place.drop();
    }
  });
}
