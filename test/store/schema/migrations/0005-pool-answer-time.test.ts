// A pool that was there before the setting waits as long as one that does not set it.

import assert from "node:assert/strict";
import test from "node:test";
import { onBothEngines } from "../../conformance.ts";
import { makeAccount } from "../../rows.ts";

onBothEngines((open) => {
  test("the migration is recorded after the ones before it, and a pool from before has no limit of its own", async () => {
    const { database, query } = open();
    const rows = await query<{ name: string }>("select name from migrations where id = 5");
    assert.deepEqual(
      rows.map(({ name }) => name),
      ["pool-answer-time"],
    );
    const account = await makeAccount(database);
    await query(
      `insert into pools (id, account_id, name, strict_models, answer_model, stream_mode, headers_after_ms,
       deadline_ms, revision, created_at, updated_at) values ('pool_before', ?, 'before', 0, 'pool', 'live', 1, 1, 1, 1, 1)`,
      account,
    );
    const [pool] = await query<object>("select answer_ms from pools where id = 'pool_before'");
    assert.deepEqual({ ...pool }, { answer_ms: null });
  });
});
