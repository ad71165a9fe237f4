// What calls add up to is removed with them, in steps, where it is no sum of days.

import assert from "node:assert/strict";
import test from "node:test";
import { recordUsage } from "#store/pools/usage.ts";
import { readUsage, type UsageBy } from "#store/pools/usage-groups.ts";
import { deleteUsageSums } from "#store/pools/usage-retention.ts";
import { onBothEngines } from "../conformance.ts";
import { callRow, makePool } from "../pool-rows.ts";

const from = "2027-01-01";
const to = "2027-12-31";
const day = "2027-01-15";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("hours and labels of old days are removed in steps; the days stay", async () => {
    const of = await makePool(open().database);
    const used = [1, 2, 3].map((at) =>
      callRow(of, { at: Date.parse(day) + at * 3_600_000, end_user: "ann", tags: '["team=a"]' }),
    );
    await run(recordUsage, used);
    const by = async (what: UsageBy) => (await run(readUsage, { ...of, from, to, by: what })).length;
    assert.equal(await run(deleteUsageSums, { before: day, limit: 10 }), 0);
    assert.deepEqual([await by("hour"), await by("user"), await by("tag")], [3, 1, 1]);
    assert.equal(await run(deleteUsageSums, { before: "2027-01-16", limit: 2 }), 2);
    assert.deepEqual([await by("hour"), await by("user"), await by("tag")], [1, 0, 0]);
    assert.equal(await run(deleteUsageSums, { before: "2027-01-16", limit: 2 }), 1);
    assert.deepEqual([await by("hour"), await by("model"), await by("day")], [0, 1, 1]);
  });
});
