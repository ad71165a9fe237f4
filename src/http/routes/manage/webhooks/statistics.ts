// GET …/webhooks/stats: the outcomes of the deliveries of an account's endpoints, hour by hour for the last day.

import { type DeliveryCounts, webhookStatisticsReply } from "#contract/manage/webhooks.ts";
import { isoTime } from "#contract/time.ts";
import { endpoint } from "#http/endpoint.ts";
import { rangeOf } from "#http/routes/manage/statistics-range.ts";
import { readMessageCounts, type StoredCounts } from "#store/counts/message-counts.ts";

/** A row of one endpoint's hour, by the names that `store/counts` gives to what happens to a delivery. */
const countsOf = ({ delivered, failed, undelivered }: StoredCounts): DeliveryCounts => ({
  delivered,
  failed_tries: failed,
  given_up: undelivered,
});

function sumOf(rows: readonly StoredCounts[]): DeliveryCounts {
  const sum = { delivered: 0, failed_tries: 0, given_up: 0 };
  for (const counts of rows.map(countsOf))
    for (const name of ["delivered", "failed_tries", "given_up"] as const) sum[name] += counts[name];
  return sum;
}

export const getWebhookStatisticsRoute = endpoint({
  method: "GET",
  path: "/api/manage/v1/accounts/{account}/webhooks/stats",
  name: "getWebhookStatistics",
  tag: "Webhooks",
  summary: "Get the statistics of an account's webhook endpoints",
  description:
    "The reply says what became of the deliveries of each endpoint in each hour (UTC) of the last 24, and in the hour in which those begin, as a whole. Every try counts once, in the hour in which it ended. Counts are stored about a second after the try; a process that is killed may lose those of its last second.",
  scope: "account",
  replies: { 200: webhookStatisticsReply },
})(async ({ core, account }) => {
  const { from, end } = rangeOf({ step: "hour" }, { now: core.clock.now(), timeZone: account.time_zone });
  const rows = await core.database.run(readMessageCounts, {
    accountId: account.id,
    step: "endpoint_hour",
    from,
    before: end,
    gatewayId: null,
    channel: null,
  });
  const series = Map.groupBy(rows, ({ gateway_id }) => gateway_id);
  return {
    message: "Statistics found.",
    data: {
      after: isoTime(from),
      before: isoTime(end),
      series: [...series].map(([webhook, hours]) => ({
        webhook,
        total: sumOf(hours),
        points: hours.map((hour) => ({ at: isoTime(hour.at), ...countsOf(hour) })),
      })),
    },
  };
});
