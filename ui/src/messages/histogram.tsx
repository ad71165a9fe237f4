import { type ReactNode, useRef } from "react";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { columnsOf, outcomes } from "#ui/parts/charts/outcomes.ts";
import { TimeColumns } from "#ui/parts/charts/time-columns.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { lastRanges } from "#ui/parts/list/query.ts";
import { Waiting } from "#ui/parts/page.tsx";
import { daysBetween, hoursBetween } from "#ui/words/spans.ts";
import { histogramOf } from "./range.ts";

const everyMs = 15_000;

/** The outcomes of messages in the list's range; a column narrows the list to its time. Nothing if the API does not count it. */
export function LogHistogram({ query, now }: { query: Readonly<Record<string, string>>; now: number }) {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const of = histogramOf(query, now);
  const read = useRead(
    "getMessageStatistics",
    { params: { account }, query: of?.query ?? {} },
    { every: everyMs, enabled: of !== null, keep: true },
  );
  // An answer of the previous range stays as it was drawn, under that range's words, until the new one arrives.
  const drawn = useRef<ReactNode>(null);
  if (of === null) return null;
  if (read.data === undefined) return <Waiting error={read.error} />;
  if (read.isPlaceholderData) return drawn.current;
  const { after, before, time_zone, series } = read.data.data;
  const [from, to] = [Date.parse(after), Date.parse(before)];
  const spans =
    of.minutes === null ? daysBetween(from, to, time_zone) : hoursBetween(from, to, of.minutes / 60);
  const last = lastRanges.find(({ name }) => name === filter.last);
  const isAny = query.created_from === undefined && query.created_to === undefined;
  drawn.current = (
    <TimeColumns
      title="Outcomes of messages in this time"
      range={isAny ? "last 24 hours" : (last?.title ?? "the chosen time")}
      series={outcomes}
      columns={columnsOf(spans, series[0])}
      height={64}
      open={({ from: begin, to: end }) => ({
        to: "/a/$account/messages",
        params: { account },
        search: {
          ...filter,
          last: undefined,
          created_from: new Date(begin).toISOString(),
          created_to: new Date(end).toISOString(),
        },
      })}
    />
  );
  return drawn.current;
}
