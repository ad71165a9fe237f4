// GET /api/manage/v1/accounts/{account}/stats: how many messages reached each state, over time.

import {
  type StatisticsPoint,
  type StatisticsSum,
  statisticsQuery,
  statisticsReply,
} from "#contract/manage/statistics.ts";
import { validationFailed } from "#contract/problem.ts";
import { isoTime } from "#contract/time.ts";
import { testKinds } from "#gateways/registry.ts";
import { endpoint } from "#http/endpoint.ts";
import { rangeOf } from "#http/routes/manage/statistics-range.ts";
import { countNames, noCounts } from "#store/counts/buffer.ts";
import { readMessageCounts, type StoredCounts } from "#store/counts/message-counts.ts";
import { readGatewayNames } from "#store/gateways/names.ts";
import { type Histogram, merge, percentiles } from "#store/histogram.ts";

/** The sum of the rows; the durations of all of them are in one histogram. */
function sumOf(rows: readonly StoredCounts[]): StatisticsSum {
  const counts = noCounts();
  const waits: Histogram = {};
  const deliveries: Histogram = {};
  for (const row of rows) {
    for (const name of countNames) counts[name] += row[name];
    merge(waits, row.waits);
    merge(deliveries, row.deliveries);
  }
  return { ...counts, wait_ms: percentiles(waits), delivery_ms: percentiles(deliveries) };
}

/** The rows of one series as points, oldest first. */
const pointsOf = (rows: readonly StoredCounts[]): StatisticsPoint[] =>
  [...Map.groupBy(rows, ({ at }) => at)].map(([at, ofPoint]) => ({ at: isoTime(at), ...sumOf(ofPoint) }));

export const getMessageStatisticsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/stats",
  name: "getMessageStatistics",
  tag: "Account messages",
  summary: "Get the statistics of an account's messages",
  description:
    "The reply says how many messages came to each state, over time. Counts are stored about a second after the change; a process that is killed may lose those of its last second.",
  scope: "account",
  query: statisticsQuery,
  replies: { 200: statisticsReply },
})(async ({ core, account, query }) => {
  const { step, split, channel = null, gateway = null, test } = query;
  const { time_zone: timeZone } = account;
  const { from, end } = rangeOf(query, { now: core.clock.now(), timeZone });
  const names = await core.database.run(readGatewayNames, account.id);
  const named = gateway === null ? null : [...names].find(([, identifier]) => identifier === gateway);
  if (named === undefined)
    return validationFailed([{ path: ["gateway"], message: "is not a gateway of this account" }]);
  const rows = await core.database.run(readMessageCounts, {
    accountId: account.id,
    step,
    from,
    before: end,
    gatewayId: named?.[0] ?? null,
    channel,
  });
  const identifiers = new Map(names.map(([id, identifier]) => [id, identifier]));
  const tests = new Set(names.flatMap(([id, , kind]) => (testKinds.has(kind) ? [id] : [])));
  const keys: Record<typeof split, (row: StoredCounts) => string> = {
    none: () => "",
    channel: (row) => row.channel,
    gateway: (row) => identifiers.get(row.gateway_id) ?? row.gateway_id,
    test: (row) => (tests.has(row.gateway_id) ? "test" : "real"),
  };
  const chosen =
    test === undefined ? rows : rows.filter(({ gateway_id }) => tests.has(gateway_id) === (test === "true"));
  const series = Map.groupBy(chosen, keys[split]);
  return {
    message: "Statistics found.",
    data: {
      step,
      after: isoTime(from),
      before: isoTime(end),
      time_zone: timeZone,
      series: [...series].map(([key, ofKey]) => ({ key, total: sumOf(ofKey), points: pointsOf(ofKey) })),
    },
  };
});
