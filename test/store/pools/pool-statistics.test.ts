// What a pool was asked over time: split by what it is asked for, with refused calls, on both engines.

import assert from "node:assert/strict";
import test from "node:test";
import {
  type PoolSplit,
  readKeyNames,
  readLastRefusals,
  readPoolStatistics,
  recordRefusals,
} from "#store/pools/pool-statistics.ts";
import { recordUsage } from "#store/pools/usage.ts";
import { deleteUsageSums } from "#store/pools/usage-retention.ts";
import { hourOf } from "#store/pools/usage-sums.ts";
import type { RefusedCallsTable } from "#store/schema/pools.ts";
import { onBothEngines } from "../conformance.ts";
import { callRow, makePool, type Pooled } from "../pool-rows.ts";

const at = Date.parse("2027-01-15T10:20:00Z");
const day = "2027-01-15";
const hourMs = 3_600_000;

const refusal = (
  of: Pooled,
  by: RefusedCallsTable["refused_by"],
  calls: number,
  more: Partial<RefusedCallsTable> = {},
): RefusedCallsTable => ({
  key_id: of.keyId,
  hour: hourOf(at),
  part: JSON.stringify([day, by]),
  day,
  refused_by: by,
  account_id: of.accountId,
  pool_id: of.poolId,
  calls,
  last_at: at,
  retry_at: at + 1_000,
  ...more,
});

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);
  const read = (of: Pooled, split: PoolSplit, step: "hour" | "day" = "hour") =>
    run(readPoolStatistics, { poolId: of.poolId, hours: [hourOf(at), hourOf(at + 9 * hourMs)], step, split });

  test("calls add up by hour and by day, in one series or by member, model, status or key", async () => {
    const of = await makePool(open().database);
    const call = (columns: object) => callRow(of, { at, day, ...columns });
    const calls = [
      call({ member: "a", model: "m", failed_over: 1 }),
      call({ member: "b", model: "n", at: at + hourMs, ms: 500 }),
      call({ member: null, model: null, status: 503, at: at + hourMs }),
      call({ at: at - hourMs, member: "before the range" }),
    ];
    await run(recordUsage, calls);
    // A call that is written again counts once.
    await run(recordUsage, calls);
    const shown = async (split: PoolSplit, step?: "hour" | "day") =>
      (await read(of, split, step)).map(({ series, point, requests, errors }) => [
        series,
        point.slice(0, 13),
        requests,
        errors,
      ]);
    assert.deepEqual(await shown("none"), [
      ["", "2027-01-15T10", 1, 0],
      ["", "2027-01-15T11", 2, 1],
    ]);
    assert.deepEqual(await shown("none", "day"), [["", day, 3, 1]]);
    assert.deepEqual(await shown("member", "day"), [
      ["", day, 1, 1],
      ["a", day, 1, 0],
      ["b", day, 1, 0],
    ]);
    assert.deepEqual(await shown("model", "day"), [
      ["", day, 1, 1],
      ["m", day, 1, 0],
      ["n", day, 1, 0],
    ]);
    assert.deepEqual(await shown("status", "day"), [
      ["200", day, 2, 0],
      ["503", day, 1, 1],
    ]);
    assert.deepEqual(await shown("key", "day"), [[of.keyId, day, 3, 1]]);
    assert.deepEqual(await run(readKeyNames, of.poolId), [[of.keyId, `name of ${of.keyId}`]]);
    const [first] = await read(of, "none");
    assert.deepEqual([first?.cost, first?.failed_over, first?.latencies], [7, 1, first?.latencies]);
    assert.equal(
      Object.values(first?.latencies ?? {}).reduce((sum, count) => sum + count, 0),
      1,
    );
  });

  test("each call is counted once by how it ended, in each split", async () => {
    const of = await makePool(open().database);
    const call = (columns: object) => callRow(of, { at, day, member: "a", model: "m", ...columns });
    await run(recordUsage, [
      call({}),
      call({ failed_over: 1 }),
      call({ failed_over: 1, status: 502 }),
      call({ status: 503 }),
      call({ failed_over: 1, status: 499 }),
    ]);
    const ended = { answered: 1, answered_after_failover: 1, errors: 2, aborted: 1 };
    for (const split of ["none", "member", "key"] as const)
      assert.deepEqual(
        (await read(of, split)).map((point) => [point.requests, point.failed_over, point.ended]),
        [[5, 3, ended]],
        split,
      );
    const byStatus = (await read(of, "status")).map(({ series, ended: { errors, aborted } }) => [
      series,
      errors,
      aborted,
    ]);
    assert.deepEqual(byStatus, [
      ["200", 0, 0],
      ["499", 0, 1],
      ["502", 1, 0],
      ["503", 1, 0],
    ]);
  });

  test("durations of a point's parts add up, in each split and step", async () => {
    const of = await makePool(open().database);
    const call = (columns: object) => callRow(of, { at, day, ...columns });
    const calls = Array.from({ length: 3 }, (_, number) =>
      ["a", "b"].map((member) =>
        call({ member, model: `m${number}`, at: at + number * hourMs, ms: 100, first_byte_ms: 100 }),
      ),
    );
    await run(recordUsage, [
      ...calls.flat(),
      call({ member: "a", model: "m0", ms: 5_000, first_byte_ms: null }),
    ]);
    const counts = (histogram: object) => Object.values(histogram).sort();
    const shown = async (split: PoolSplit, step: "hour" | "day") =>
      (await read(of, split, step)).map((point) => [counts(point.latencies), counts(point.firstBytes)]);
    assert.deepEqual(await shown("none", "day"), [[[1, 6], [6]]]);
    assert.deepEqual(await shown("none", "hour"), [
      [[1, 2], [2]],
      [[2], [2]],
      [[2], [2]],
    ]);
    assert.deepEqual(await shown("member", "day"), [
      [[1, 3], [3]],
      [[3], [3]],
    ]);
  });

  test("refused calls add up beside the others, under their key and the status 429", async () => {
    const of = await makePool(open().database);
    await run(recordRefusals, [
      refusal(of, "budget", 2),
      refusal(of, "requests", 1),
      refusal(of, "budget", 1),
    ]);
    await run(recordRefusals, [refusal(of, "budget", 4)]);
    const counted = { requests: 1, tokens: 0, concurrency: 0, budget: 7 };
    for (const [split, series] of [
      ["none", ""],
      ["key", of.keyId],
      ["status", "429"],
      ["member", ""],
    ] as const) {
      const points = await read(of, split);
      assert.deepEqual(
        points.map((point) => [point.series, point.requests, point.refused]),
        [[series, 0, counted]],
        split,
      );
    }
    const other = await makePool(open().database);
    assert.deepEqual(await read(other, "none"), []);
  });

  test("the last refusal of a key is the latest of its newest hour, in any order they were stored", async () => {
    const [of, other, never] = [
      await makePool(open().database),
      await makePool(open().database),
      await makePool(open().database),
    ];
    const later = { last_at: at + 500, retry_at: at + 30_000 };
    await run(recordRefusals, [
      refusal(of, "requests", 1, later),
      refusal(of, "requests", 1),
      refusal(of, "budget", 1, { last_at: at + 400 }),
      refusal(other, "tokens", 1),
    ]);
    await run(recordRefusals, [refusal(of, "requests", 1, { last_at: at + 100 })]);
    const last = () => run(readLastRefusals, [of.keyId, other.keyId, never.keyId, of.keyId]);
    const ofOther = { keyId: other.keyId, by: "tokens", at, retryAt: at + 1_000 };
    assert.deepEqual(
      new Set(await last()),
      new Set([{ keyId: of.keyId, by: "requests", at: at + 500, retryAt: at + 30_000 }, ofOther]),
    );
    const next = { last_at: at + hourMs, retry_at: at + 2 * hourMs };
    await run(recordRefusals, [refusal(of, "budget", 1, { hour: hourOf(at + hourMs), ...next })]);
    assert.deepEqual(
      new Set(await last()),
      new Set([{ keyId: of.keyId, by: "budget", at: next.last_at, retryAt: next.retry_at }, ofOther]),
    );
    assert.deepEqual(await run(readLastRefusals, []), []);
  });

  test("both are removed in steps with single calls", async () => {
    const of = await makePool(open().database);
    await run(recordUsage, [callRow(of, { at, day })]);
    await run(recordRefusals, [refusal(of, "tokens", 1)]);
    while ((await run(deleteUsageSums, { before: day, limit: 100 })) > 0);
    assert.equal((await read(of, "none")).length, 1);
    while ((await run(deleteUsageSums, { before: "2027-01-16", limit: 100 })) > 0);
    assert.deepEqual(await read(of, "none"), []);
  });
});
