// GET …/pools/{pool}/usage and GET …/pools/{pool}/calls: what a pool's keys used, summed and one by one.

import {
  type CallReplyData,
  callsQuery,
  callsReply,
  type UsageReplyData,
  usageQuery,
  usageReply,
} from "#contract/manage/usage.ts";
import { isProblem, problem, validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { queryOf } from "#http/request.ts";
import { validateQuery } from "#http/validate.ts";
import { dayOf } from "#runtime/time-zones.ts";
import { type Histogram, percentile } from "#store/pools/histogram.ts";
import { listCalls, readUsage, type UsageGroup } from "#store/pools/usage.ts";
import type { CompletionsTable } from "#store/schema/pools.ts";
import { findPool, poolParams, poolPath } from "./pools.ts";

const about = {
  method: "GET",
  tag: "Pools",
  family: "manage",
  scope: "account",
  params: poolParams,
} as const;

const dayMs = 86_400_000;
const usualDays = 30;
const mostDays = 366;
const millionth = 1_000_000;

const percentiles = (histogram: Histogram) => ({
  p50: percentile(histogram, 0.5),
  p95: percentile(histogram, 0.95),
  p99: percentile(histogram, 0.99),
});

function sumOf({ latencies, firstBytes, cost, ...sums }: UsageGroup): UsageReplyData {
  return {
    ...sums,
    cost: cost / millionth,
    latency_ms: percentiles(latencies),
    first_byte_ms: percentiles(firstBytes),
  };
}

export const getPoolUsageRoute = endpoint({
  ...about,
  path: `${poolPath}/usage`,
  name: "getPoolUsage",
  summary: "Get the usage of a pool",
  description:
    "The sums are grouped by day, key or member, over local days of the account. Usage is recorded a moment after each call.",
  query: usageQuery,
  replies: { 200: usageReply },
  problems: ["not_found"],
})(async (call) => {
  const { core, account, request } = call;
  const query = validateQuery(usageQuery, queryOf(request));
  if (isProblem(query)) return query;
  const { by, to = dayOf(core.clock.now(), account.time_zone) } = query.value;
  const last = Date.parse(to);
  const { from = new Date(last - (usualDays - 1) * dayMs).toISOString().slice(0, 10) } = query.value;
  const days = (last - Date.parse(from)) / dayMs + 1;
  if (days < 1) return validationFailed([{ path: ["from"], message: "is after `to`" }]);
  if (days > mostDays)
    return validationFailed([{ path: ["from"], message: `is more than ${mostDays} days before \`to\`` }]);
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const filter = { accountId: account.id, poolId: found.pool.id, from, to, by };
  const groups = await core.database.run(readUsage, filter);
  return {
    status: 200,
    body: { success: true, message: "Usage found.", data: groups.map(sumOf), next_cursor: null },
  };
});

function callOf(row: CompletionsTable): CallReplyData {
  return {
    id: row.id,
    at: isoTime(row.at),
    key: row.key_id,
    kind: row.kind,
    stream: row.stream === 1,
    status: row.status,
    member: row.member,
    model: row.model,
    attempts: JSON.parse(row.attempts) as CallReplyData["attempts"],
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    estimated: row.estimated === 1,
    cost: row.cost / millionth,
    first_byte_ms: row.first_byte_ms,
    ms: row.ms,
  };
}

/** `429`, or `4xx`: from the first to before the second. */
function statusesOf(text: string | undefined): [number, number] | null {
  if (text === undefined) return null;
  if (!text.endsWith("xx")) return [Number(text), Number(text) + 1];
  return [Number(text[0]) * 100, Number(text[0]) * 100 + 100];
}

/** Most rows that one page looks at for a rare status. */
const mostLooked = 5_000;

export const listPoolCallsRoute = endpoint({
  ...about,
  path: `${poolPath}/calls`,
  name: "listPoolCalls",
  summary: "List the recent calls of a pool",
  description: "The newest call comes first. The contents of requests and answers are not stored.",
  query: callsQuery,
  replies: { 200: callsReply },
  problems: ["not_found"],
})(async (call) => {
  const query = validateQuery(callsQuery, queryOf(call.request));
  if (isProblem(query)) return query;
  const found = await findPool(call);
  if (found === null) return problem("not_found");
  const { key = null, status, limit, cursor = null } = query.value;
  const { rows, lookedTo } = await call.core.database.run(listCalls, {
    accountId: call.account.id,
    poolId: found.pool.id,
    keyId: key,
    status: statusesOf(status),
    before: cursor,
    limit: limit + 1,
    maxScanned: mostLooked,
  });
  const shown = rows.slice(0, limit);
  const nextCursor = rows.length > limit ? (shown.at(-1)?.id ?? null) : lookedTo;
  return {
    status: 200,
    body: { success: true, message: "Calls found.", data: shown.map(callOf), next_cursor: nextCursor },
  };
});
