// The figures of a chosen range: outcomes of messages and how long they took, and the calls of AI pools.

import { call } from "#ui/api/client.ts";
import { usePaced, useRead } from "#ui/api/queries.ts";
import type { MessageDurations, PoolUsage } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { columnsOf, outcomes, outcomesOf } from "#ui/parts/charts/outcomes.ts";
import { RangeChoice } from "#ui/parts/charts/range-choice.tsx";
import { beforeRange, rangeOf, readRange, spansOf, stepOf } from "#ui/parts/charts/ranges.ts";
import type { Series } from "#ui/parts/charts/scale.ts";
import { TimeColumns } from "#ui/parts/charts/time-columns.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { Figures, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { costNote, costOf, duration, number } from "#ui/words/numbers.ts";
import { dayOf, type Span } from "#ui/words/spans.ts";

/** Counts are stored about a second after the event: reading at every hint would miss the last one. */
const everyMs = 15_000;

/** The statistics of the range in the URL, and of its AI requests, both asked for at once. An answer names its range. */
function useStatistics() {
  const { id: account } = useAccount();
  const zone = useZone();
  const [filter] = useFilter();
  const range = rangeOf(filter.last);
  const params = { account };
  const messages = usePaced("getMessageStatistics", [params, range.name], everyMs, async (signal) => ({
    range,
    statistics: await readRange(
      range,
      zone,
      async (query) =>
        (await call("getMessageStatistics", { params, query: { ...query, split: "test" }, signal })).data,
    ),
  }));
  const ai = useRead(
    "getAiUsage",
    { params, query: { from: dayOf(beforeRange(range), zone), by: stepOf(range) } },
    { every: everyMs, keep: true },
  );
  return { messages, ai };
}

type Shown = NonNullable<ReturnType<typeof useStatistics>["messages"]["data"]>;

const ms = (value: number | null | undefined) => (value == null ? "–" : duration(value));

/** `p50 0.8 s · p95 1.2 s` as one figure. */
function Durations({ of }: { of: MessageDurations | undefined }) {
  return (
    <>
      {ms(of?.p50)} <span className="soft">/</span> {ms(of?.p95)}
    </>
  );
}

const share = (part: number, whole: number) =>
  whole === 0 ? undefined : `${Number(((part / whole) * 100).toFixed(1))}\u00a0%`;

function Messages({ range, statistics }: Shown) {
  const { id: account } = useAccount();
  const [real, test] = ["real", "test"].map((name) => statistics.series.find(({ key }) => key === name));
  const series = real ?? test;
  const tests = test?.total.accepted ?? 0;
  const total = series?.total;
  const all = total === undefined ? null : outcomesOf(total);
  const gone = all === null ? 0 : (all.delivered ?? 0) + (all["sent, no report"] ?? 0) + (all.failed ?? 0);
  return (
    <>
      <Figures
        of={[
          {
            name: "Accepted",
            value: number(total?.accepted ?? 0),
            note:
              tests === 0 ? undefined : real === undefined ? "test messages" : `and ${number(tests)} test`,
          },
          { name: "Delivered", value: number(all?.delivered ?? 0), note: share(all?.delivered ?? 0, gone) },
          { name: "Accepted → sent, p50 / p95", value: <Durations of={total?.wait_ms} /> },
          { name: "Sent → delivered, p95", value: ms(total?.delivery_ms.p95) },
        ]}
      />
      <TimeColumns
        title={`Messages by outcome, ${range.title}`}
        range={range.title}
        series={outcomes}
        columns={columnsOf(spansOf(range, statistics), series)}
        open={({ from, to }) => ({
          to: "/a/$account/messages",
          params: { account },
          search: {
            created_from: new Date(from).toISOString(),
            created_to: new Date(to).toISOString(),
            ...(real === undefined || test === undefined ? {} : { test: "false" }),
          },
        })}
      />
    </>
  );
}

const asked: readonly Series[] = [
  { name: "answered", tone: "good", note: "or given up by the caller" },
  { name: "errors", tone: "bad" },
];

const totalOf = (rows: readonly PoolUsage[], of: (row: PoolUsage) => number) =>
  rows.reduce((sum, row) => sum + of(row), 0);

/**
 * Requests in each span, each counted once: failovers are a separate figure. `group` of a row: its hour as an instant, or its local day.
 */
function requestsIn(spans: readonly Span[], rows: readonly PoolUsage[], zone: string) {
  return spans.map((span) => {
    const inside = rows.filter(({ group }) =>
      group.length > 10
        ? Date.parse(group) >= span.from && Date.parse(group) < span.to
        : group === dayOf(span.from, zone),
    );
    const errors = totalOf(inside, (row) => row.errors);
    return { ...span, values: { answered: totalOf(inside, (row) => row.requests) - errors, errors } };
  });
}

function Ai({ range, statistics, usage }: Shown & { usage: readonly PoolUsage[] }) {
  const zone = useZone();
  const begin = Date.parse(statistics.after);
  // Days are requested as a whole; of the first one, only the hours of the range count.
  const rows = usage.filter(({ group }) =>
    group.length > 10 ? Date.parse(group) >= begin : group >= dayOf(begin, zone),
  );
  if (rows.length === 0) return <p className="soft">No AI requests in the {range.title}.</p>;
  const requests = totalOf(rows, (row) => row.requests);
  const failedOver = totalOf(rows, (row) => row.failed_over);
  const errors = totalOf(rows, (row) => row.errors);
  return (
    <>
      <Figures
        of={[
          { name: "Requests", value: number(requests) },
          { name: "Failed over", value: number(failedOver), note: share(failedOver, requests) },
          { name: "Errors", value: number(errors), note: share(errors, requests) },
          {
            name: "Tokens",
            value: number(totalOf(rows, (row) => row.prompt_tokens + row.completion_tokens)),
          },
          { name: "Cost", value: costOf(rows), note: costNote(rows) },
        ]}
      />
      <TimeColumns
        title={`AI requests, ${range.title}`}
        range={range.title}
        series={asked}
        columns={requestsIn(spansOf(range, statistics), rows, zone)}
      />
    </>
  );
}

/** For an account that has done something; a new one shows its first steps instead. */
export function RangeFigures() {
  const { id: account } = useAccount();
  const overview = useRead("getOverview", { params: { account } });
  const { messages, ai } = useStatistics();
  const steps = overview.data?.data.first_steps;
  if (!steps?.accepted && !steps?.completion) return null;
  const shown = messages.data;
  return (
    <div className="halves leads">
      <Section lead title="Messages" actions={<RangeChoice />}>
        {shown === undefined ? <Waiting error={messages.error} /> : <Problem error={messages.error} />}
        {shown === undefined ? null : <Messages {...shown} />}
      </Section>
      <Section lead title="AI requests">
        {shown === undefined || ai.data === undefined ? (
          <Waiting error={messages.error ?? ai.error} />
        ) : (
          <Ai {...shown} usage={ai.data.data} />
        )}
      </Section>
    </div>
  );
}
