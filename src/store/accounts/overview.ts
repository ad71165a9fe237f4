// The data of an account's overview, besides its gateways: counts up to a bound, and whether things exist. Each count reads one range of an
// index, so its cost does not depend on the number of messages.

import { sql } from "kysely";
import { type Channel, channels, failures, type Status } from "#contract/messages/channel.ts";
import { readOperation, type Tx } from "#store/database.ts";

export interface OverviewInput {
  accountId: string;
  /** Failures are counted of messages that were accepted at this time or later, epoch ms, and have at least this id. */
  failedFrom: { at: number; id: string };
  /** Epoch ms: a waiting message that was due before this is part of a backlog. */
  lateBefore: number;
  priorities: readonly number[];
  /** Counting stops here. */
  countTo: number;
  /** Rows to read for a count of real messages at most: those of sandboxes are among them. */
  lookTo: number;
}

/** `more`: whether counting stopped there. */
interface BoundedCount {
  n: number;
  more: boolean;
}

export interface OverviewCounts {
  unknown: BoundedCount;
  failed: BoundedCount;
  /** Whether the account has an active gateway other than a sandbox; messages of sandboxes are not in `unknown` and `failed` then. */
  isReal: boolean;
  held: number;
  /** By gateway id: messages that should have been sent; gateways without any are left out. */
  late: { gatewayId: string; count: number; oldestDueAt: number }[];
  /** Whether at least one exists. */
  exists: { message: boolean; delivered: boolean; completion: boolean };
}

/** Rows to read in the index of held messages: those of other accounts are among them. */
const heldLook = 10_000;

/** How many messages have one of the statuses. `isReal`: without those of sandboxes, the newest of each status first. */
async function countStatus(
  tx: Tx,
  { accountId, countTo, lookTo }: OverviewInput,
  {
    statuses,
    from,
    isReal,
  }: { statuses: readonly Status[]; from: OverviewInput["failedFrom"]; isReal: boolean },
): Promise<BoundedCount> {
  const look = isReal ? lookTo : countTo;
  let looked = 0;
  let n = 0;
  for (const channel of channels) {
    for (const status of statuses) {
      const { rows } = await sql<{ looked: number; n: number | null }>`
        select count(*) as looked, sum(1 - test) as n from (
          select ${isReal ? sql`test` : sql`0 as test`} from ${tx.indexed("messages", "messages_status")}
          where account_id = ${accountId} and channel = ${channel} and status = ${status}
            and id >= ${from.id} and created_at >= ${from.at}
          order by id desc limit ${look - looked}
        ) as found
      `.execute(tx.db);
      looked += Number(rows[0]?.looked ?? 0);
      n += Number(rows[0]?.n ?? 0);
      if (n >= countTo || looked >= look) return { n: Math.min(n, countTo), more: true };
    }
  }
  return { n, more: false };
}

async function existsWith(tx: Tx, accountId: string, requested: readonly (readonly [Channel, Status])[]) {
  for (const [channel, status] of requested) {
    const row = await tx.db
      .selectFrom(tx.indexed("messages", "messages_status"))
      .select("id")
      .where("account_id", "=", accountId)
      .where("channel", "=", channel)
      .where("status", "=", status)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (row) return true;
  }
  return false;
}

const everyChannel = (statuses: readonly Status[]) =>
  channels.flatMap((channel) => statuses.map((status) => [channel, status] as const));

async function lateOn(tx: Tx, gatewayId: string, { lateBefore, priorities, countTo }: OverviewInput) {
  let count = 0;
  let oldestDueAt = lateBefore;
  for (const priority of priorities) {
    const rows = await tx.db
      .selectFrom(tx.indexed("messages", "messages_due"))
      .select("due_at")
      .where("gateway_id", "=", gatewayId)
      .where("priority", "=", priority)
      .where("due_at", "<", lateBefore)
      .orderBy("due_at")
      .limit(countTo - count)
      .execute();
    count += rows.length;
    oldestDueAt = Math.min(oldestDueAt, rows[0]?.due_at ?? oldestDueAt);
    if (count >= countTo) break;
  }
  return { gatewayId, count, oldestDueAt };
}

export const readOverview = readOperation(
  "readOverview",
  async (tx, input: OverviewInput): Promise<OverviewCounts> => {
    const { accountId, countTo } = input;
    const delivered = await existsWith(tx, accountId, everyChannel(["delivered", "read"]));
    const message =
      delivered ||
      (await existsWith(
        tx,
        accountId,
        everyChannel(["sent", "queued", "scheduled", "sending", "failed", "undelivered", "unknown"]),
      ));
    const { rows: held } = await sql<{ count: number }>`
      select count(*) as count from (
        select account_id from ${tx.indexed("messages", "messages_held")} where held_due_at is not null and id >= 'msg_'
        order by id limit ${heldLook}
      ) as found where account_id = ${accountId}
    `.execute(tx.db);
    const gateways = await tx.db
      .selectFrom(tx.indexed("gateways", "gateways_account"))
      .select(["id", "test", "active"])
      .where("account_id", "=", accountId)
      .execute();
    const isReal = gateways.some(({ test, active }) => test === 0 && active === 1);
    const late: OverviewCounts["late"] = [];
    for (const { id } of gateways) {
      const found = await lateOn(tx, id, input);
      if (found.count > 0) late.push(found);
    }
    const pools = await tx.db.selectFrom("pools").select("id").where("account_id", "=", accountId).execute();
    let completion = false;
    for (const { id } of pools) {
      if (completion) break;
      const call = await tx.db
        .selectFrom(tx.indexed("completions", "completions_recent"))
        .select("id")
        .where("pool_id", "=", id)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      completion = call !== undefined;
    }
    return {
      unknown: await countStatus(tx, input, { statuses: ["unknown"], from: { at: 0, id: "msg_" }, isReal }),
      failed: await countStatus(tx, input, { statuses: failures, from: input.failedFrom, isReal }),
      isReal,
      held: Math.min(Number(held[0]?.count ?? 0), countTo),
      late,
      exists: { message, delivered, completion },
    };
  },
);
