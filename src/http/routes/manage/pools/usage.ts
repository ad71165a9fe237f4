// GET …/pools/{pool}/usage, GET …/pools/{pool}/calls and GET …/calls/{call}: the usage of a pool's keys, summed and by call.

import { sumNumber } from "#contract/cost.ts";
import { idParam } from "#contract/envelope.ts";
import {
  accountUsageQuery,
  type CallReplyData,
  callReply,
  callsQuery,
  callsReply,
  type UsageReplyData,
  usageQuery,
  usageReply,
} from "#contract/manage/usage.ts";
import { validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { orNotFound, ProblemError } from "#http/reply/problem-error.ts";
import { idAt } from "#runtime/ids.ts";
import { dayOf } from "#runtime/time-zones.ts";
import { percentiles } from "#store/histogram.ts";
import { callNumber } from "#store/pools/unpriced.ts";
import { findCall, listCalls, type NamedCall } from "#store/pools/usage.ts";
import { readUsage, type UsageBy, type UsageGroup } from "#store/pools/usage-groups.ts";
import { findPool, poolParams, poolPath } from "./pools.ts";

const about = {
  method: "GET",
  tag: "Pools",
  scope: "account",
  params: poolParams,
} as const;

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = 366;
const maxHourDays = 31;

function sumOf({ latencies, firstBytes, cost, cost_rest, ...sums }: UsageGroup): UsageReplyData {
  return {
    ...sums,
    cost: sumNumber({ cost, cost_rest, unpriced: sums.unpriced }),
    latency_ms: percentiles(latencies),
    first_byte_ms: percentiles(firstBytes),
  };
}

/** The days of a query: by default the last 30. Throws a `ProblemError`. */
function rangeOf(
  { from, to, by }: { from?: string | undefined; to?: string | undefined; by: UsageBy },
  today: string,
): { from: string; to: string } {
  const end = to ?? today;
  const last = Date.parse(end);
  const start = from ?? new Date(last - (defaultDays - 1) * dayMs).toISOString().slice(0, 10);
  const days = (last - Date.parse(start)) / dayMs + 1;
  const max = by === "hour" ? maxHourDays : maxDays;
  const invalid = (message: string) => new ProblemError(validationFailed([{ path: ["from"], message }]));
  if (days < 1) throw invalid("is after `to`");
  if (days > max) throw invalid(`is more than ${max} days before \`to\``);
  return { from: start, to: end };
}

async function usageFound(
  { core, account }: Pick<ManageAccountCall, "core" | "account">,
  poolId: string | null,
  range: { from: string; to: string },
  by: UsageBy,
  split = false,
) {
  const input = { accountId: account.id, poolId, ...range, by, split };
  const groups = await core.database.run(readUsage, input);
  const data = groups.map(sumOf);
  return { message: "Usage found.", data, next_cursor: null, ...range } as const;
}

export const getPoolUsageRoute = endpoint({
  ...about,
  path: `${poolPath}/usage`,
  name: "getPoolUsage",
  summary: "Get the usage of a pool",
  description:
    "The sums are grouped over local days of the account. Usage is recorded a moment after each call.",
  query: usageQuery,
  replies: { 200: usageReply },
})(async (call) => {
  const { by, split } = call.query;
  if (split !== undefined && by !== "day")
    return validationFailed([{ path: ["split"], message: "goes with `by=day` alone" }]);
  const range = rangeOf(call.query, dayOf(call.core.clock.now(), call.account.time_zone));
  const found = await findPool(call);
  return await usageFound(call, found.pool.id, range, by, split === "member");
});

export const getAiUsageRoute = endpoint({
  ...about,
  params: {},
  path: "/api/manage/v1/accounts/{account}/ai-usage",
  name: "getAiUsage",
  summary: "Get the usage of all pools of the account",
  description:
    "The sums are grouped over local days of the account. They include pools and keys that were removed. Usage is recorded a moment after each call.",
  query: accountUsageQuery,
  replies: { 200: usageReply },
})(async (call) => {
  const range = rangeOf(call.query, dayOf(call.core.clock.now(), call.account.time_zone));
  return await usageFound(call, null, range, call.query.by);
});

type Attempt = CallReplyData["attempts"][number];
/** Those of calls from before have no `started_ms`. */
type StoredAttempt = Omit<Attempt, "started_ms" | "given_up"> &
  Partial<Pick<Attempt, "started_ms" | "given_up">>;

function callOf(row: NamedCall): CallReplyData {
  return {
    id: row.id,
    at: isoTime(row.at),
    key: row.key_id === row.pool_id ? null : row.key_id,
    key_name: row.key_name,
    person: row.person,
    kind: row.kind,
    api: row.api,
    stream: row.stream === 1,
    reused: row.reused,
    status: row.status,
    member: row.member,
    model: row.model,
    attempts: (JSON.parse(row.attempts) as StoredAttempt[]).map((attempt) => ({
      started_ms: null,
      given_up: false,
      ...attempt,
    })),
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    estimated: row.estimated === 1,
    cached_tokens: row.cached_tokens,
    cache_write_tokens: row.cache_write_tokens,
    cost: callNumber(row),
    price_source: row.price_source,
    first_byte_ms: row.first_byte_ms,
    ms: row.ms,
    failed_over: row.failed_over === 1,
    user: row.end_user,
    tags: JSON.parse(row.tags) as string[],
    client_request_id: row.client_request_id,
  };
}

/** `429`, or `4xx`: from the first to before the second. */
function statusesOf(text: string | undefined): [number, number] | null {
  if (text === undefined) return null;
  if (!text.endsWith("xx")) return [Number(text), Number(text) + 1];
  return [Number(text[0]) * 100, Number(text[0]) * 100 + 100];
}

/** An id is made when its request arrives, a call begins when its body is read. */
const idSlackMs = 60_000;

/** Maximum number of rows that one page reads to find rare matches. */
const maxScanned = 5_000;

export const listPoolCallsRoute = endpoint({
  ...about,
  path: `${poolPath}/calls`,
  name: "listPoolCalls",
  summary: "List the recent calls of a pool",
  description: "The newest call comes first. What was asked and answered is another operation.",
  query: callsQuery,
  replies: { 200: callsReply },
})(async (call) => {
  const { query } = call;
  const found = await findPool(call);
  const { key = null, status, limit, cursor = null, member = null, model = null } = query;
  const { failed_over: failedOver, user = null, tag = null, failed_by: failedBy = null } = query;
  const { after, before, api = null } = query;
  const first = after === undefined ? null : Date.parse(after);
  const end = before === undefined ? null : Date.parse(before);
  // The id of a call is the id of its request.
  const newest = end === null ? null : idAt("req", end);
  const { rows, lookedTo } = await call.core.database.run(listCalls, {
    accountId: call.account.id,
    poolId: found.pool.id,
    keyId: key,
    status: statusesOf(status),
    member,
    model,
    failedOver: failedOver === undefined ? null : failedOver === "true",
    user,
    tag,
    failedBy,
    api,
    at: first === null && end === null ? null : [first ?? 0, end ?? Number.MAX_SAFE_INTEGER],
    from: first === null ? null : idAt("req", first - idSlackMs),
    before: cursor !== null && (newest === null || cursor < newest) ? cursor : newest,
    limit: limit + 1,
    maxScanned,
  });
  const shown = rows.slice(0, limit);
  const nextCursor = rows.length > limit ? (shown.at(-1)?.id ?? null) : lookedTo;
  return { message: "Calls found.", data: shown.map(callOf), next_cursor: nextCursor };
});

export const getPoolCallRoute = endpoint({
  ...about,
  path: `${poolPath}/calls/{call}`,
  name: "getPoolCall",
  summary: "Get a call of a pool",
  description:
    "A call is recorded a moment after its end, and kept as long as the list keeps it. What was asked and answered is another operation.",
  params: { ...poolParams, call: idParam("The call's id, which is its `X-Request-Id`.") },
  replies: { 200: callReply },
})(async ({ core, account, params: { pool, call } }) => {
  const which = { accountId: account.id, poolId: pool, id: call };
  const row = orNotFound(await core.database.run(findCall, which));
  return { message: "Call found.", data: callOf(row) };
});
