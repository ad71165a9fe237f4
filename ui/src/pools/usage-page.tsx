import { ChartColumn } from "lucide-react";
import type { Operations } from "#ui/api/operations.ts";
import { useRead } from "#ui/api/queries.ts";
import type { Pool, PoolUsageReply } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { TimeColumns } from "#ui/parts/charts/time-columns.tsx";
import { Choice } from "#ui/parts/form/field.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { Empty, Waiting } from "#ui/parts/page.tsx";
import { cost, duration, number } from "#ui/words/numbers.ts";
import { dayOf, daysBetween, instantIn } from "#ui/words/spans.ts";
import { PoolFrame } from "./pool-head.tsx";

type Group = NonNullable<Operations["getPoolUsage"]["query"]["by"]>;

const groups: readonly Group[] = ["day", "hour", "member", "key", "model", "user", "tag"];
const ms = (value: number | null) => (value === null ? "" : duration(value));

const series = [
  { name: "answered", tone: "good" },
  { name: "errors", tone: "bad" },
] as const;

function Days({ of: { data: rows, from, to } }: { of: PoolUsageReply }) {
  const zone = useZone();
  const [begin, end] = [instantIn(`${from}T00:00`, zone), instantIn(`${to}T12:00`, zone)];
  const columns = daysBetween(begin, end, zone).map((day) => {
    const used = rows.find(({ group }) => group === dayOf(day.from, zone));
    const { requests = 0, errors = 0 } = used ?? {};
    return { ...day, values: { answered: requests - errors, errors } };
  });
  return <TimeColumns title="Requests by day" range="last 30 days" series={series} columns={columns} />;
}

function Usage({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const zone = useZone();
  const [filter, setFilter] = useFilter();
  const by = groups.find((group) => group === filter.by) ?? "day";
  const read = useRead("getPoolUsage", { params: { account, pool: pool.id }, query: { by } }, { keep: true });
  const usage = read.data;
  const rows = usage?.data;
  return (
    <>
      {usage === undefined ? <Waiting error={read.error} /> : null}
      {rows?.length === 0 ? (
        <Empty icon={ChartColumn}>
          <p>
            Nothing has been used yet. Ask something in the playground, and it is counted about a second
            later.
          </p>
        </Empty>
      ) : null}
      {rows === undefined || usage === undefined || rows.length === 0 ? null : (
        <>
          <div className="filters">
            <Choice label="By" of={groups} value={by} onChange={(word) => setFilter("by", word)} />
          </div>
          {by === "day" ? <Days of={usage} /> : null}
          <Table
            label={`Usage by ${by}`}
            rows={rows}
            id={({ group }) => group}
            columns={[
              { head: by, cell: ({ group, name }) => name ?? group },
              { head: "Requests", look: "number", cell: ({ requests }) => number(requests) },
              { head: "Errors", look: "number", cell: ({ errors }) => number(errors) },
              { head: "Failed over", look: "number", cell: ({ failed_over }) => number(failed_over) },
              {
                head: "Tokens in + out",
                look: "number",
                cell: (row) => `${number(row.prompt_tokens)} + ${number(row.completion_tokens)}`,
              },
              { head: "Cost", look: "number", cell: (row) => cost(row.cost, row.unpriced) },
              { head: "Took, p50", look: "number", cell: ({ latency_ms }) => ms(latency_ms.p50) },
              { head: "Took, p95", look: "number", cell: ({ latency_ms }) => ms(latency_ms.p95) },
              { head: "First byte, p95", look: "number", cell: ({ first_byte_ms }) => ms(first_byte_ms.p95) },
            ]}
          />
          {by === "day" ? <p className="hint">Days are those of {zone}.</p> : null}
        </>
      )}
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Usage pool={pool} />}</PoolFrame>;
}
