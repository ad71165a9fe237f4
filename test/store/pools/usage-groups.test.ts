// What an account's pools used, summed by what is asked for.

import assert from "node:assert/strict";
import test from "node:test";
import { percentile } from "#store/histogram.ts";
import { recordUsage } from "#store/pools/usage.ts";
import { readUsage, type UsageBy } from "#store/pools/usage-groups.ts";
import { onBothEngines } from "../conformance.ts";
import { callRow, makePool } from "../pool-rows.ts";

const from = "2027-01-01";
const to = "2027-12-31";
const day = "2027-01-15";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("usage is grouped by model, end user, tag and hour, over one pool or all of the account", async () => {
    const of = await makePool(open().database);
    const other = { ...of, poolId: `${of.poolId}_other`, keyId: `${of.keyId}_other` };
    const hour = 3_600_000;
    const at = Date.UTC(2027, 0, 15, 9, 59, 59);
    const used = [
      callRow(of, { at, end_user: "ann", tags: '["team=a","stage=live"]' }),
      callRow(of, { at: at + 1_000, model: "other", failed_over: 1, tags: '["team=a"]' }),
      callRow(of, { at: at + hour, status: 502, member: null, model: null, end_user: "ann" }),
      callRow(other, { at, end_user: "bob" }),
    ];
    await Promise.all(used.map((call) => run(recordUsage, [call])));
    await run(recordUsage, [used[0]!]);
    const by = async (what: UsageBy, poolId: string | null = of.poolId) =>
      (await run(readUsage, { ...of, poolId, from, to, by: what })).map(
        ({ group, requests, errors, failed_over }) => [group, requests, errors, failed_over],
      );
    assert.deepEqual(await by("model"), [
      ["", 1, 1, 0],
      ["echo", 1, 0, 0],
      ["other", 1, 0, 1],
    ]);
    assert.deepEqual(await by("tag"), [
      ["team=a", 2, 0, 1],
      ["stage=live", 1, 0, 0],
    ]);
    assert.deepEqual(await by("user"), [["ann", 2, 1, 0]]);
    assert.deepEqual(await by("user", null), [
      ["ann", 2, 1, 0],
      ["bob", 1, 0, 0],
    ]);
    assert.deepEqual(await by("hour"), [
      ["2027-01-15T09:00:00.000Z", 1, 0, 0],
      ["2027-01-15T10:00:00.000Z", 2, 1, 1],
    ]);
    assert.deepEqual(await by("hour", null), [
      ["2027-01-15T09:00:00.000Z", 2, 0, 0],
      ["2027-01-15T10:00:00.000Z", 2, 1, 1],
    ]);
    assert.deepEqual(await by("day", null), [[day, 4, 1, 1]]);
    assert.deepEqual(await by("pool", null), [
      [of.poolId, 3, 1, 1],
      [other.poolId, 1, 0, 0],
    ]);
    const pools = await run(readUsage, { ...of, poolId: null, from, to, by: "pool" });
    assert.deepEqual(
      pools.map(({ name }) => name === null),
      [false, true],
      "a pool that is not there has no name",
    );
    const [hours] = await run(readUsage, { ...of, from, to, by: "hour" });
    assert.ok(Math.abs((percentile(hours!.latencies, 0.5) ?? 0) - 1_000) <= 50);
    const otherPool = await makePool(open().database);
    for (const what of ["day", "hour", "user", "key"] as const)
      assert.deepEqual(await run(readUsage, { ...otherPool, poolId: null, from, to, by: what }), []);
  });
});
