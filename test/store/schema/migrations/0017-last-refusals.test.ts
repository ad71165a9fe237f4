// A database from before keeps its counts of refused calls, of which it does not know the last one.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutLastRefusals } from "./undone.ts";

for (const engine of engines) {
  test(`counts of refused calls get the time of the last one, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutLastRefusals) await place.exec(statement);
      await place.exec("delete from migrations where id >= 17");
      await assert.rejects(place.exec("select last_at from refused_calls"));
      await place.exec(
        `insert into refused_calls (key_id, hour, part, day, refused_by, account_id, pool_id, calls)
         values ('key_1', '2026-01-01T00:00:00.000Z', 'p', '2026-01-01', 'budget', 'acc_1', 'pool_1', 3)`,
      );
      await place.open();
      await place.exec("select last_at, retry_at from refused_calls");
    } finally {
      await place.drop();
    }
  });
}
