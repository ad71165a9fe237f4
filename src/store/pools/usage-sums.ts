// Sums over the calls of pool keys: for each local day by member and model, for each hour, also by member, model and status, and for each
// day by end user and by tag. Days are kept; hours and labels are removed with the calls.

import { type RawBuilder, sql } from "kysely";
import type { Tx } from "#store/database.ts";
import { addDuration, type Histogram, merge } from "#store/histogram.ts";
import type {
  CompletionsTable,
  SpendDaysTable,
  UsageDaysTable,
  UsageHoursTable,
  UsageSums,
} from "#store/schema/pools.ts";
import { isUnpriced } from "./unpriced.ts";

type Call = CompletionsTable & { day: string };

/** A client that disconnected is not an error. */
const isError = ({ status }: CompletionsTable) => status >= 400 && status !== 499;

const sumColumns = {
  requests: "bigint",
  errors: "bigint",
  failed_over: "bigint",
  prompt_tokens: "bigint",
  completion_tokens: "bigint",
  cost: "bigint",
  cost_rest: "bigint",
  unpriced: "bigint",
} as const satisfies Record<keyof UsageSums, "bigint">;
export const sumNames = Object.keys(sumColumns) as (keyof UsageSums)[];

export const noSums = (): UsageSums => ({
  requests: 0,
  errors: 0,
  failed_over: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cost: 0,
  cost_rest: 0,
  unpriced: 0,
});

function addCall(sums: UsageSums, call: Call): void {
  sums.requests += 1;
  sums.errors += isError(call) ? 1 : 0;
  sums.failed_over += call.failed_over;
  sums.prompt_tokens += call.prompt_tokens;
  sums.completion_tokens += call.completion_tokens;
  sums.cost += call.cost;
  sums.cost_rest += call.cost_rest;
  sums.unpriced += isUnpriced(call) ? 1 : 0;
}

/** Outcomes that are not the member's fault. */
const blameless: readonly string[] = ["ok", "aborted", "pretended_down"];

/** The members that were called and did not answer, except those whose caller disconnected. */
export function failedIn({ attempts }: CompletionsTable): string[] {
  const asked = JSON.parse(attempts) as { member: string; outcome: string }[];
  return asked.flatMap(({ member, outcome }) => (blameless.includes(outcome) ? [] : [member]));
}

/** Each call counts once, so that sums over members are those of the pool: under the last member that failed, if none answered. */
const countedUnder = (call: CompletionsTable): string => call.member ?? failedIn(call).at(-1) ?? "";

/** Calls that are equal in every column, with their sums. */
interface Group extends UsageSums, Pick<Call, "account_id" | "pool_id" | "key_id" | "day"> {
  hour: string;
  member: string;
  model: string;
  status: string;
  latencies: Histogram;
  first_bytes: Histogram;
}

/** Most calls of a write are alike, so there are few groups to process. */
function groupsOf(calls: readonly Call[]): Group[] {
  const groups = new Map<string, Group>();
  for (const call of calls) {
    const { account_id, pool_id, key_id, day, model, status, at } = call;
    const member = countedUnder(call);
    const hour = at - (at % hourMs);
    // Names of members and models may contain any character but this one.
    const name = `${key_id}\n${day}\n${hour}\n${status}\n${member}\n${model}`;
    let group = groups.get(name);
    if (group === undefined) {
      const about = { account_id, pool_id, key_id, day, hour: hourOf(at), member, model: model ?? "" };
      group = { ...about, status: String(status), ...noSums(), latencies: {}, first_bytes: {} };
      groups.set(name, group);
    }
    addCall(group, call);
    // The duration of a failure, or of a call that the client abandoned, says nothing about answers.
    if (status >= 400) continue;
    addDuration(group.latencies, call.ms);
    if (call.first_byte_ms !== null) addDuration(group.first_bytes, call.first_byte_ms);
  }
  return [...groups.values()];
}

/** Adds calls that were not counted yet. */
export async function addSums(tx: Tx, calls: readonly Call[]): Promise<void> {
  if (calls.length === 0) return;
  const groups = groupsOf(calls);
  const days = ({ key_id, day, member, model }: Group) => ({
    key_id,
    day,
    part: JSON.stringify([member, model]),
  });
  await addTimed(tx, "usage_days", timedSums(groups, days), { member: "text", model: "text" });
  const hours = ({ key_id, day, hour }: Group) => ({ key_id, day, hour });
  await addTimed(tx, "usage_hours", timedSums(groups, hours), {});
  const parts = ({ key_id, hour, day, member, model, status }: Group) => ({
    key_id,
    hour,
    part: JSON.stringify([day, member, model, Number(status)]),
  });
  const partColumns = { day: "text", member: "text", model: "text", status: "text" } as const;
  await addTimed(tx, "usage_parts", timedSums(groups, parts), partColumns);
  await addLabels(tx, labelSums(calls));
  await addSpend(tx, groups);
}

const hourMs = 3_600_000;
/** The start of the hour in UTC. */
export const hourOf = (at: number) => new Date(at - (at % hourMs)).toISOString();

type Key = Readonly<Record<string, string>>;

interface TimedSums extends Omit<Group, "hour" | "key_id"> {
  key: Key;
}

const nameOf = (key: Key) => JSON.stringify(Object.values(key));

/** In the order in which their rows are locked. */
function timedSums(groups: readonly Group[], keyOf: (group: Group) => Key): TimedSums[] {
  const sums = new Map<string, TimedSums>();
  for (const group of groups) {
    const key = keyOf(group);
    const name = nameOf(key);
    const sum = sums.get(name);
    if (sum === undefined) {
      const { hour: _, key_id: _key, latencies, first_bytes, ...rest } = group;
      sums.set(name, { ...rest, key, latencies: { ...latencies }, first_bytes: { ...first_bytes } });
      continue;
    }
    for (const column of sumNames) sum[column] += group[column];
    merge(sum.latencies, group.latencies);
    merge(sum.first_bytes, group.first_bytes);
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** `more`: further columns of a new row. */
async function addTimed(
  tx: Tx,
  table: "usage_days" | "usage_hours" | "usage_parts",
  sums: readonly TimedSums[],
  more: Readonly<Record<string, "text">>,
): Promise<void> {
  const names = Object.keys(sums[0]?.key ?? {});
  const keyColumns = Object.fromEntries(names.map((name) => [name, "text" as const]));
  const heads = { ...keyColumns, ...more, account_id: "text", pool_id: "text" } as const;
  const rows = sums.map(({ key, ...sum }) => ({ ...key, ...sum }));
  const refs = sql.join(names.map((name) => sql.ref(name)));
  await sql`
    insert into ${sql.table(table)} (${refsOf(Object.keys(heads))}, ${refsOf(sumNames)}, latencies, first_bytes)
    select ${refsOf(Object.keys(heads))}, ${sql.raw(sumNames.map(() => "0").join(", "))}, '{}', '{}'
    from ${tx.rows("sums", heads, rows)} where true order by ${refs}
    on conflict (${refs}) do nothing
  `.execute(tx.db);
  // The counts of durations are JSON, so they are added here while the rows are locked.
  const { rows: stored } = await sql<UsageDaysTable & UsageHoursTable>`
    select * from ${tx.indexed(table)}
    where (${refs}) in (select ${refs} from ${tx.rows("sums", keyColumns, rows)})
    order by ${refs} ${tx.lock("update")}
  `.execute(tx.db);
  const keyOf = (row: Key) => nameOf(Object.fromEntries(names.map((name) => [name, row[name] ?? ""])));
  const before = new Map(stored.map((row) => [keyOf(row as unknown as Key), row]));
  const after = sums.flatMap((sum) => {
    const row = before.get(nameOf(sum.key));
    if (row === undefined) return [];
    const added = Object.fromEntries(sumNames.map((column) => [column, row[column] + sum[column]]));
    return {
      ...sum.key,
      ...added,
      latencies: JSON.stringify(merged(row.latencies, sum.latencies)),
      first_bytes: JSON.stringify(merged(row.first_bytes, sum.first_bytes)),
    };
  });
  const values = { ...sumColumns, latencies: "text", first_bytes: "text" } as const;
  await tx.update(table, { ...keyColumns, ...values }, after, (of) => ({
    set: sql.join(Object.keys(values).map((column) => sql`${sql.ref(column)} = ${of(column)}`)),
    where: sql.join(
      names.map((name) => sql`${sql.ref(`${table}.${name}`)} = ${of(name)}`),
      sql` and `,
    ),
  }));
}

/** Names as a list of columns. */
export const refsOf = (names: readonly string[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql.ref(name)));

function merged(text: string, more: Histogram): Histogram {
  const histogram = JSON.parse(text) as Histogram;
  merge(histogram, more);
  return histogram;
}

interface LabelSums extends UsageSums {
  key_id: string;
  kind: "user" | "tag";
  day: string;
  label: string;
  account_id: string;
  pool_id: string;
}

/** Labels are the clients' texts: in one write, those beyond this many count together under the empty label. */
const maxLabels = 2_000;

/** In the order in which their rows are locked. */
function labelSums(calls: readonly Call[]): LabelSums[] {
  const sums = new Map<string, LabelSums>();
  const add = (call: Call, kind: "user" | "tag", label: string): void => {
    const { key_id, day, account_id, pool_id } = call;
    const name = JSON.stringify([key_id, kind, day, label]);
    const known = sums.get(name);
    if (known === undefined && label !== "" && sums.size >= maxLabels) {
      add(call, kind, "");
      return;
    }
    const sum = known ?? { key_id, kind, day, label, account_id, pool_id, ...noSums() };
    sums.set(name, sum);
    addCall(sum, call);
  };
  for (const call of calls) {
    if (call.end_user !== null) add(call, "user", call.end_user);
    if (call.tags !== "[]") for (const tag of JSON.parse(call.tags) as string[]) add(call, "tag", tag);
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** The maximum number of labels of one kind that a key has rows for in a day; calls with further ones count under the empty label. */
export const maxLabelsOfDay = 10_000;

const groupOf = ({ key_id, kind, day }: Pick<LabelSums, "key_id" | "kind" | "day">) =>
  JSON.stringify([key_id, kind, day]);
const labelOf = (sum: Pick<LabelSums, "key_id" | "kind" | "day" | "label">) =>
  JSON.stringify([sum.key_id, sum.kind, sum.day, sum.label]);

/** The sums, with new labels beyond a day's limit merged. Two concurrent processes may exceed the limit by one write each. */
async function withinDay(tx: Tx, sums: readonly LabelSums[]): Promise<readonly LabelSums[]> {
  const heads = { key_id: "text", kind: "text", day: "text" } as const;
  const names = refsOf(Object.keys({ ...heads, label: "text" }));
  const { rows: stored } = await sql<LabelSums>`
    select ${names} from ${tx.indexed("usage_labels")}
    where (${names}) in (select ${names} from ${tx.rows("sums", { ...heads, label: "text" }, sums)})
  `.execute(tx.db);
  const known = new Set(stored.map(labelOf));
  const fresh = sums.filter((sum) => sum.label !== "" && !known.has(labelOf(sum)));
  if (fresh.length === 0) return sums;
  const groups = refsOf(Object.keys(heads));
  const { rows: counts } = await sql<Pick<LabelSums, "key_id" | "kind" | "day"> & { labels: number }>`
    select ${groups}, count(*) as labels from ${tx.indexed("usage_labels")}
    where (${groups}) in (select ${groups} from ${tx.rows("fresh", heads, fresh)}) group by ${groups}
  `.execute(tx.db);
  const labels = new Map(counts.map((row) => [groupOf(row), Number(row.labels)]));
  const beyond = new Set<LabelSums>();
  for (const sum of fresh) {
    const count = labels.get(groupOf(sum)) ?? 0;
    if (count >= maxLabelsOfDay) beyond.add(sum);
    else labels.set(groupOf(sum), count + 1);
  }
  if (beyond.size === 0) return sums;
  const kept = new Map<string, LabelSums>();
  for (const sum of sums) {
    const put = beyond.has(sum) ? { ...sum, label: "" } : sum;
    const other = kept.get(labelOf(put));
    const added = other === undefined ? {} : addedSums(other, put);
    kept.set(labelOf(put), { ...put, ...added });
  }
  return [...kept.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

const addedSums = (one: UsageSums, other: UsageSums): Partial<UsageSums> =>
  Object.fromEntries(sumNames.map((column) => [column, one[column] + other[column]]));

async function addLabels(tx: Tx, all: readonly LabelSums[]): Promise<void> {
  if (all.length === 0) return;
  const sums = await withinDay(tx, all);
  const heads = { key_id: "text", kind: "text", day: "text", label: "text" } as const;
  const columns = { ...heads, account_id: "text", pool_id: "text", ...sumColumns } as const;
  const names = refsOf(Object.keys(columns));
  const added = sumNames.map(
    (column) =>
      sql`${sql.ref(column)} = ${sql.ref(`usage_labels.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
  );
  await sql`
    insert into usage_labels (${names}) select ${names} from ${tx.rows("sums", columns, sums)} where true
    order by key_id, kind, day, label
    on conflict (key_id, kind, day, label) do update set ${sql.join(added)}
  `.execute(tx.db);
}

/** Adds to the spend of pools and accounts, in the order in which their rows are locked. */
async function addSpend(tx: Tx, groups: readonly Group[]): Promise<void> {
  const spent = new Map<string, SpendDaysTable>();
  for (const { account_id, pool_id, day, prompt_tokens, completion_tokens, cost, cost_rest } of groups) {
    for (const owner_id of [account_id, pool_id]) {
      const name = `${owner_id} ${day}`;
      const sum = spent.get(name) ?? { owner_id, day, tokens: 0, cost: 0, cost_rest: 0 };
      spent.set(name, sum);
      sum.tokens += prompt_tokens + completion_tokens;
      sum.cost += cost;
      sum.cost_rest += cost_rest;
    }
  }
  const sums = [...spent.values()].filter(
    ({ tokens, cost, cost_rest }) => tokens > 0 || cost > 0 || cost_rest > 0,
  );
  if (sums.length === 0) return;
  const added = { tokens: "bigint", cost: "bigint", cost_rest: "bigint" } as const;
  const columns = { owner_id: "text", day: "text", ...added } as const;
  await sql`
    insert into spend_days (owner_id, day, tokens, cost, cost_rest)
    select owner_id, day, tokens, cost, cost_rest from ${tx.rows("sums", columns, sums)} where true order by owner_id, day
    on conflict (owner_id, day) do update
    set tokens = spend_days.tokens + excluded.tokens, cost = spend_days.cost + excluded.cost,
      cost_rest = spend_days.cost_rest + excluded.cost_rest
  `.execute(tx.db);
}
