// Calls of a pool over time, in one series or several, including calls that a limit or a budget refused.

import { sql } from "kysely";
import { batchedOperation, readOperation, type Tx } from "#store/database.ts";
import type { Histogram } from "#store/histogram.ts";
import type { RefusedBy, RefusedCallsTable, UsageSums } from "#store/schema/pools.ts";
import { noSums, sumNames } from "./usage-sums.ts";

/** Adds to the counts of refused calls. */
export const recordRefusals = batchedOperation(
  "recordRefusals",
  async (tx, batches: readonly (readonly RefusedCallsTable[])[]) => {
    // One statement must not update a row twice.
    const sums = new Map<string, RefusedCallsTable>();
    for (const row of batches.flat()) {
      const name = JSON.stringify([row.key_id, row.hour, row.part]);
      const known = sums.get(name);
      const last = known === undefined || (known.last_at ?? 0) <= (row.last_at ?? 0) ? row : known;
      sums.set(name, { ...last, calls: (known?.calls ?? 0) + row.calls });
    }
    const columns = {
      key_id: "text",
      hour: "text",
      part: "text",
      day: "text",
      refused_by: "text",
      account_id: "text",
      pool_id: "text",
      calls: "bigint",
      last_at: "bigint",
      retry_at: "bigint",
    } as const;
    const isLater = sql`excluded.last_at >= coalesce(refused_calls.last_at, 0)`;
    const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
    for (const { account_id } of sums.values()) tx.changes.topic(account_id, "calls");
    if (sums.size > 0)
      await sql`
        insert into refused_calls (${names}) select ${names} from ${tx.rows("refused", columns, [...sums.values()])}
        where true order by key_id, hour, part
        on conflict (key_id, hour, part) do update set calls = refused_calls.calls + excluded.calls,
          retry_at = case when ${isLater} then excluded.retry_at else refused_calls.retry_at end,
          last_at = case when ${isLater} then excluded.last_at else refused_calls.last_at end
      `.execute(tx.db);
    return batches.map(() => null);
  },
);

export interface LastRefusal {
  keyId: string;
  by: RefusedBy;
  /** Epoch ms; `retryAt`: when the limit or the budget allows a call again. */
  at: number;
  retryAt: number;
}

/** The last refused call of each of these keys that has one. */
export const readLastRefusals = readOperation(
  "readLastRefusals",
  async (tx, keyIds: readonly string[]): Promise<LastRefusal[]> => {
    if (keyIds.length === 0) return [];
    const { rows } = await sql<Pick<RefusedCallsTable, "key_id" | "refused_by" | "last_at" | "retry_at">>`
      select key_id, refused_by, last_at, retry_at from ${tx.indexed("refused_calls")}
      where key_id in ${tx.list([...new Set(keyIds)])} and last_at is not null and hour = (
        select max(hour) from refused_calls as newest where newest.key_id = refused_calls.key_id
      )
      order by last_at
    `.execute(tx.db);
    // A key has a row for each limit that refused it within the hour; the last one is used.
    const last = new Map(rows.map((row) => [row.key_id, row]));
    return [...last.values()].map(({ key_id, refused_by, last_at, retry_at }) => ({
      keyId: key_id,
      by: refused_by,
      at: Number(last_at),
      retryAt: Number(retry_at),
    }));
  },
);

export type PoolSplit = "none" | "member" | "key" | "model" | "status";

/** Calls by outcome, each counted once. */
interface Ends {
  /** By the first member that was called. */
  answered: number;
  answered_after_failover: number;
  errors: number;
  /** Ended by the caller, who closed the connection. */
  aborted: number;
}

export const noEnds = (): Ends => ({ answered: 0, answered_after_failover: 0, errors: 0, aborted: 0 });

/** The sums of one series at one point. */
export interface PoolPoint extends UsageSums {
  /** The group of the series, depending on the split: empty, a member, a key's id, a model or a status. */
  series: string;
  /** The start of the hour in UTC, or the local day. */
  point: string;
  latencies: Histogram;
  firstBytes: Histogram;
  refused: Record<RefusedBy, number>;
  ended: Ends;
}

interface Selection {
  poolId: string;
  /** From the first hour to before the second, by their starts in UTC. */
  hours: readonly [string, string];
  step: "hour" | "day";
  split: PoolSplit;
}

const noRefusals = () => ({ requests: 0, tokens: 0, concurrency: 0, budget: 0 });

const seriesColumns = { member: "member", key: "key_id", model: "model", status: "status" } as const;

/** The points that have calls, by series and then by time. A refused call has the status 429, and neither member nor model. */
export const readPoolStatistics = readOperation(
  "readPoolStatistics",
  async (tx, selection: Selection): Promise<PoolPoint[]> => {
    const { split } = selection;
    const points = new Map<string, PoolPoint>();
    const pointOf = (series: string, point: string): PoolPoint => {
      const name = JSON.stringify([series, point]);
      const known = points.get(name);
      if (known !== undefined) return known;
      const sums = { ...noSums(), refused: noRefusals(), ended: noEnds() };
      const empty = { series, point, ...sums, latencies: {}, firstBytes: {} };
      points.set(name, empty);
      return empty;
    };
    for (const { series, point, status, ...counted } of await sumsOf(tx, selection)) {
      const sum = pointOf(series, point);
      const row = noSums();
      for (const column of sumNames) {
        row[column] = Number(counted[column]);
        sum[column] += row[column];
      }
      addEnds(sum.ended, { ...row, status });
    }
    for (const [column, name] of [
      ["latencies", "latencies"],
      ["first_bytes", "firstBytes"],
    ] as const)
      for (const { series, point, bucket, times } of await durationsOf(tx, selection, column))
        pointOf(series, point)[name][bucket] = Number(times);
    for (const { series, point, refused_by, calls } of await refusalsOf(tx, selection))
      pointOf(split === "status" ? "429" : series, point).refused[refused_by] += Number(calls);
    const order = ({ series, point }: PoolPoint) => JSON.stringify([series, point]);
    return [...points.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  },
);

/** All calls of a part have one status. */
function addEnds(
  ends: Ends,
  { status, requests, errors, failed_over }: UsageSums & { status: string },
): void {
  if (status === "499") ends.aborted += requests;
  else if (errors > 0) ends.errors += errors;
  else {
    ends.answered += requests - failed_over;
    ends.answered_after_failover += failed_over;
  }
}

/** The columns of a point. The database adds up its parts: one for each key, member, model and status of each hour. */
const pointOfPart = ({ split, step }: Selection) => {
  const series = split === "none" ? sql`cast('' as text)` : sql.ref(`usage_parts.${seriesColumns[split]}`);
  return sql`${series} as series, ${sql.ref(`usage_parts.${step}`)} as point`;
};

const inRange = ({ poolId, hours: [from, before] }: Selection) =>
  sql`pool_id = ${poolId} and hour >= ${from} and hour < ${before}`;

interface Place {
  series: string;
  point: string;
}

/** By status, since all calls of a part have one. */
async function sumsOf(tx: Tx, selection: Selection) {
  const sums = sql.join(sumNames.map((column) => sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`));
  const { rows } = await sql<Place & UsageSums & { status: string }>`
    select ${pointOfPart(selection)}, usage_parts.status as status, ${sums} from ${tx.indexed("usage_parts", "usage_parts_pool")}
    where ${inRange(selection)} group by 1, 2, 3
  `.execute(tx.db);
  return rows;
}

/** How often a point has each duration. */
async function durationsOf(tx: Tx, selection: Selection, column: "latencies" | "first_bytes") {
  const histogram = sql.ref(`usage_parts.${column}`);
  const [buckets, times] =
    tx.engine === "sqlite"
      ? [sql`json_each(${histogram})`, sql`buckets.value`]
      : [sql`json_each_text(${histogram}::json)`, sql`buckets.value::bigint`];
  const { rows } = await sql<Place & { bucket: string; times: number }>`
    select ${pointOfPart(selection)}, buckets.key as bucket, sum(${times}) as times
    from ${tx.indexed("usage_parts", "usage_parts_pool")} cross join ${buckets} as buckets
    where ${inRange(selection)} group by 1, 2, 3
  `.execute(tx.db);
  return rows;
}

async function refusalsOf(tx: Tx, selection: Selection) {
  const series = selection.split === "key" ? sql`key_id` : sql`cast('' as text)`;
  const { rows } = await sql<Place & { refused_by: RefusedBy; calls: number }>`
    select ${series} as series, ${sql.ref(selection.step)} as point, refused_by, sum(calls) as calls
    from ${tx.indexed("refused_calls", "refused_calls_pool")} where ${inRange(selection)} group by 1, 2, 3
  `.execute(tx.db);
  return rows;
}

/** The names of a pool's keys by id, of those that exist. */
export const readKeyNames = readOperation("readKeyNames", async (tx, poolId: string) => {
  const rows = await tx.db
    .selectFrom("pool_keys")
    .select(["id", "name"])
    .where("pool_id", "=", poolId)
    .execute();
  return rows.map(({ id, name }) => [id, name] as const);
});
