// Usage of an account's pools, summed over some days and grouped as requested.

import { sql } from "kysely";
import { readOperation, type Tx } from "#store/database.ts";
import { type Histogram, merge } from "#store/histogram.ts";
import type { UsageSums } from "#store/schema/pools.ts";
import { noSums, sumNames } from "./usage-sums.ts";

export type UsageBy = "pool" | "key" | "member" | "model" | "user" | "tag" | "day" | "hour";

/**
 * The sums of a group: a pool or key (its id), a member (its name; empty if none was called), a model (empty if none answered), an end user
 * or tag (empty if there are too many), a local day, or an hour (its start in UTC).
 */
export interface UsageGroup extends UsageSums {
  group: string;
  /** For a pool or key, as long as it exists. */
  name: string | null;
  /** Empty for end users and tags. */
  latencies: Histogram;
  firstBytes: Histogram;
  /** For a day that is split: its member, or empty if none was called. */
  member: string | null;
}

export interface UsageInput {
  accountId: string;
  /** Null for all pools of the account. */
  poolId: string | null;
  /** Local days, both included. */
  from: string;
  to: string;
  by: UsageBy;
  /** Splits each day by member; for days only. */
  split?: boolean;
}

/** End users and tags are the clients' texts: at most this many are returned, those with the most calls. */
const maxLabels = 1_000;

/** In the order of the groups; end users and tags by number of calls, descending. */
export const readUsage = readOperation("readUsage", async (tx, input: UsageInput): Promise<UsageGroup[]> => {
  const { by, split = false } = input;
  if (by === "user" || by === "tag") return await labelGroups(tx, input, by);
  const rows = by === "hour" ? await hourRows(tx, input) : await dayRows(tx, input);
  const names = await namesOf(tx, input);
  const groups = new Map<string, UsageGroup>();
  for (const row of rows) {
    const { group } = row;
    const member = split && by === "day" ? row.member : null;
    const key = member === null ? group : JSON.stringify([group, member]);
    const sum = groups.get(key) ?? emptyGroup(group, names.get(group) ?? null, member);
    groups.set(key, sum);
    for (const column of sumNames) sum[column] += row[column];
    merge(sum.latencies, JSON.parse(row.latencies) as Histogram);
    merge(sum.firstBytes, JSON.parse(row.first_bytes) as Histogram);
  }
  const order = ({ group, member }: UsageGroup) => `${group} ${member ?? ""}`;
  return [...groups.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
});

interface Row extends UsageSums {
  group: string;
  member: string;
  latencies: string;
  first_bytes: string;
}

/** The columns by which days are grouped. */
const dayColumns = {
  pool: "pool_id",
  key: "key_id",
  member: "member",
  model: "model",
  day: "day",
} as const;

const timed = [...sumNames, "latencies", "first_bytes"] as const;

async function dayRows(tx: Tx, { accountId, poolId, from, to, by }: UsageInput): Promise<Row[]> {
  const column = by in dayColumns ? dayColumns[by as keyof typeof dayColumns] : "day";
  const index = poolId === null ? "usage_days_account" : "usage_days_pool";
  let query = tx.db
    .selectFrom(tx.indexed("usage_days", index))
    .select([...timed, "member", `${column} as group`])
    .where("account_id", "=", accountId)
    .where("day", ">=", from)
    .where("day", "<=", to);
  if (poolId !== null) query = query.where("pool_id", "=", poolId);
  return await query.execute();
}

async function hourRows(tx: Tx, { accountId, poolId, from, to }: UsageInput): Promise<Row[]> {
  let query = tx.db
    .selectFrom(tx.indexed("usage_hours", "usage_hours_account"))
    .select([...timed, "hour as group"])
    .where("account_id", "=", accountId)
    .where("day", ">=", from)
    .where("day", "<=", to);
  if (poolId !== null) query = query.where("pool_id", "=", poolId);
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, member: "" }));
}

async function labelGroups(
  tx: Tx,
  { accountId, poolId, from, to }: UsageInput,
  kind: "user" | "tag",
): Promise<UsageGroup[]> {
  const sums = sql.join(sumNames.map((column) => sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`));
  const ofPool = poolId === null ? sql`` : sql`and pool_id = ${poolId}`;
  const { rows } = await sql<UsageSums & { label: string }>`
    select label, ${sums} from ${tx.indexed("usage_labels", "usage_labels_account")}
    where account_id = ${accountId} and kind = ${kind} and day >= ${from} and day <= ${to} ${ofPool}
    group by label order by sum(requests) desc, label limit ${sql.lit(maxLabels)}
  `.execute(tx.db);
  return rows.map((row) => {
    const group = emptyGroup(row.label, null);
    for (const column of sumNames) group[column] = Number(row[column]);
    return group;
  });
}

/** The names of the pools, or of the keys of the pool or of all pools. */
async function namesOf(tx: Tx, { accountId, poolId, by }: UsageInput): Promise<Map<string, string>> {
  if (by !== "pool" && by !== "key") return new Map();
  const rows =
    by === "pool"
      ? await tx.db.selectFrom("pools").select(["id", "name"]).where("account_id", "=", accountId).execute()
      : await keysOf(tx, accountId, poolId);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function keysOf(tx: Tx, accountId: string, poolId: string | null) {
  const pools =
    poolId === null
      ? await tx.db.selectFrom("pools").select("id").where("account_id", "=", accountId).execute()
      : [{ id: poolId }];
  const ids = tx.list(pools.map(({ id }) => id));
  return await tx.db.selectFrom("pool_keys").select(["id", "name"]).where("pool_id", "in", ids).execute();
}

function emptyGroup(group: string, name: string | null, member: string | null = null): UsageGroup {
  return { group, name, member, ...noSums(), latencies: {}, firstBytes: {} };
}
