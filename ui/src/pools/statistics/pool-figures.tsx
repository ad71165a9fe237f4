// What a pool was asked in the range of the URL: outcomes over time, and the same sums by member, key, model or status.

import { useRead } from "#ui/api/queries.ts";
import type { Pool, PoolStatistics, PoolStatisticsSum } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { RangeChoice } from "#ui/parts/charts/range-choice.tsx";
import { queryOf, rangeOf, spansOf } from "#ui/parts/charts/ranges.ts";
import type { Series } from "#ui/parts/charts/scale.ts";
import { Sparkline } from "#ui/parts/charts/sparkline.tsx";
import { TimeColumns } from "#ui/parts/charts/time-columns.tsx";
import { Choice } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { Figures, Section, Waiting } from "#ui/parts/page.tsx";
import { cost, duration, number } from "#ui/words/numbers.ts";
import { refusalsOf, seriesName, sumsIn } from "./series.ts";

/** Calls are counted about a second after their end: reading at every hint would miss the last one. */
const everyMs = 15_000;

const splits = ["member", "key", "model", "status"] as const;

const outcomes: readonly Series[] = [
  { name: "answered", tone: "good" },
  { name: "failed over", tone: "sent", note: "answered by another member than the first" },
  { name: "errors", tone: "bad" },
  { name: "refused", tone: "soft", note: "by a limit or a budget, before any member was asked" },
];

const ms = (value: number | null) => (value === null ? "–" : duration(value));

function Totals({ of }: { of: PoolStatisticsSum }) {
  const { count, words } = refusalsOf(of);
  return (
    <Figures
      of={[
        { name: "Requests", value: number(of.requests) },
        { name: "Failed over", value: number(of.failed_over) },
        { name: "Errors", value: number(of.errors) },
        { name: "Refused", value: number(count), note: words },
        { name: "Tokens", value: number(of.prompt_tokens + of.completion_tokens) },
        { name: "Cost", value: cost(of.cost) },
        {
          name: "First byte, p50 / p95",
          value: `${ms(of.first_byte_ms.p50)} / ${ms(of.first_byte_ms.p95)}`,
        },
      ]}
    />
  );
}

function Parts({ pool, statistics }: { pool: Pool; statistics: PoolStatistics }) {
  const { id: account } = useAccount();
  const [filter, setFilter] = useFilter();
  const split = splits.find((word) => word === filter.by) ?? "member";
  const range = rangeOf(filter.last);
  const { step, after } = statistics;
  const read = useRead(
    "getPoolStatistics",
    { params: { account, pool: pool.id }, query: { step, after, split } },
    { every: everyMs, keep: true },
  );
  const spans = spansOf(range, statistics);
  const rows = (read.data?.data.series ?? []).toSorted((a, b) => b.total.requests - a.total.requests);
  return (
    <>
      <div className="filters">
        <Choice label="By" of={splits} value={split} onChange={(word) => setFilter("by", word)} />
      </div>
      <Table
        label={`What the pool was asked, by ${split}`}
        rows={rows}
        id={({ key }) => key}
        columns={[
          { head: split, cell: (row) => seriesName(split, row, pool.id) },
          {
            head: "Over time",
            look: "wide",
            cell: ({ points, total }) => (
              <Sparkline
                values={sumsIn(spans, points).map(({ requests }) => requests)}
                words={`${number(total.requests)} requests, ${range.title}`}
              />
            ),
          },
          { head: "Requests", look: "number", cell: ({ total }) => number(total.requests) },
          { head: "Failed over", look: "number", cell: ({ total }) => number(total.failed_over) },
          { head: "Errors", look: "number", cell: ({ total }) => number(total.errors) },
          { head: "Refused", look: "number", cell: ({ total }) => number(refusalsOf(total).count) },
          {
            head: "Tokens in + out",
            look: "number",
            cell: ({ total }) => `${number(total.prompt_tokens)} + ${number(total.completion_tokens)}`,
          },
          { head: "Cost", look: "number", cell: ({ total }) => cost(total.cost) },
          { head: "Took p95", look: "number", cell: ({ total }) => ms(total.latency_ms.p95) },
        ]}
      />
    </>
  );
}

export function PoolFigures({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const [filter] = useFilter();
  const range = rangeOf(filter.last);
  const params = { account, pool: pool.id };
  // The first answer says what time it is at the service.
  const clock = useRead("getPoolStatistics", { params }, { every: everyMs });
  const now = clock.data === undefined ? null : Date.parse(clock.data.data.before);
  const read = useRead(
    "getPoolStatistics",
    { params, query: now === null ? {} : queryOf(range, now) },
    { every: everyMs, enabled: now !== null, keep: true },
  );
  const statistics = read.data?.data;
  const [series] = statistics?.series ?? [];
  return (
    <Section title="What it was asked" actions={<RangeChoice />}>
      {statistics === undefined ? <Waiting error={clock.error ?? read.error} /> : null}
      {statistics !== undefined && series === undefined ? (
        <p className="soft">It was asked nothing in the {range.title}.</p>
      ) : null}
      {statistics === undefined || series === undefined ? null : (
        <>
          <Totals of={series.total} />
          <TimeColumns
            title={`Requests by outcome, ${range.title}`}
            range={range.title}
            series={outcomes}
            columns={sumsIn(spansOf(range, statistics), series.points).map(
              ({ from, to, requests, errors, failedOver, refused }) => ({
                from,
                to,
                values: {
                  answered: Math.max(0, requests - errors - failedOver),
                  "failed over": failedOver,
                  errors,
                  refused,
                },
              }),
            )}
            open={({ from, to }) => ({
              to: "/a/$account/pools/$pool/calls",
              params,
              search: { after: new Date(from).toISOString(), before: new Date(to).toISOString() },
            })}
          />
          <Parts pool={pool} statistics={statistics} />
        </>
      )}
    </Section>
  );
}
