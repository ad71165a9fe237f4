// The outcomes of the last 24 hours' deliveries: a sparkline in the list, a chart on the endpoint's page.

import { call } from "#ui/api/client.ts";
import { usePaced } from "#ui/api/queries.ts";
import type { WebhookStatistics } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { sumOf } from "#ui/parts/charts/outcomes.ts";
import { Sparkline } from "#ui/parts/charts/sparkline.tsx";
import { TimeColumns } from "#ui/parts/charts/time-columns.tsx";
import { Section, Waiting } from "#ui/parts/page.tsx";
import { ends, endsIn, hoursOf } from "./deliveries-by-hour.ts";

/** Attempts are counted about a second after their end, and a busy account changes all the time, so hints are ignored here. */
const paceMs = 30_000;

/** The statistics of all endpoints, in one call. */
export function useDeliveries() {
  const { id: account } = useAccount();
  const params = { account };
  return usePaced("getWebhookStatistics", [params], paceMs, (signal) =>
    call("getWebhookStatistics", { params, signal }),
  );
}

/** What was posted to one endpoint; undefined if nothing was. */
export const webhookSeries = (statistics: WebhookStatistics | undefined, webhook: string) =>
  statistics?.series.find((each) => each.webhook === webhook);

export function LastDayLine({
  webhook,
  statistics,
}: {
  webhook: string;
  statistics: WebhookStatistics | undefined;
}) {
  const series = webhookSeries(statistics, webhook);
  if (statistics === undefined || series === undefined)
    return <span className="small soft">nothing posted in 24&nbsp;h</span>;
  // A card on a phone has no header that shows the time range.
  const words = `${endsIn(series.total)} in 24\u00a0h`;
  return (
    <div className="stack tight">
      <Sparkline
        values={hoursOf(statistics, series.points).map(({ values }) => sumOf(values))}
        words={`${words}, by hour`}
      />
      <span className="small soft">{words}</span>
    </div>
  );
}

/** Nothing if nothing was posted. */
export function LastDay({ webhook }: { webhook: string }) {
  const read = useDeliveries();
  const statistics = read.data?.data;
  const series = webhookSeries(statistics, webhook);
  if (read.isPending) return <Waiting error={null} />;
  if (statistics === undefined || series === undefined) return null;
  return (
    <Section lead title="Tries">
      <TimeColumns
        title="Deliveries of the last 24 hours by outcome"
        range="last 24 hours"
        series={ends}
        columns={hoursOf(statistics, series.points)}
        height={100}
      />
    </Section>
  );
}
