import { useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choice } from "#ui/parts/field.tsx";
import { useFilter } from "#ui/parts/filter.ts";
import { Table } from "#ui/parts/list.tsx";
import { Empty, Waiting } from "#ui/parts/page.tsx";
import { cost, duration, number } from "#ui/words/numbers.ts";
import { PoolFrame } from "./pool-head.tsx";

const groups = ["day", "member", "key", "model", "user", "tag", "hour"] as const;
const ms = (value: number | null) => (value === null ? "" : duration(value));

function Usage({ pool }: { pool: Pool }) {
  const { id: account } = useAccount();
  const [filter, setFilter] = useFilter();
  const by = groups.find((group) => group === filter.by) ?? "day";
  const read = useRead("getPoolUsage", { params: { account, pool: pool.id }, query: { by } });
  return (
    <>
      <div className="filters">
        <Choice label="By" of={groups} value={by} onChange={(word) => setFilter("by", word)} />
      </div>
      {read.data === undefined ? <Waiting error={read.error} /> : null}
      {read.data?.data.length === 0 ? (
        <Empty>
          <p>
            Nothing has been used yet. Ask something in the playground, and it is counted about a second
            later.
          </p>
        </Empty>
      ) : null}
      {read.data === undefined || read.data.data.length === 0 ? null : (
        <Table
          label={`Usage by ${by}`}
          rows={read.data.data}
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
            { head: "Cost, in units of your prices", look: "number", cell: (row) => cost(row.cost) },
            { head: "Took p50", look: "number", cell: ({ latency_ms }) => ms(latency_ms.p50) },
            { head: "p95", look: "number", cell: ({ latency_ms }) => ms(latency_ms.p95) },
            { head: "First byte p95", look: "number", cell: ({ first_byte_ms }) => ms(first_byte_ms.p95) },
          ]}
        />
      )}
    </>
  );
}

export function Page() {
  return <PoolFrame>{(pool) => <Usage pool={pool} />}</PoolFrame>;
}
