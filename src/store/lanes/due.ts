// The messages that wait on a lane, and on all lanes at once, so that many idle lanes cost one query instead of one each. Both indexes hold
// only waiting rows, in the order of lane, priority and due time: the queries over all lanes skip from one lane that has such a row to the
// next, and never read lanes without one, or more than one row of a lane and priority.

import { type RawBuilder, sql } from "kysely";
import { readOperation, type Tx } from "#store/database.ts";

/** The earliest waiting row of a lane, epoch ms. */
export interface DueLane {
  id: string;
  dueAt: number;
}

/** The tables that lanes read from, the columns that name the lane and the row, and the partial index over waiting rows. */
const sources = [
  { table: "messages", lane: "gateway_id", id: "id", index: "messages_due" },
  { table: "webhook_deliveries", lane: "endpoint_id", id: "event_id", index: "webhook_deliveries_due" },
  { table: "deferred_completions", lane: "pool_id", id: "id", index: "deferred_completions_due" },
] as const;

type Source = (typeof sources)[number];

const sourceOf = (table: Source["table"]): Source => sources.find((candidate) => candidate.table === table)!;

/** A range of a lane's rows of one priority: due at `now`, in order of (due_at, id), after a position. */
export interface DueQuery {
  laneId: string;
  priority: number;
  /** Epoch ms. */
  now: number;
  after: { dueAt: number; id: string } | null;
  limit: number;
}

/** These columns of the rows in the range. */
export async function selectDue<Row>(
  tx: Tx,
  table: Source["table"],
  columns: RawBuilder<unknown>,
  { laneId, priority, now, after, limit }: DueQuery,
): Promise<Row[]> {
  const { lane, id } = sourceOf(table);
  const place = sql`due_at, ${sql.ref(id)}`;
  // Both planners turn a row value into one range of the index.
  const behind = after === null ? sql`` : sql`and (${place}) > (${after.dueAt}, ${after.id})`;
  const { rows } = await sql<Row>`
    select ${columns} from ${sql.table(table)}
    where ${sql.ref(lane)} = ${laneId} and priority = ${priority} and due_at <= ${now} ${behind}
    order by ${place} limit ${limit}
  `.execute(tx.db);
  return rows;
}

/** When a lane's next row that is not due at `now` becomes due, epoch ms; null if there is none. */
export async function selectNextDue(
  tx: Tx,
  table: Source["table"],
  { laneId, priorities, now }: { laneId: string; priorities: readonly number[]; now: number },
): Promise<number | null> {
  const lane = sql.ref(sourceOf(table).lane);
  // One range of the index per priority, of which one row is read.
  const earliest = priorities.map(
    (priority) => sql`(
      select due_at from ${sql.table(table)} where ${lane} = ${laneId} and priority = ${priority} and due_at > ${now}
      order by due_at limit 1
    ) as ${sql.ref(`priority_${priority}`)}`,
  );
  const { rows } = await sql<Record<string, number | null>>`select ${sql.join(earliest)}`.execute(tx.db);
  const dueTimes = Object.values(rows[0] ?? {}).filter((at) => at !== null);
  return dueTimes.length === 0 ? null : Math.min(...dueTimes);
}

/** The lanes on which something is due at `until` (epoch ms) or before, each with its earliest due time. */
export const readDueLanes = readOperation(
  "readDueLanes",
  async (tx, input: { priorities: readonly number[]; until: number }): Promise<DueLane[]> => {
    const found: DueLane[] = [];
    for (const { table } of sources) found.push(...(await selectDueLanes(tx, table, input)));
    return found;
  },
);

/** The lanes that have waiting rows, due or not, by the table of those rows. */
export async function lanesWaiting(tx: Tx, table: Source["table"]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    ${stepping(tx, sourceOf(table))} select id from waiting where id is not null
  `.execute(tx.db);
  return new Set(rows.map(({ id }) => id));
}

/** A table `waiting (id)`: one step through the index for each lane that has a row in it, and a final null. */
function stepping(tx: Tx, source: Source): RawBuilder<unknown> {
  const lane = sql.ref(source.lane);
  const from = tx.indexed(source.table, source.index);
  const order = sql`order by ${lane}, priority, due_at limit 1`;
  return sql`
    with recursive waiting (id) as (
      select (select ${lane} from ${from} where due_at is not null ${order})
      union all
      select (select ${lane} from ${from} where due_at is not null and ${lane} > waiting.id ${order})
      from waiting where waiting.id is not null
    )
  `;
}

/** The lanes on which rows of this table are due at `until` (epoch ms) or before, each with its earliest due time. */
export async function selectDueLanes(
  tx: Tx,
  table: Source["table"],
  { priorities, until }: { priorities: readonly number[]; until: number },
): Promise<DueLane[]> {
  const source = sourceOf(table);
  const lane = sql.ref(source.lane);
  const from = tx.indexed(source.table, source.index);
  const earliest = priorities.map(
    (priority) => sql`(
      select due_at from ${from} where ${lane} = waiting.id and priority = ${priority} and due_at is not null
      order by due_at limit 1
    ) as ${sql.ref(`priority_${priority}`)}`,
  );
  const isDue = priorities.map((priority) => sql`${sql.ref(`priority_${priority}`)} <= ${until}`);
  const { rows } = await sql<{ id: string } & Record<string, number | null>>`
    ${stepping(tx, source)}
    select * from (select id, ${sql.join(earliest)} from waiting where id is not null) as lanes
    where ${sql.join(isDue, sql` or `)}
  `.execute(tx.db);
  return rows.map(({ id, ...dueTimes }) => ({
    id: String(id),
    dueAt: Math.min(...Object.values(dueTimes).flatMap((at) => (at === null ? [] : [Number(at)]))),
  }));
}

/**
 * Which of these lanes have messages that an earlier owner left `sending`. Read after the lanes were claimed: attempts of an earlier owner
 * are refused from then on, so there can be no more of them.
 */
export const findLanesToRecover = readOperation(
  "findLanesToRecover",
  async (tx, laneIds: readonly string[]): Promise<string[]> => {
    if (laneIds.length === 0) return [];
    const laneRows = tx.rows(
      "lane_ids",
      { id: "text" },
      laneIds.map((id) => ({ id })),
    );
    // By account, channel and status, as in `recoverMessages`: each account's few are read once for all its lanes. A subquery for each
    // account: in a join, PostgreSQL would walk the whole index by status.
    const ids = sql.raw(
      tx.engine === "sqlite" ? "group_concat(distinct gateway_id)" : "string_agg(distinct gateway_id, ',')",
    );
    const { rows } = await sql<{ lanes: string | null }>`
    select (
      select ${ids} from ${tx.indexed("messages", "messages_status")}
      where account_id = accounts.account_id and channel = accounts.channel and status = 'sending'
    ) as lanes
    from (
      select distinct gateways.account_id, gateways.channel from ${laneRows}
      cross join gateways where gateways.id = lane_ids.id
    ) as accounts
  `.execute(tx.db);
    const found = new Set(rows.flatMap(({ lanes }) => lanes?.split(",") ?? []));
    return laneIds.filter((id) => found.has(id));
  },
);
