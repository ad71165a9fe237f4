// What pool keys used: one row a call, and the sums of each local day with how long calls took. Written behind the
// answers, many calls at once; a call that is written twice counts once.

import { sql } from "kysely";
import { batchedOperation, readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { CompletionsTable, UsageDaysTable } from "#store/schema/pools.ts";
import { addDuration, type Histogram, merge } from "./histogram.ts";

/** A call that has ended. */
export interface UsedCall extends CompletionsTable {
  /** The account's local day of `at`, such as `2026-11-21`. */
  day: string;
}

/** A caller who disconnected is no error. */
const isError = ({ status }: CompletionsTable) => status >= 400 && status !== 499;

const columns = {
  id: "text",
  account_id: "text",
  pool_id: "text",
  key_id: "text",
  at: "bigint",
  kind: "text",
  stream: "bigint",
  status: "bigint",
  member: "text",
  model: "text",
  attempts: "text",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  estimated: "bigint",
  cost: "bigint",
  first_byte_ms: "bigint",
  ms: "bigint",
} as const satisfies Record<keyof CompletionsTable, "text" | "bigint">;

interface DayKey {
  key_id: string;
  day: string;
  member: string;
}

interface DaySums extends DayKey {
  account_id: string;
  pool_id: string;
  requests: number;
  errors: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost: number;
  latencies: Histogram;
  first_bytes: Histogram;
}

const nameOf = ({ key_id, day, member }: DayKey) => JSON.stringify([key_id, day, member]);

/** A batch is one input: a promise and an answer for each call cost the event loop more than the call's row. */
export const recordUsage = batchedOperation("recordUsage", async (tx, batches: readonly UsedCall[][]) => {
  const calls = [...new Map(batches.flat().map((call) => [call.id, call])).values()];
  const fresh = await insertCalls(tx, calls);
  const days = sumsOf(calls.filter(({ id }) => fresh.has(id)));
  if (days.length > 0) await addToDays(tx, days);
  return batches.map(() => null);
});

/** The ids of those that were not there yet. */
async function insertCalls(tx: Tx, calls: readonly UsedCall[]): Promise<ReadonlySet<string>> {
  const whole = calls.map((call) => ({
    ...call,
    ms: Math.round(call.ms),
    first_byte_ms: call.first_byte_ms === null ? null : Math.round(call.first_byte_ms),
  }));
  const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
  const { rows } = await sql<{ id: string }>`
    insert into completions (${names}) select ${names} from ${tx.rows("calls", columns, whole)} where true
    on conflict (id) do nothing returning id
  `.execute(tx.db);
  return new Set(rows.map(({ id }) => id));
}

/** In the order in which their rows are locked. */
function sumsOf(calls: readonly UsedCall[]): DaySums[] {
  const sums = new Map<string, DaySums>();
  for (const call of calls) {
    const { account_id, pool_id, key_id, day } = call;
    const key = { key_id, day, member: call.member ?? "" };
    const nothing = { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0, cost: 0 };
    const sum = sums.get(nameOf(key)) ?? {
      ...key,
      account_id,
      pool_id,
      ...nothing,
      latencies: {},
      first_bytes: {},
    };
    sums.set(nameOf(key), sum);
    sum.requests += 1;
    sum.errors += isError(call) ? 1 : 0;
    sum.prompt_tokens += call.prompt_tokens;
    sum.completion_tokens += call.completion_tokens;
    sum.cost += call.cost;
    // The duration of a failure, or of a call that the caller abandoned, says nothing about answers.
    if (call.status >= 400) continue;
    addDuration(sum.latencies, call.ms);
    if (call.first_byte_ms !== null) addDuration(sum.first_bytes, call.first_byte_ms);
  }
  return [...sums.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

async function addToDays(tx: Tx, days: readonly DaySums[]): Promise<void> {
  const keyColumns = { key_id: "text", day: "text", member: "text" } as const;
  const heads = { ...keyColumns, account_id: "text", pool_id: "text" } as const;
  await sql`
    insert into usage_days (key_id, day, member, account_id, pool_id,
      requests, errors, prompt_tokens, completion_tokens, cost, latencies, first_bytes)
    select key_id, day, member, account_id, pool_id, 0, 0, 0, 0, 0, '{}', '{}'
    from ${tx.rows("days", heads, days)} where true order by key_id, day, member
    on conflict (key_id, day, member) do nothing
  `.execute(tx.db);
  // The counts of durations are JSON, so they are added here, and the rows locked meanwhile.
  const { rows } = await sql<UsageDaysTable>`
    select * from ${tx.indexed("usage_days")}
    where (key_id, day, member) in (select key_id, day, member from ${tx.rows("days", keyColumns, days)})
    order by key_id, day, member ${tx.lock("update")}
  `.execute(tx.db);
  const before = new Map(rows.map((row) => [nameOf(row), row]));
  const after = days.map((sum) => {
    const row = before.get(nameOf(sum))!;
    return {
      key_id: sum.key_id,
      day: sum.day,
      member: sum.member,
      requests: row.requests + sum.requests,
      errors: row.errors + sum.errors,
      prompt_tokens: row.prompt_tokens + sum.prompt_tokens,
      completion_tokens: row.completion_tokens + sum.completion_tokens,
      cost: row.cost + sum.cost,
      latencies: JSON.stringify(merged(row.latencies, sum.latencies)),
      first_bytes: JSON.stringify(merged(row.first_bytes, sum.first_bytes)),
    };
  });
  const sums = {
    requests: "bigint",
    errors: "bigint",
    prompt_tokens: "bigint",
    completion_tokens: "bigint",
    cost: "bigint",
    latencies: "text",
    first_bytes: "text",
  } as const;
  await tx.update("usage_days", { ...keyColumns, ...sums }, after, (of) => ({
    set: sql.join(Object.keys(sums).map((column) => sql`${sql.ref(column)} = ${of(column)}`)),
    where: sql`usage_days.key_id = ${of("key_id")} and usage_days.day = ${of("day")} and usage_days.member = ${of("member")}`,
  }));
}

function merged(text: string, more: Histogram): Histogram {
  const histogram = JSON.parse(text) as Histogram;
  merge(histogram, more);
  return histogram;
}

/** What a budget is measured by. `day`: a local day; `month`: as `2026-11`. Costs in millionths. */
export const readSpend = readOperation(
  "readSpend",
  async (tx, input: { keyId: string; day: string; month: string }) => {
    const { keyId, day, month } = input;
    const { rows } = await sql<{ today: number | null; month: number | null; cost: number | null }>`
      select sum(case when day = ${day} then prompt_tokens + completion_tokens else 0 end) as today,
        sum(prompt_tokens + completion_tokens) as month, sum(cost) as cost
      from usage_days where key_id = ${keyId} and day >= ${`${month}-01`} and day <= ${`${month}-31`}
    `.execute(tx.db);
    const sums = rows[0]!;
    return {
      tokensToday: Number(sums.today ?? 0),
      tokensThisMonth: Number(sums.month ?? 0),
      costThisMonth: Number(sums.cost ?? 0),
    };
  },
);

export type UsageBy = "key" | "member" | "day";

/** The sums of a group: of a key (by its id), of a member (by its name; empty: no member answered), or of a day. */
export interface UsageGroup
  extends Pick<DaySums, "requests" | "errors" | "prompt_tokens" | "completion_tokens" | "cost"> {
  group: string;
  /** Of a key, as long as it is there. */
  name: string | null;
  latencies: Histogram;
  firstBytes: Histogram;
}

/** What a pool's keys used on the days from `from` to `to`, both included, by what is asked for. */
export const readUsage = readOperation(
  "readUsage",
  async (
    tx,
    input: { accountId: string; poolId: string; from: string; to: string; by: UsageBy },
  ): Promise<UsageGroup[]> => {
    const { accountId, poolId, from, to, by } = input;
    const rows = await tx.db
      .selectFrom(tx.indexed("usage_days", "usage_days_pool"))
      .selectAll()
      .where("pool_id", "=", poolId)
      .where("account_id", "=", accountId)
      .where("day", ">=", from)
      .where("day", "<=", to)
      .execute();
    const keys =
      by === "key"
        ? await tx.db.selectFrom("pool_keys").select(["id", "name"]).where("pool_id", "=", poolId).execute()
        : [];
    const names = new Map(keys.map(({ id, name }) => [id, name]));
    const groups = new Map<string, UsageGroup>();
    for (const row of rows) {
      const group = by === "key" ? row.key_id : by === "member" ? row.member : row.day;
      const sum = groups.get(group) ?? emptyGroup(group, names.get(group) ?? null);
      groups.set(group, sum);
      for (const column of ["requests", "errors", "prompt_tokens", "completion_tokens", "cost"] as const)
        sum[column] += row[column];
      merge(sum.latencies, JSON.parse(row.latencies) as Histogram);
      merge(sum.firstBytes, JSON.parse(row.first_bytes) as Histogram);
    }
    return [...groups.values()].sort((a, b) => (a.group < b.group ? -1 : 1));
  },
);

function emptyGroup(group: string, name: string | null): UsageGroup {
  const nothing = { requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0, cost: 0 };
  return { group, name, ...nothing, latencies: {}, firstBytes: {} };
}

export interface ListCallsInput {
  accountId: string;
  poolId: string;
  keyId: string | null;
  /** From the first status to before the second; null: any. */
  status: readonly [number, number] | null;
  /** Calls before this id; null: from the newest on. */
  before: string | null;
  limit: number;
  /** Most rows to look at where not every one fits: a rare status among millions takes several looks. */
  maxScanned: number;
}

/** Calls of a pool, newest first. `lookedTo`: the look ended there without finding enough; null: there is no more. */
export const listCalls = readOperation(
  "listCalls",
  async (tx, input: ListCallsInput): Promise<{ rows: CompletionsTable[]; lookedTo: string | null }> => {
    const { accountId, poolId, keyId, status, before, limit, maxScanned: most } = input;
    let query = tx.db.selectFrom("completions").selectAll();
    query = keyId === null ? query.where("pool_id", "=", poolId) : query.where("key_id", "=", keyId);
    if (before !== null) query = query.where("id", "<", before);
    const look = status === null ? limit : most;
    const walked = await query.orderBy("id", "desc").limit(look).execute();
    const found = walked.filter(
      (row) =>
        row.account_id === accountId &&
        row.pool_id === poolId &&
        (status === null || (row.status >= status[0] && row.status < status[1])),
    );
    const rows = found.slice(0, limit);
    const more = walked.length === look && found.length < limit;
    return { rows, lookedTo: more ? (walked.at(-1)?.id ?? null) : null };
  },
);

/** Removes calls before an id, oldest first, at most `limit`; how many they were. The sums of their days stay. */
export const deleteCalls = writeOperation(
  "deleteCalls",
  async (tx, input: { before: string; limit: number }) => {
    const old = await tx.db
      .selectFrom("completions")
      .select("id")
      .where("id", "<", input.before)
      .orderBy("id")
      .limit(input.limit)
      .execute();
    const ids = tx.list(old.map(({ id }) => id));
    await tx.db.deleteFrom(tx.indexed("completions")).where("id", "in", ids).execute();
    return old.length;
  },
);
