// What budgets are measured by, and what keys were used for.

import assert from "node:assert/strict";
import test from "node:test";
import { readKeyUse, readSharedSpend, readSpend } from "#store/pools/spend.ts";
import { recordUsage } from "#store/pools/usage.ts";
import { onBothEngines } from "../conformance.ts";
import { callRow, makePool } from "../pool-rows.ts";

const day = "2027-01-15";

onBothEngines((open) => {
  const run: ReturnType<typeof open>["database"]["run"] = (operation, input) =>
    open().database.run(operation, input);

  test("a budget is measured by the local day and month, over all members", async () => {
    const of = await makePool(open().database);
    const spend = (day: string, member: string) =>
      run(recordUsage, [callRow(of, { day, member, cost_rest: 250_000 })]);
    for (const [date, member] of [
      ["2026-12-31", "primary"],
      ["2027-01-01", "primary"],
      ["2027-01-15", "primary"],
      ["2027-01-15", "second"],
      ["2027-02-01", "second"],
    ] as const)
      await spend(date, member);
    const asked = { keyId: of.keyId, day, month: "2027-01" };
    assert.deepEqual(await run(readSpend, asked), {
      tokensToday: 60,
      tokensThisMonth: 90,
      costThisMonth: 21.75,
    });
    assert.deepEqual(await run(readSpend, { ...asked, keyId: "key_none" }), {
      tokensToday: 0,
      tokensThisMonth: 0,
      costThisMonth: 0,
    });
    for (const ownerId of [of.poolId, of.accountId])
      assert.deepEqual(await run(readSharedSpend, { ownerId, day, month: "2027-01" }), {
        tokensToday: 60,
        tokensThisMonth: 90,
        costThisMonth: 21.75,
      });
  });

  test("the use of a key has its last call, and counts those of the month without a known price", async () => {
    const of = await makePool(open().database);
    const unpriced = { price_source: null, cost: 0 };
    const used = [
      callRow(of, { day: "2026-12-31", ...unpriced }),
      callRow(of, { day: "2027-01-01", ...unpriced }),
      callRow(of, { day, ...unpriced, status: 499 }),
      callRow(of, { day, ...unpriced, status: 502, member: null }),
      callRow(of, { day, at: 1_800_000_000_000 }),
    ];
    for (const call of used) await run(recordUsage, [call]);
    const [use, ...others] = await run(readKeyUse, { keyIds: [of.keyId, "key_none"], day, month: "2027-01" });
    assert.deepEqual(others, []);
    assert.deepEqual(use, {
      id: of.keyId,
      at: used.at(-1)!.at,
      tokensToday: 90,
      tokensThisMonth: 120,
      costThisMonth: 7,
      unpricedThisMonth: 2,
    });
  });
});
