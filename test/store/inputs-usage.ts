// Inputs for the operations on what pools used, for rows that `grown.ts` has made.

import { recordLowBudget } from "#store/pools/events.ts";
import * as usage from "#store/pools/usage.ts";
import * as usageGroups from "#store/pools/usage-groups.ts";
import * as usageSums from "#store/pools/usage-sums.ts";
import { accountOf, id, now } from "./grown.ts";
import { type Case, given } from "./inputs-messages.ts";
import { anyCall, callRow } from "./pool-rows.ts";

const limit = 50;
const [accountId, poolId, keyId] = [accountOf(0), id("pool", 0), id("key", 0)];
const calls = { accountId, poolId, ...anyCall, before: null, limit, maxScanned: 500 };

export const usageCases: Case[] = [
  given(recordLowBudget, {
    id: "x_4",
    accountId,
    ownerId: poolId,
    bound: "tokens_per_day",
    period: "2026-11-12",
    at: now,
    data: {
      scope: "pool",
      pool: "p",
      key: null,
      bound: "tokens_per_day",
      used: 8,
      limit: 10,
      percent: 80,
      restarts_at: "2026-11-13T00:00:00.000Z",
    },
  }),
  given(usage.recordUsage, [
    callRow({ accountId, poolId, keyId, memberId: "m" }, { end_user: "u", tags: '["a=b"]' }),
  ]),
  given(usageSums.deleteUsageSums, { before: "2026-11-12", limit }),
  given(usageSums.readSharedSpend, { ownerId: poolId, day: "2026-11-12", month: "2026-11" }),
  given(usageSums.readSpend, { keyId, day: "2026-11-12", month: "2026-11" }),
  given(
    usageGroups.readUsage,
    ...[poolId, null].flatMap((ofPool) =>
      (["key", "pool", "hour", "tag"] as const).map((by) => ({
        accountId,
        poolId: ofPool,
        from: "2026-11-01",
        to: "2026-11-30",
        by,
      })),
    ),
  ),
  given(
    usage.listCalls,
    calls,
    { ...calls, before: id("req", 500) },
    { ...calls, from: id("req", 100), before: id("req", 500), member: "m" },
    { ...calls, keyId },
    { ...calls, keyId, status: [500, 600], before: id("req", 500) },
  ),
  given(usage.deleteCalls, { before: id("req", 500), limit }),
];
