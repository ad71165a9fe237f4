// Deferred completions in the storage: who may see them, who may settle them, and what is counted.

import assert from "node:assert/strict";
import test from "node:test";
import { readDueLanes } from "#store/lanes/due.ts";
import { claimLanes, readLanes } from "#store/lanes/lanes.ts";
import {
  beginDeferred,
  cancelDeferred,
  cancelKeyless,
  type DeferredOutcome,
  deleteDeferred,
  findDeferred,
  insertDeferred,
  listWaitingDeferred,
  maxDeferred,
  maxDeferredBytes,
  maxKeyDeferred,
  maxKeyDeferredBytes,
  nextDueDeferred,
  readDueDeferred,
  readKeptResults,
  settleDeferred,
} from "#store/pools/deferred-completions.ts";
import { revokePoolKey, savePoolKey } from "#store/pools/keys.ts";
import { removePool } from "#store/pools/pools.ts";
import type { DeferredCompletionsTable } from "#store/schema/pools.ts";
import { onBothEngines } from "../conformance.ts";
import { listen, notesOf } from "../listener.ts";
import { deferredRow, keyRow, makePool } from "../pool-rows.ts";
import { fresh, now } from "../rows.ts";

const priorities = [0, 1, 2];

/** The id right before an id of these tests. */
const previousOf = (id: string) => `cmp_${String(Number(id.slice(4)) - 1).padStart(8, "0")}`;

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const setUp = async () => {
    const of = await makePool(open().database);
    const insert = async (columns: Partial<DeferredCompletionsTable> = {}) => {
      const row = deferredRow(of, columns);
      return { row, result: await run(insertDeferred, row) };
    };
    /** Takes the pool's lane as a process does; its fence. */
    const claim = async () => {
      const lane = (await run(readLanes, null)).find(({ id }) => id === of.poolId)!;
      const [claimed] = await run(claimLanes, { processId: fresh("prc"), lanes: [lane] });
      return claimed!.fence;
    };
    const begin = (fence: number, ...ids: string[]) => run(beginDeferred, { poolId: of.poolId, fence, ids });
    const settle = (id: string, attempt: number, outcome: DeferredOutcome) =>
      run(settleDeferred, { id, attempt, at: now + 9, outcome });
    return { ...of, insert, claim, begin, settle };
  };
  const done: DeferredOutcome = { kind: "ended", status: "completed", result: "sealed answer", error: null };

  test("the first makes the lane of its pool; what is due is found in order", async () => {
    const { poolId, insert } = await setUp();
    const { row: later, result } = await insert({ due_at: now + 50 });
    assert.deepEqual(result, { kind: "stored" });
    const first = await insert({ due_at: now - 5 });
    assert.deepEqual(first.result, { kind: "stored" });
    const query = { laneId: poolId, priority: 0, now, after: null, limit: 10 };
    const due = await run(readDueDeferred, query);
    assert.deepEqual(due, [{ id: first.row.id, priority: 0, due_at: now - 5 }]);
    assert.equal(await run(nextDueDeferred, { laneId: poolId, priorities, now }), later.due_at);
    const lanes = await run(readDueLanes, { priorities, until: now });
    assert.deepEqual(
      lanes.filter(({ id }) => id === poolId),
      [{ id: poolId, dueAt: now - 5 }],
    );
  });

  test("an attempt is counted under the lane's fence, and settled by its number", async () => {
    const { accountId, insert, claim, begin, settle } = await setUp();
    await listen(open(), accountId, ["completion.*"]);
    const { row } = await insert();
    const old = await claim();
    const begun = await begin(old, row.id);
    assert.ok(begun.kind === "begun");
    assert.deepEqual([begun.rows[0]?.attempts, begun.rows[0]?.status], [1, "in_progress"]);
    const fence = await claim();
    assert.deepEqual(await begin(old, row.id), { kind: "fenced" });
    const again = await begin(fence, row.id);
    assert.ok(again.kind === "begun" && again.rows[0]?.attempts === 2);
    // What the earlier owner has to say of the first attempt changes nothing.
    assert.equal(await settle(row.id, 1, done), row.due_at);
    assert.equal(await settle(row.id, 2, { kind: "retry", dueAt: now + 77 }), now + 77);
    await begin(fence, row.id);
    assert.equal(await settle(row.id, 3, done), null);
    assert.equal(await settle(row.id, 3, { ...done, status: "failed" }), null);
    const ended = await run(findDeferred, { id: row.id, keyId: row.key_id });
    const { status, result, request, due_at, finished_at } = ended!;
    assert.deepEqual(
      [status, result, request, due_at, finished_at],
      ["completed", "sealed answer", null, null, now + 9],
    );
    const notes = await notesOf(open(), accountId);
    assert.deepEqual(
      notes.map(({ type, data }) => [type, data]),
      [
        [
          "completion.done",
          { id: row.id, object: "deferred_completion", status: "completed", attempts: 3, error: null },
        ],
      ],
    );
  });

  test("only its key finds and cancels it; what was cancelled under way stays cancelled", async () => {
    const { insert, claim, begin, settle } = await setUp();
    const { row } = await insert();
    const [own, other] = [
      { id: row.id, keyId: row.key_id },
      { id: row.id, keyId: "key_other" },
    ];
    assert.equal(await run(findDeferred, other), null);
    assert.equal(await run(cancelDeferred, { ...other, at: now }), null);
    await begin(await claim(), row.id);
    assert.equal((await run(cancelDeferred, { ...own, at: now }))?.ended, false);
    assert.equal((await run(cancelDeferred, { ...own, at: now }))?.ended, true);
    assert.equal(await settle(row.id, 1, done), null);
    assert.equal((await run(findDeferred, own))?.status, "cancelled");
  });

  /** Completions of `bytes` each that wait, `count` of them for each of these keys. */
  const fill = (poolId: string, keys: readonly string[], count: number, bytes: number) =>
    Promise.all(
      keys.map((key) =>
        open().query(
          `insert into deferred_completions (id, account_id, pool_id, key_id, status, priority, due_at, attempts,
             expires_at, bytes, scheduled_for, created_at)
           select 'cmp_${key}_' || i, 'a', '${poolId}', '${key}', 'queued', 0, 1, 0, 1, ${bytes}, 1, 1
           from (with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as numbers`,
        ),
      ),
    );

  test("a key has a tenth of its pool, in bytes and in number, and what has ended does not count", async () => {
    const { insert, poolId, keyId } = await setUp();
    const whole = await insert({ bytes: maxKeyDeferredBytes });
    assert.equal(whole.result.kind, "stored");
    assert.deepEqual((await insert()).result, { kind: "full", of: "key" });
    assert.equal((await insert({ key_id: fresh("key") })).result.kind, "stored");
    await run(cancelDeferred, { id: whole.row.id, keyId, at: now });
    assert.equal((await insert()).result.kind, "stored");
    const many = fresh("key");
    await fill(poolId, [many], maxKeyDeferred, 1);
    assert.deepEqual((await insert({ key_id: many })).result, { kind: "full", of: "key" });
    assert.equal((await insert()).result.kind, "stored");
  });

  test("what waits in a pool is bounded in bytes and in number for all keys together", async () => {
    const keys = () => Array.from({ length: 10 }, () => fresh("key"));
    const [long, many] = [await setUp(), await setUp()];
    await fill(long.poolId, keys(), 1, Math.floor(maxDeferredBytes / 10));
    assert.deepEqual((await long.insert({ bytes: 1000 })).result, { kind: "full", of: "pool" });
    await fill(many.poolId, keys(), maxDeferred / 10, 1);
    assert.deepEqual((await many.insert()).result, { kind: "full", of: "pool" });
  });

  test("results that are kept are summed by key, with the bytes of the result", async () => {
    const { insert, poolId, keyId } = await setUp();
    const { row } = await insert({ bytes: 5_000 });
    assert.deepEqual(await run(readKeptResults, poolId), []);
    await run(beginDeferred, { poolId, fence: 0, ids: [row.id] });
    const outcome = { kind: "ended", status: "completed", result: "x".repeat(700), error: null } as const;
    await run(settleDeferred, { id: row.id, attempt: 1, at: now, outcome });
    const cancelled = await insert({ bytes: 4_000 });
    await run(cancelDeferred, { id: cancelled.row.id, keyId, at: now });
    await insert({ bytes: 3_000 });
    assert.deepEqual(await run(readKeptResults, poolId), [{ keyId, bytes: 700 }]);
  });

  test("what a revoked, expired or missing key left waiting is cancelled in batches, and told", async () => {
    const { accountId, poolId, keyId, insert } = await setUp();
    await listen(open(), accountId, ["completion.*"]);
    const expired = keyRow({ accountId, poolId }, { expires_at: now + 100 });
    assert.equal(await run(savePoolKey, expired), "saved");
    const kept = await insert();
    const left = [await insert({ key_id: expired.id }), await insert({ key_id: fresh("key") })];
    const cancel = (at: number, limit = 10) => run(cancelKeyless, { poolId, at, limit });
    assert.equal(await cancel(now + 99), 1);
    assert.equal(await cancel(now + 100), 1);
    assert.equal(await cancel(now + 100), 0);
    await run(revokePoolKey, { accountId, poolId, id: keyId, at: now });
    const more = await insert();
    assert.deepEqual([await cancel(now, 1), await cancel(now, 1), await cancel(now, 1)], [1, 1, 0]);
    for (const { row } of [kept, more, ...left]) {
      const found = await run(findDeferred, { id: row.id, keyId: row.key_id });
      assert.deepEqual([found?.status, found?.request, found?.due_at], ["cancelled", null, null]);
    }
    const notes = await notesOf(open(), accountId);
    assert.deepEqual(
      notes.map(({ data }) => (data as { error: string }).error),
      Array.from({ length: 4 }, () => "invalid_api_key"),
    );
  });

  test("the account lists what waits in its pool, of one key or of all", async () => {
    const { accountId, poolId, insert, keyId } = await setUp();
    const rows = [await insert(), await insert({ key_id: "key_other" }), await insert()].map(
      ({ row }) => row.id,
    );
    await run(cancelDeferred, { id: rows[0]!, accountId, poolId, at: now });
    const list = async (more: object = {}) => {
      const of = { accountId, poolId, keyId: null, before: null, limit: 10, ...more };
      return (await run(listWaitingDeferred, of)).map(({ id }) => id);
    };
    assert.deepEqual(await list(), [rows[2], rows[1]]);
    assert.deepEqual(await list({ keyId }), [rows[2]]);
    assert.deepEqual(await list({ before: rows[2] }), [rows[1]]);
    assert.deepEqual(await list({ accountId: "acc_other" }), []);
    assert.equal(await run(cancelDeferred, { id: rows[1]!, accountId: "acc_other", poolId, at: now }), null);
  });

  test("retention removes what ended long ago; the pool takes everything of it along", async () => {
    const { accountId, insert, keyId, poolId } = await setUp();
    const [ended, waiting] = [await insert(), await insert()];
    await run(cancelDeferred, { id: ended.row.id, keyId, at: now });
    // Ids of others of this file lie before.
    const range = { after: previousOf(ended.row.id), before: waiting.row.id, limit: 100 };
    assert.equal((await run(deleteDeferred, { ...range, endedBefore: now })).deleted, 0);
    assert.equal((await run(deleteDeferred, { ...range, endedBefore: now + 1 })).deleted, 1);
    assert.equal(await run(findDeferred, { id: ended.row.id, keyId }), null);
    assert.ok(await run(removePool, { accountId, poolId }));
    assert.equal(await run(findDeferred, { id: waiting.row.id, keyId }), null);
    assert.ok(!(await run(readLanes, null)).some(({ id }) => id === poolId));
  });
});
