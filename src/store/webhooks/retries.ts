// The deliveries of an endpoint that wait for their next attempt, and making them due now.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { selectNextDue } from "#store/lanes/due.ts";
import type { DeliveryAttempt } from "./deliveries.ts";
import { announceDue, owns } from "./delivery-log.ts";
import { lockEndpoint } from "./endpoints.ts";

interface Waiting {
  accountId: string;
  endpointId: string;
  priorities: readonly number[];
  /** Epoch ms. A delivery that is due by then is about to be posted, and does not count as waiting. */
  now: number;
}

export interface Retries {
  count: number;
  /** Whether more wait than were counted. */
  more: boolean;
  /** The earliest next attempt, epoch ms; null if none waits. */
  nextAt: number | null;
  /** The latest attempt that the newest deliveries, and those that wait, know of; null before the first. */
  lastTry: DeliveryAttempt | null;
}

/** Deliveries that a count reads, per priority, and logs that are read for the latest attempt. */
const maxCounted = 10_000;
const logsRead = 20;

/** What waits for an endpoint's next attempts, and how the latest one ended; null if the account has no such endpoint. */
export const readRetries = readOperation(
  "readRetries",
  async (tx, { accountId, endpointId, priorities, now }: Waiting): Promise<Retries | null> => {
    if (!(await owns(tx, accountId, endpointId))) return null;
    const logs = await newestLogs(tx, endpointId);
    let count = 0;
    let more = false;
    for (const priority of priorities) {
      const waiting = await sql<{ found: number }>`
        select count(*) as found from (${later(tx, sql`event_id`, { endpointId, priority, now, limit: maxCounted + 1 })}) as waiting
      `.execute(tx.db);
      const found = Number(waiting.rows[0]?.found ?? 0);
      count += Math.min(found, maxCounted);
      more ||= found > maxCounted;
      const next = later(tx, sql`log`, { endpointId, priority, now, limit: logsRead });
      if (found > 0) logs.push(...(await sql<{ log: string }>`${next}`.execute(tx.db)).rows);
    }
    const lastTry = logs
      .flatMap(({ log }) => (JSON.parse(log) as DeliveryAttempt[]).slice(-1))
      .reduce<DeliveryAttempt | null>(
        (latest, line) => (latest && latest.at >= line.at ? latest : line),
        null,
      );
    const nextAt = await selectNextDue(tx, "webhook_deliveries", { laneId: endpointId, priorities, now });
    return { count, more, nextAt, lastTry };
  },
);

const newestLogs = (tx: Tx, endpointId: string): Promise<{ log: string }[]> =>
  tx.db
    .selectFrom(tx.indexed("webhook_deliveries", "webhook_deliveries_recent"))
    .select("log")
    .where("endpoint_id", "=", endpointId)
    .orderBy("created_at", "desc")
    .orderBy("event_id", "desc")
    .limit(logsRead)
    .execute();

/** Those of one priority that are not due yet, the earliest first: one range of the index. */
const later = (
  tx: Tx,
  column: ReturnType<typeof sql>,
  { endpointId, priority, now, limit }: { endpointId: string; priority: number; now: number; limit: number },
) => sql`
  select ${column} from ${tx.indexed("webhook_deliveries", "webhook_deliveries_due")}
  where endpoint_id = ${endpointId} and priority = ${priority} and due_at > ${now} order by due_at, event_id limit ${limit}
`;

/**
 * Makes at most `limit` deliveries that wait for their next attempt due at `now`, those with the earliest attempt first. They keep their
 * attempts: this is the next one, earlier. `more`: some still wait.
 */
export const retryNow = writeOperation(
  "retryNow",
  async (
    tx,
    input: Waiting & { limit: number },
  ): Promise<
    { kind: "retried"; count: number; more: boolean } | { kind: "inactive" } | { kind: "not_found" }
  > => {
    const { accountId, endpointId, priorities, now, limit } = input;
    const endpoint = await lockEndpoint(tx, endpointId);
    if (!endpoint || endpoint.account_id !== accountId) return { kind: "not_found" };
    if (endpoint.active === 0) return { kind: "inactive" };
    const eventIds: string[] = [];
    for (const priority of priorities) {
      // One more than is changed shows whether any remain.
      const room = limit + 1 - eventIds.length;
      if (room === 0) break;
      const query = later(tx, sql`event_id`, { endpointId, priority, now, limit: room });
      const { rows } = await sql<{ event_id: string }>`${query}`.execute(tx.db);
      eventIds.push(...rows.map(({ event_id }) => event_id));
    }
    if (eventIds.length === 0) return { kind: "retried", count: 0, more: false };
    const { numUpdatedRows } = await tx.db
      .updateTable(tx.indexed("webhook_deliveries"))
      .set({ due_at: now, updated_at: now })
      .where("endpoint_id", "=", endpointId)
      // One that was settled since it was read keeps what its attempt decided.
      .where("due_at", ">", now)
      .where("event_id", "in", tx.list(eventIds.slice(0, limit)))
      .executeTakeFirst();
    announceDue(tx, endpointId);
    return { kind: "retried", count: Number(numUpdatedRows), more: eventIds.length > limit };
  },
);
