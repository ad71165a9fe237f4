// A database from before gets the table of hooks.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../../conformance.ts";
import { emptyPlace } from "../../place.ts";
import { withoutHooks } from "../undone.ts";

for (const engine of engines) {
  test(`an earlier schema gets hooks, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    const rows = "select id, hash, last_body, last_outcome from hooks";
    try {
      await place.open();
      for (const statement of withoutHooks) await place.exec(statement);
      await place.exec("delete from migrations where id >= 31");
      await assert.rejects(place.exec(rows));
      await place.open();
      await place.exec(rows);
    } finally {
      await place.drop();
    }
  });
}
