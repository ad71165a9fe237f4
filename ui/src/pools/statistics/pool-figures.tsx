// The calls of a pool in the range of the URL: outcomes over time, and the same sums by member, key, model or status.

import { call } from "#ui/api/client.ts";
import { usePaced } from "#ui/api/queries.ts";
import type { Pool, PoolStatisticsSum } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { RangeChoice } from "#ui/parts/charts/range-choice.tsx";
import { rangeOf, readRange, spansOf } from "#ui/parts/charts/ranges.ts";
import type { Series } from "#ui/parts/charts/scale.ts";
import { Sparkline } from "#ui/parts/charts/sparkline.tsx";
import { TimeColumns } from "#ui/parts/charts/time-columns.tsx";
import { Choice } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { Figures, Section, Waiting } from "#ui/parts/page.tsx";
import { cost, costNote, costOf, duration, number } from "#ui/words/numbers.ts";
import { refusalsOf, seriesName, sumsIn } from "./series.ts";

const splits = ["member", "key", "model", "status"] as const;
type Split = (typeof splits)[number];

/** Calls are counted about a second after their end, and a busy pool changes all the time, so hints are ignored here. */
const paceMs = 30_000;

/** `last`: the word of the range in the URL. An answer names its range: it stays until the answer for the new choice arrives. */
function useStatistics(params: { account: string; pool: string }, last: string | undefined, split: Split) {
  const range = rangeOf(last);
  const zone = useZone();
  return usePaced("getPoolStatistics", [params, range.name, split], paceMs, async (signal) => ({
    range,
    split,
    statistics: await readRange(
      range,
      zone,
      async (of) => (await call("getPoolStatistics", { params, query: { ...of, split }, signal })).data,
    ),
  }));
}

const outcomes: readonly Series[] = [
  { name: "answered", tone: "good" },
  { name: "failed over", tone: "sent", note: "answered by another member than the first" },
  { name: "errors", tone: "bad" },
  { name: "given up", tone: "warn", note: "the caller closed the connection" },
  { name: "refused", tone: "soft", note: "by a limit or a budget, before any member was asked" },
];

const ms = (value: number | null) => (value === null ? "–" : duration(value));

function Totals({ of }: { of: PoolStatisticsSum }) {
  const { count, words } = refusalsOf(of);
  return (
    <Figures
      of={[
        { name: "Requests", value: number(of.requests) },
        { name: "Failed over", value: number(of.failed_over), note: "to another member" },
        { name: "Errors", value: number(of.errors) },
        { name: "Refused", value: number(count), note: words },
        { name: "Tokens", value: number(of.prompt_tokens + of.completion_tokens) },
        { name: "Cost", value: costOf([of]), note: costNote([of]) },
        { name: "First byte, p50 / p95", value: `${ms(of.first_byte_ms.p50)} / ${ms(of.first_byte_ms.p95)}` },
      ]}
    />
  );
}

type Shown = NonNullable<ReturnType<typeof useStatistics>["data"]>;

function Parts({ pool, of: { range, split, statistics } }: { pool: Pool; of: Shown }) {
  const spans = spansOf(range, statistics);
  const rows = statistics.series.toSorted((a, b) => b.total.requests - a.total.requests);
  return (
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
        { head: "Cost", look: "number", cell: ({ total }) => cost(total.cost, total.unpriced) },
        { head: "Took, p95", look: "number", cell: ({ total }) => ms(total.latency_ms.p95) },
      ]}
    />
  );
}

function Outcomes({ pool, of: { range, statistics } }: { pool: Pool; of: Shown }) {
  const { id: account } = useAccount();
  const points = statistics.series.flatMap((series) => series.points);
  return (
    <TimeColumns
      title={`Requests by outcome, ${range.title}`}
      range={range.title}
      series={outcomes}
      columns={sumsIn(spansOf(range, statistics), points).map(
        ({ from, to, answered, failedOver, errors, aborted, refused }) => ({
          from,
          to,
          values: { answered, "failed over": failedOver, errors, "given up": aborted, refused },
        }),
      )}
      open={({ from, to }) => ({
        to: "/a/$account/pools/$pool/calls",
        params: { account, pool: pool.id },
        search: { after: new Date(from).toISOString(), before: new Date(to).toISOString() },
      })}
    />
  );
}

export function PoolFigures({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const [filter, setFilter] = useFilter();
  const split = splits.find((word) => word === filter.by) ?? "member";
  const read = useStatistics({ account, pool: pool.id }, filter.last, split);
  const shown = read.data;
  return (
    <Section lead title="Traffic" actions={<RangeChoice />}>
      {shown === undefined ? (
        <Waiting error={read.error} />
      ) : shown.statistics.series.length === 0 ? (
        <p className="soft">No requests in the {shown.range.title}.</p>
      ) : (
        <>
          <Totals of={shown.statistics.total} />
          <Outcomes pool={pool} of={shown} />
          <div className="filters">
            <Choice label="By" of={splits} value={split} onChange={(word) => setFilter("by", word)} />
          </div>
          <Parts pool={pool} of={shown} />
        </>
      )}
    </Section>
  );
}
