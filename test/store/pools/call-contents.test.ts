// Contents of calls are read and deleted by the pool's setting of now, in batches that are bounded in rows and bytes.

import assert from "node:assert/strict";
import test from "node:test";
import { deleteOldContents, findCallContent, keepCallContents } from "#store/pools/call-contents.ts";
import { readPools, removePool, savePool } from "#store/pools/pools.ts";
import { onBothEngines } from "../conformance.ts";
import { contentRow, makePool } from "../pool-rows.ts";
import { now } from "../rows.ts";

const day = 86_400_000;

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  async function pooled(log: object | null) {
    const of = await makePool(open().database);
    const rule = async (content_log: object | null) => {
      const [found] = await run(readPools, { accountId: of.accountId, id: of.poolId });
      const { pool } = found!;
      assert.equal(await run(savePool, { ...pool, rules: JSON.stringify({ content_log }) }), "saved");
    };
    await rule(log);
    return { of, rule };
  }

  /** Deletes all that is old, and tells how many batches that took. */
  async function sweep(at: number, limit = 50): Promise<number> {
    let after: string | null = "";
    let batches = 0;
    while (after !== null) {
      after = (await run(deleteOldContents, { after, now: at, limit })).next;
      batches += 1;
      assert.ok(batches < 100);
    }
    return batches;
  }

  const stored = async ({ poolId }: { poolId: string }) =>
    (await open().query("select call_id from call_contents where pool_id = ?", poolId)).length;

  test("a content is found by its call, pool and account; one that is written twice stays as it was", async () => {
    const { of } = await pooled({ retention_days: 7 });
    const row = contentRow(of);
    await run(keepCallContents, [row, contentRow(of)]);
    await run(keepCallContents, [{ ...row, content: "another" }]);
    const where = { ...of, callId: row.call_id, now };
    assert.deepEqual(await run(findCallContent, where), {
      content: "sealed",
      stored_at: now,
      deleted_at: now + 7 * day,
    });
    assert.equal(await run(findCallContent, { ...where, callId: "req_none" }), null);
    assert.equal(await run(findCallContent, { ...where, accountId: "acc_other" }), null);
    const { of: other } = await pooled({ retention_days: 7 });
    assert.equal(await run(findCallContent, { ...where, poolId: other.poolId }), null);
  });

  test("a shorter time, no log and no pool hold for what is stored, for the reader at once", async () => {
    const { of, rule } = await pooled({ retention_days: 7 });
    const row = contentRow(of);
    await run(keepCallContents, [row]);
    const at = { ...of, callId: row.call_id, now: now + 2 * day };
    assert.notEqual(await run(findCallContent, at), null);
    await rule({ retention_days: 2 });
    assert.equal(await run(findCallContent, at), null);
    await rule({ retention_days: 3 });
    assert.notEqual(await run(findCallContent, at), null, "not deleted yet");
    await rule(null);
    assert.equal(await run(findCallContent, at), "off");
    await rule({ retention_days: 90 });
    await run(removePool, of);
    assert.equal(await run(findCallContent, at), "off");
    await sweep(now);
    assert.equal(await stored(of), 0);
  });

  test("nothing is stored of a pool whose log has ended, or that is gone, while its call ran", async () => {
    const off = await pooled(null);
    const gone = await pooled({ retention_days: 7 });
    await run(removePool, gone.of);
    const kept = await pooled({ retention_days: 7 });
    await run(keepCallContents, [contentRow(off.of), contentRow(gone.of), contentRow(kept.of)]);
    assert.deepEqual([await stored(off.of), await stored(gone.of), await stored(kept.of)], [0, 0, 1]);
  });

  test("the sweep goes from pool to pool, deletes what is old in each, and no more than a batch at once", async () => {
    const kept = await pooled({ retention_days: 30 });
    const short = await pooled({ retention_days: 1 });
    const off = await pooled({ retention_days: 30 });
    const before = await pooled({ retention_days: 1 });
    for (const { of } of [kept, short, off, before])
      await run(
        keepCallContents,
        Array.from({ length: 5 }, (_, at) => contentRow(of, { stored_at: now - at * (day / 2) })),
      );
    await off.rule(null);
    // A pool of a version that had no such setting.
    await run(savePool, {
      ...(await run(readPools, { accountId: before.of.accountId, id: null }))[0]!.pool,
      rules: "{}",
    });
    assert.ok((await sweep(now, 2)) >= 9);
    const counts = [];
    for (const { of } of [kept, short, off, before]) counts.push(await stored(of));
    assert.deepEqual(counts, [5, 2, 0, 0]);
  });

  test("a batch has at most 4 MiB, and one content at least", async () => {
    const { of, rule } = await pooled({ retention_days: 30 });
    const large = 3 * 1024 * 1024;
    await run(
      keepCallContents,
      [1, 2, 3].map((at) => contentRow(of, { bytes: large * at, stored_at: now + at })),
    );
    await rule(null);
    const ofPool = async () =>
      await run(deleteOldContents, { after: `${of.poolId.slice(0, -1)}`, now, limit: 50 });
    const steps = [];
    for (let step = 0; step < 3; step++) steps.push(await ofPool());
    assert.deepEqual(
      steps.map(({ deleted }) => deleted),
      [1, 1, 1],
    );
    assert.equal(await stored(of), 0);
  });
});
