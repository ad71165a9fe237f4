// Deferred completions from before have no API.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutDeferredApi } from "./undone.ts";

for (const engine of engines) {
  test(`deferred completions from before get an API, which is null, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutDeferredApi) await place.exec(statement);
      await place.exec("delete from migrations where id >= 20");
      await assert.rejects(place.exec("select api from deferred_completions"));
      const stored = (id: string) =>
        place.exec(
          `insert into deferred_completions
             (id, account_id, pool_id, key_id, status, priority, attempts, expires_at, bytes, scheduled_for, created_at)
           values ('${id}', 'acc_1', 'pool_1', 'key_1', 'cancelled', 0, 0, 1, 1, 1, 1)`,
        );
      await stored("cmp_1");
      await place.open();
      // An update that finds no row of before would not violate the primary key below.
      await place.exec("update deferred_completions set id = 'cmp_2' where id = 'cmp_1' and api is null");
      await assert.rejects(stored("cmp_2"));
    } finally {
      await place.drop();
    }
  });
}
