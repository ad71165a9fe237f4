// The AI half's tables come to an installation that has the schema before, and hold what their types say.

import assert from "node:assert/strict";
import test from "node:test";
import { onBothEngines } from "../../conformance.ts";
import { callRow, makePool } from "../../pool-rows.ts";

onBothEngines((open) => {
  test("the migration is recorded after the ones before it", async () => {
    const rows = await open().query<{ id: number; name: string }>(
      "select id, name from migrations where id = 3",
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ id: 3, name: "pools" }],
    );
  });

  test("a key's text is one key's, and a name one pool's of its account", async () => {
    const of = await makePool(open().database, { key: { hash: "one hash" } });
    const { query } = open();
    await assert.rejects(query("update pool_keys set pool_id = 'pool_none' where id = ?", of.keyId));
    await assert.rejects(
      query(
        `insert into pool_keys (id, pool_id, account_id, name, hash, hint, created_at, updated_at)
         values ('key_again', ?, ?, 'again', 'one hash', '', 1, 1)`,
        of.poolId,
        of.accountId,
      ),
    );
    await assert.rejects(
      query(
        `insert into pools select 'pool_again', account_id, name, 0, 'pool', 'live', 1, 1, 1, 1, 1
         from pools where id = ?`,
        of.poolId,
      ),
    );
  });

  test("a call without a member and without a first byte has room", async () => {
    const of = await makePool(open().database);
    const { day: _, ...row } = callRow(of, { member: null, model: null, first_byte_ms: null });
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    await open().query(
      `insert into completions (${names.join(", ")}) values (${marks})`,
      ...(Object.values(row) as (string | number | null)[]),
    );
    const [stored] = await open().query<object>("select * from completions where id = ?", row.id);
    assert.deepEqual({ ...stored }, row);
  });
});
