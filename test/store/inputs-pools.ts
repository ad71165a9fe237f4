// Inputs for the operations on pools, their keys, calls and usage, for rows that `grown.ts` has made.

import * as answers from "#store/pools/answers.ts";
import * as contents from "#store/pools/call-contents.ts";
import * as deferred from "#store/pools/deferred-completions.ts";
import { recordLowBudget, recordMemberEvent } from "#store/pools/events.ts";
import * as limits from "#store/pools/key-limits.ts";
import * as keys from "#store/pools/keys.ts";
import * as memberOutcomes from "#store/pools/member-outcomes.ts";
import * as poolStatistics from "#store/pools/pool-statistics.ts";
import * as pools from "#store/pools/pools.ts";
import * as spend from "#store/pools/spend.ts";
import * as usage from "#store/pools/usage.ts";
import * as usageGroups from "#store/pools/usage-groups.ts";
import * as usageRetention from "#store/pools/usage-retention.ts";
import { accountOf, id, now } from "./grown.ts";
import { type Case, caseOf } from "./inputs-messages.ts";
import {
  answerRow,
  anyCall,
  callRow,
  contentRow,
  deferredRow,
  keyRow,
  memberRow,
  poolRow,
} from "./pool-rows.ts";

const priorities = [0, 1, 2];
const limit = 50;
const [accountId, poolId, keyId] = [accountOf(0), id("pool", 0), id("key", 0)];
const whose = { accountId, poolId };
const call = {
  keyId,
  limits: { requests_per_minute: 10, tokens_per_minute: 100, concurrency: 5 },
  tokens: 1,
  slot: "new",
  until: now + 1,
  now,
};
const calls = { accountId, poolId, ...anyCall, before: null, limit, maxScanned: 500 };

export const poolCases: Case[] = [
  caseOf(limits.admitCalls, call),
  caseOf(limits.readKeyLevels, { keys: [{ keyId, limits: call.limits }], now }),
  caseOf(limits.endCalls, { keyId, slot: "slot0", estimatedTokens: 1, usedTokens: 2 }),
  caseOf(limits.renewSlots, { slots: [{ keyId, slot: "slot0" }], until: now }),
  caseOf(recordMemberEvent, {
    id: "x_3",
    accountId,
    type: "pool.member_down",
    at: now,
    data: { pool: "p", member: "m", kind: "k", reason: null },
  }),
  caseOf(recordLowBudget, {
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
  caseOf(answers.findAnswer, { name: "answer 0", now: 0 }),
  caseOf(
    answers.claimAnswer,
    { ...answerRow({ poolId, keyId }, { name: "answer new" }), now },
    { ...answerRow({ poolId, keyId }, { name: "answer 0" }), now: 0 },
  ),
  caseOf(answers.keepAnswer, answerRow({ poolId, keyId }, { name: "answer 0" })),
  caseOf(answers.releaseAnswer, { name: "answer 0", owner: "own" }),
  caseOf(answers.renewAnswers, { names: ["answer 0", "answer 1"], owner: "own", until: now }),
  caseOf(answers.sizeOfAnswers, { poolId, keyId, limit }),
  caseOf(answers.deleteExpiredAnswers, { now: 2, limit }),
  caseOf(contents.keepCallContents, [contentRow(whose, { call_id: "req_new" })]),
  caseOf(contents.findCallContent, { ...whose, callId: id("req", 0), now }),
  caseOf(contents.deleteOldContents, { after: "", now, limit }, { after: id("pool", 3), now, limit }),
  caseOf(deferred.insertDeferred, deferredRow({ accountId, poolId, keyId }, { id: "cmp_new" })),
  caseOf(deferred.readKeptResults, poolId),
  caseOf(deferred.findDeferred, { id: id("cmp", 0), keyId }),
  caseOf(deferred.readDueDeferred, { laneId: poolId, priority: 0, now, after: null, limit }),
  caseOf(deferred.nextDueDeferred, { laneId: poolId, priorities, now: 0 }),
  caseOf(deferred.beginDeferred, { poolId, fence: 0, ids: [id("cmp", 0), id("cmp", 20)] }),
  caseOf(
    deferred.settleDeferred,
    { id: id("cmp", 0), attempt: 1, at: now, outcome: { kind: "retry", dueAt: now } },
    {
      id: id("cmp", 20),
      attempt: 1,
      at: now,
      outcome: { kind: "ended", status: "completed", result: "s", error: null },
    },
  ),
  caseOf(deferred.cancelDeferred, { id: id("cmp", 40), keyId, at: now }),
  caseOf(deferred.cancelKeyless, { poolId, at: now, limit }, { poolId: null, at: now, limit }),
  caseOf(
    deferred.listWaitingDeferred,
    { accountId, poolId, keyId: null, before: null, limit },
    { accountId, poolId, keyId, before: "cmp_~", limit },
  ),
  caseOf(deferred.deleteDeferred, { after: "", before: "cmp_~", endedBefore: now, limit }),
  caseOf(keys.findKeyHash, "hash0"),
  caseOf(keys.findPoolKey, { ...whose, id: keyId }),
  caseOf(keys.listPoolKeys, { ...whose, before: null, limit }, { ...whose, before: "key_~", limit }),
  caseOf(
    keys.savePoolKey,
    keyRow(whose, { id: "key_new" }),
    keyRow(whose, { id: keyId, name: "key 0", revision: 1 }),
  ),
  caseOf(keys.revokePoolKey, { ...whose, id: keyId, at: now }),
  caseOf(keys.rotatePoolKey, {
    ...whose,
    id: keyId,
    at: now,
    hash: "rotated",
    hint: "h",
    previousWorksUntil: now,
  }),
  caseOf(pools.findPoolByKey, "hash0"),
  caseOf(pools.findPoolByKeyId, keyId),
  caseOf(pools.readPools, { accountId, id: null }, { accountId, id: poolId }),
  caseOf(pools.findPoolByName, { accountId, name: "pool 0" }),
  caseOf(pools.savePool, poolRow(accountId), poolRow(accountId, { id: poolId, name: "new", revision: 1 })),
  caseOf(pools.removePool, whose),
  caseOf(pools.saveMember, memberRow(whose), memberRow(whose, { id: id("mem", 0), revision: 1 })),
  caseOf(pools.removeMember, { ...whose, id: id("mem", 0), at: now }),
  caseOf(usage.recordUsage, [
    callRow({ accountId, poolId, keyId, memberId: "m" }, { end_user: "u", tags: '["a=b"]' }),
  ]),
  caseOf(poolStatistics.recordRefusals, [
    {
      key_id: keyId,
      hour: "2026-11-12T10:00:00.000Z",
      part: '["2026-11-12","budget"]',
      day: "2026-11-12",
      refused_by: "budget",
      account_id: accountId,
      pool_id: poolId,
      calls: 1,
      last_at: now,
      retry_at: now + 1_000,
    },
  ]),
  caseOf(poolStatistics.readPoolStatistics, {
    poolId,
    hours: ["2026-11-12T10:00:00.000Z", "2026-11-12T20:00:00.000Z"],
    step: "hour",
    split: "key",
  }),
  caseOf(poolStatistics.readPoolStatistics, {
    poolId,
    hours: ["2026-11-12T10:00:00.000Z", "2026-11-12T20:00:00.000Z"],
    step: "day",
    split: "none",
  }),
  caseOf(poolStatistics.readKeyNames, poolId),
  caseOf(memberOutcomes.readMemberOutcomes, { poolId, since: 0, limit }),
  caseOf(usageRetention.deleteUsageSums, { before: "2026-11-12", limit }),
  caseOf(spend.readSharedSpend, { ownerId: poolId, day: "2026-11-12", month: "2026-11" }),
  caseOf(spend.readSpend, { keyId, day: "2026-11-12", month: "2026-11" }),
  caseOf(poolStatistics.readLastRefusals, [keyId, "key_none"]),
  caseOf(spend.readKeyUse, { keyIds: [keyId, "key_none"], day: "2026-11-12", month: "2026-11" }),
  caseOf(
    usageGroups.readUsage,
    { accountId, poolId, from: "2026-11-01", to: "2026-11-30", by: "day", split: true },
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
  caseOf(
    usage.listCalls,
    calls,
    { ...calls, before: id("req", 500) },
    { ...calls, from: id("req", 100), before: id("req", 500), member: "m" },
    { ...calls, keyId },
    { ...calls, keyId, status: [500, 600], before: id("req", 500) },
  ),
  caseOf(usage.findCall, { accountId, poolId, id: id("req", 3) }),
  caseOf(usage.deleteCalls, { before: id("req", 500), limit }),
];
