// A database from before gets the table of calls' contents, which is empty.

import assert from "node:assert/strict";
import test from "node:test";
import { engines } from "../../conformance.ts";
import { emptyPlace } from "../place.ts";
import { withoutCallContents } from "./undone.ts";

for (const engine of engines) {
  test(`a database from before gets the table of calls' contents, on ${engine}`, async () => {
    const place = await emptyPlace(engine);
    try {
      await place.open();
      for (const statement of withoutCallContents) await place.exec(statement);
      await place.exec("delete from migrations where id >= 19");
      await assert.rejects(place.exec("select call_id from call_contents"));
      await place.open();
      const row = `insert into call_contents (call_id, account_id, pool_id, stored_at, bytes, content)
        values ('req_1', 'acc_1', 'pool_1', 1, 6, 'sealed')`;
      await place.exec(row);
      await assert.rejects(place.exec(row), "a call has one");
    } finally {
      await place.drop();
    }
  });
}
