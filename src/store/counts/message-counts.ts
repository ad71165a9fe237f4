// Counts of messages by gateway: per minute (kept for two days), per hour (92 days) and per local day of the account (kept forever). Those
// of webhook endpoints are hours that are kept for two days.

import { sql } from "kysely";
import type { Channel } from "#contract/messages/channel.ts";
import { startOfDay } from "#runtime/time-zones.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { type Histogram, merge } from "#store/histogram.ts";
import type { MessageCountsTable } from "#store/schema/history.ts";
import { countNames, type MinuteCounts } from "./buffer.ts";

export type CountStep = MessageCountsTable["step"];

const steps = ["minute", "hour", "day"] as const satisfies readonly CountStep[];
const stepsOf = ({ channel }: MinuteCounts) => (channel === "webhook" ? (["endpoint_hour"] as const) : steps);
const hourMs = 3_600_000;

/** How long counts are kept, ms. Those of days are kept forever. */
export const countsTtlMs = {
  minute: 48 * hourMs,
  hour: 92 * 24 * hourMs,
  endpoint_hour: 48 * hourMs,
} as const;

/** The start of the step that contains a minute, epoch ms. */
function beginningOf(step: CountStep, minute: number, timeZone: string): number {
  if (step === "minute") return minute;
  return step === "day" ? startOfDay(minute, timeZone) : minute - (minute % hourMs);
}

type Sum = MinuteCounts & { step: CountStep };

const keyColumns = { account_id: "text", step: "text", at: "bigint", gateway_id: "text" } as const;
const countColumns = Object.fromEntries(countNames.map((name) => [name, "bigint" as const]));
const keyOf = ({ gateway_id, step, at }: Pick<Sum, "gateway_id" | "step" | "at">) =>
  `${gateway_id} ${step} ${at}`;

/** Stores the counts that wait. Returns the messages that ended meanwhile, for the log. */
export const storeMessageCounts = writeOperation("storeMessageCounts", async (tx, _: null) => {
  const minutes = tx.counts.take();
  const ended = tx.counts.takeEnded();
  if (minutes.length === 0) return ended;
  const accounts = await tx.db
    .selectFrom("accounts")
    .select(["id", "time_zone"])
    .where("id", "in", tx.list([...new Set(minutes.map(({ account_id }) => account_id))]))
    .execute();
  const zones = new Map(accounts.map(({ id, time_zone }) => [id, time_zone]));
  const sums = new Map<string, Sum>();
  for (const minute of minutes) {
    for (const step of stepsOf(minute)) {
      const at = beginningOf(step, minute.at, zones.get(minute.account_id) ?? "UTC");
      const sum: Sum = { ...minute, step, at };
      const known = sums.get(keyOf(sum));
      if (known === undefined)
        sums.set(keyOf(sum), { ...sum, waits: { ...minute.waits }, deliveries: { ...minute.deliveries } });
      else addTo(known, sum);
    }
  }
  await addSums(tx, [...sums.values()]);
  return ended;
});

function addTo(sum: Sum, more: MinuteCounts): void {
  for (const name of countNames) sum[name] += more[name];
  merge(sum.waits, more.waits);
  merge(sum.deliveries, more.deliveries);
}

const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

async function addSums(tx: Tx, sums: readonly Sum[]): Promise<void> {
  const keys = refs(Object.keys(keyColumns));
  // Rows first, so that those of all processes can be locked in one order while the durations are added here.
  await sql`
    insert into message_counts (${keys}, channel, ${refs(countNames)}, waits, deliveries)
    select ${keys}, channel, ${sql.join(countNames.map(() => sql.lit(0)))}, '{}', '{}'
    from ${tx.rows("sums", { ...keyColumns, channel: "text" }, sums)} where true order by ${keys}
    on conflict (${keys}) do nothing
  `.execute(tx.db);
  const { rows } = await sql<MessageCountsTable>`
    select * from ${tx.indexed("message_counts")}
    where (${keys}) in (select ${keys} from ${tx.rows("sums", keyColumns, sums)})
    order by ${keys} ${tx.lock("update")}
  `.execute(tx.db);
  const stored = new Map(rows.map((row) => [keyOf(row), row]));
  const after = sums.flatMap((sum) => {
    const row = stored.get(keyOf(sum));
    if (row === undefined) return [];
    return {
      ...sum,
      ...Object.fromEntries(countNames.map((name) => [name, row[name] + sum[name]])),
      waits: mergedText(row.waits, sum.waits),
      deliveries: mergedText(row.deliveries, sum.deliveries),
    };
  });
  const values = { ...countColumns, waits: "text", deliveries: "text" } as const;
  await tx.update("message_counts", { ...keyColumns, ...values }, after, (of) => ({
    set: sql.join(Object.keys(values).map((column) => sql`${sql.ref(column)} = ${of(column)}`)),
    where: sql.join(
      Object.keys(keyColumns).map((name) => sql`${sql.ref(`message_counts.${name}`)} = ${of(name)}`),
      sql` and `,
    ),
  }));
}

function mergedText(text: string, more: Histogram): string {
  const histogram = JSON.parse(text) as Histogram;
  merge(histogram, more);
  return JSON.stringify(histogram);
}

/** What counts have to match; null for any. */
export interface CountsFilter {
  accountId: string;
  step: CountStep;
  /** From the first instant (epoch ms) to before the second. */
  from: number;
  before: number;
  gatewayId: string | null;
  channel: Channel | null;
}

/** A gateway's counts of a minute or an hour. */
export type StoredCounts = Omit<MinuteCounts, "account_id">;

/** The counts of a range, oldest first. Steps without events are absent. */
export const readMessageCounts = readOperation(
  "readMessageCounts",
  async (tx, input: CountsFilter): Promise<StoredCounts[]> => {
    let query = tx.db
      .selectFrom(tx.indexed("message_counts"))
      .selectAll()
      .where("account_id", "=", input.accountId)
      .where("step", "=", input.step)
      .where("at", ">=", input.from)
      .where("at", "<", input.before);
    if (input.gatewayId !== null) query = query.where("gateway_id", "=", input.gatewayId);
    if (input.channel !== null) query = query.where("channel", "=", input.channel);
    const rows = await query.orderBy("at").orderBy("gateway_id").execute();
    return rows.map(({ account_id: _account, step: _step, waits, deliveries, ...counts }) => ({
      ...counts,
      waits: JSON.parse(waits) as Histogram,
      deliveries: JSON.parse(deliveries) as Histogram,
    }));
  },
);

/** Removes the counts of a step before a time (epoch ms), at most `limit` rows; returns how many. */
export const deleteMessageCounts = writeOperation(
  "deleteMessageCounts",
  async (tx, { step, before, limit }: { step: CountStep; before: number; limit: number }) => {
    const old = await tx.db
      .selectFrom(tx.indexed("message_counts", "message_counts_step"))
      .select(["account_id", "step", "at", "gateway_id"])
      .where("step", "=", step)
      .where("at", "<", before)
      .orderBy("at")
      .limit(limit)
      .execute();
    if (old.length === 0) return 0;
    const keys = refs(Object.keys(keyColumns));
    await sql`
      delete from ${tx.indexed("message_counts")}
      where (${keys}) in (select ${keys} from ${tx.rows("old", keyColumns, old)})
    `.execute(tx.db);
    return old.length;
  },
);
