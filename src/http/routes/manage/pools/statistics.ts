// GET …/pools/{pool}/stats: a pool's requests over time, and how many its limits and budgets refused.

import { sumNumber } from "#contract/cost.ts";
import {
  type PoolStatisticsSum,
  poolStatisticsQuery,
  poolStatisticsReply,
} from "#contract/manage/pool-statistics.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { rangeOf } from "#http/routes/manage/statistics-range.ts";
import { readSchedule } from "#runtime/time-zones.ts";
import { type Histogram, merge, percentiles } from "#store/histogram.ts";
import { noEnds, type PoolPoint, readKeyNames, readPoolStatistics } from "#store/pools/pool-statistics.ts";
import { noSums, sumNames } from "#store/pools/usage-sums.ts";
import { findPool, poolParams, poolPath } from "./pools.ts";

const hourMs = 3_600_000;

const startOfHour = (at: number) => at - (at % hourMs);

/** The sum of the points; the durations of all of them are in one histogram. */
function sumOf(points: readonly PoolPoint[]): PoolStatisticsSum {
  const sums = noSums();
  const refused = { requests: 0, tokens: 0, concurrency: 0, budget: 0 };
  const ended = noEnds();
  const latencies: Histogram = {};
  const firstBytes: Histogram = {};
  for (const point of points) {
    for (const name of sumNames) sums[name] += point[name];
    for (const by of ["requests", "tokens", "concurrency", "budget"] as const)
      refused[by] += point.refused[by];
    for (const end of ["answered", "answered_after_failover", "errors", "aborted"] as const)
      ended[end] += point.ended[end];
    merge(latencies, point.latencies);
    merge(firstBytes, point.firstBytes);
  }
  const { cost, cost_rest, ...counts } = sums;
  return {
    ...counts,
    cost: sumNumber({ cost, cost_rest, unpriced: counts.unpriced }),
    refused,
    ended,
    latency_ms: percentiles(latencies),
    first_byte_ms: percentiles(firstBytes),
  };
}

export const getPoolStatisticsRoute = endpoint({
  method: "GET",
  path: `${poolPath}/stats`,
  name: "getPoolStatistics",
  tag: "Pools",
  summary: "Get the statistics of a pool",
  description:
    "The reply says what the pool was asked over time, and how many calls a limit or a budget refused. Calls are counted in the hour in which they began, about a second after their end.",
  scope: "account",
  params: poolParams,
  query: poolStatisticsQuery,
  replies: { 200: poolStatisticsReply },
})(async (call) => {
  const { core, account, query } = call;
  const { step, split } = query;
  const { time_zone } = account;
  const { from, end } = rangeOf(query, { now: core.clock.now(), timeZone: time_zone });
  const found = await findPool(call);
  const poolId = found.pool.id;
  const hours = [isoTime(startOfHour(from)), isoTime(end)] as const;
  const rows = await core.database.run(readPoolStatistics, { poolId, hours, step, split });
  const names = new Map(split === "key" ? await core.database.run(readKeyNames, poolId) : []);
  const instantOf = (point: string) =>
    step === "hour" ? Date.parse(point) : (readSchedule(`${point} 00:00:00`, time_zone) ?? from);
  // In a zone with half hours the first hour may belong to the day before as well.
  const inside = rows.filter(({ point }) => instantOf(point) >= from);
  return {
    message: "Statistics found.",
    data: {
      step,
      after: isoTime(from),
      before: isoTime(end),
      time_zone,
      total: sumOf(inside),
      series: [...Map.groupBy(inside, ({ series }) => series)].map(([key, points]) => ({
        key,
        name: names.get(key) ?? null,
        total: sumOf(points),
        points: points.map((point) => ({ at: isoTime(instantOf(point.point)), ...sumOf([point]) })),
      })),
    },
  };
});
