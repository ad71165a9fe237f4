// A budget that runs low is logged once, in the units of its bound, and a failed write is no failure of a call.

import assert from "node:assert/strict";
import test from "node:test";
import { reportLowBudget } from "#ai/low-budget.ts";
import { movableClock } from "#runtime/movable-clock.ts";
import type { LowBudget } from "#store/pools/events.ts";
import { memoryLog } from "../log.ts";
import { budgetOf } from "./pools/pool-keys.ts";

const notice = {
  owner: budgetOf("pool_1", {}, "pool"),
  bound: "cost_per_month",
  period: "2026-01",
  used: 8_250_000,
  limit: 10_000_000,
  restartsAt: Date.UTC(2026, 1, 1),
} as const;

function reporting(answer: () => Promise<boolean>) {
  const log = memoryLog();
  const asked: LowBudget[] = [];
  const report = reportLowBudget({
    clock: movableClock(),
    log,
    newId: (prefix: string) => `${prefix}_1`,
    database: {
      run: (_: unknown, input: LowBudget) => {
        asked.push(input);
        return answer();
      },
    },
  } as unknown as Parameters<typeof reportLowBudget>[0]);
  return { report, log, asked };
}

test("the event has the amounts in their units, and a log line once it is recorded", async () => {
  const { report, log, asked } = reporting(async () => true);
  report(notice);
  await new Promise(setImmediate);
  assert.deepEqual(asked[0]?.data, {
    scope: "pool",
    pool: "pool",
    key: null,
    bound: "cost_per_month",
    used: 8.25,
    limit: 10,
    percent: 82,
    restarts_at: "2026-02-01T00:00:00.000Z",
  });
  assert.deepEqual(
    [asked[0]?.ownerId, asked[0]?.accountId, asked[0]?.period],
    ["pool_1", "acc_1", "2026-01"],
  );
  assert.deepEqual(
    log.lines().map(({ event }) => event),
    ["budget.low"],
  );
});

test("what another process announced is not logged again, and a write that fails is", async () => {
  const known = reporting(async () => false);
  known.report(notice);
  const away = reporting(async () => {
    throw new Error("away");
  });
  away.report(notice);
  await new Promise(setImmediate);
  assert.deepEqual(known.log.lines(), []);
  assert.deepEqual(
    away.log.lines().map(({ event }) => event),
    ["budget.low_failed"],
  );
});
