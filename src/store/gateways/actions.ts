// The state of gateways, and an operator's actions on them: pause and resume. Each operation is scoped to the account; another account's
// gateway is not found.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { readSlowdown, type Slowdown } from "#store/phones/slowdown.ts";
import type { GatewayAccountUpdatesTable, UnknownWordsTable } from "#store/schema/feedback.ts";
import type { GatewaySessionsTable } from "#store/schema/gateway-sessions.ts";
import type { GatewaysTable, LanesTable } from "#store/schema/schema.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { type Deferring, readDeferring } from "./deferring.ts";
import { countLeft } from "./delete.ts";
import { recordGatewayEvent } from "./events.ts";

const laneColumns = [
  "paused_until",
  "pause_reason",
  "paused_since",
  "operator_paused_at",
  "operator_paused_by",
  "failing_since",
  "paused_ms",
  "pauses",
  "day",
  "day_count",
] as const;

/** Messages that wait on a gateway. Both are counted up to `countTo`. */
export interface GatewayQueue {
  due: number;
  /** Since when the first of them is due, epoch ms. */
  oldestDueAt: number | null;
  later: number;
  /** When the first of them becomes due, epoch ms. */
  nextDueAt: number | null;
}

export interface GatewayWithLane {
  gateway: GatewaysTable;
  lane: Pick<LanesTable, (typeof laneColumns)[number]>;
  /** As the owner of its lane last recorded it; null if it never had a connection. */
  session: Pick<GatewaySessionsTable, "status" | "reason" | "linked_at" | "changed_at"> | null;
  /** The last status of its provider that its adapter does not know; null if there was none. */
  unknownWord: Pick<UnknownWordsTable, "word" | "at"> | null;
  /** The last account update of its provider; null if there was none. */
  accountUpdate: Omit<GatewayAccountUpdatesTable, "gateway_id"> | null;
  queue: GatewayQueue;
  /** Set if all that it attempts is deferred. */
  deferring: Deferring | null;
  /** When its provider last reported, epoch ms, to within half a minute. */
  reportedAt: number | null;
  /** For a phone: how its rate was halved; null if it never was. */
  slowdown: Slowdown | null;
  /** For a gateway that drains: how many messages are being sent, counted up to `countTo`. */
  sending: number;
}

/** The account's gateways, oldest first; `identifier`: only that one. */
export const readGateways = readOperation(
  "readGateways",
  async (
    tx,
    input: {
      accountId: string;
      identifier: string | null;
      priorities: readonly number[];
      now: number;
      countTo: number;
    },
  ): Promise<GatewayWithLane[]> => {
    let query = tx.db.selectFrom("gateways").selectAll().where("account_id", "=", input.accountId);
    if (input.identifier !== null) query = query.where("identifier", "=", input.identifier);
    const gateways = await query.orderBy("created_at").orderBy("id").execute();
    const found: GatewayWithLane[] = [];
    for (const gateway of gateways) {
      const lane = await tx.db
        .selectFrom("lanes")
        .select(laneColumns)
        .where("id", "=", gateway.id)
        .executeTakeFirstOrThrow();
      const session = await tx.db
        .selectFrom("gateway_sessions")
        .select(["status", "reason", "linked_at", "changed_at"])
        .where("gateway_id", "=", gateway.id)
        .executeTakeFirst();
      const unknownWord = await tx.db
        .selectFrom("unknown_words")
        .select(["word", "at"])
        .where("gateway_id", "=", gateway.id)
        .executeTakeFirst();
      const accountUpdate = await tx.db
        .selectFrom("gateway_account_updates")
        .select(["facts", "notice", "noticed_at", "changed_at"])
        .where("gateway_id", "=", gateway.id)
        .executeTakeFirst();
      const report = await tx.db
        .selectFrom("gateway_reports")
        .select("at")
        .where("gateway_id", "=", gateway.id)
        .executeTakeFirst();
      found.push({
        gateway,
        lane,
        session: session ?? null,
        unknownWord: unknownWord ?? null,
        accountUpdate: accountUpdate ?? null,
        queue: await readQueue(tx, gateway.id, input),
        deferring: await readDeferring(tx, gateway, lane, input),
        reportedAt: report?.at ?? null,
        slowdown: await readSlowdown(tx, gateway.id),
        sending: gateway.draining_at === null ? 0 : (await countLeft(tx, gateway, input)).sending,
      });
    }
    return found;
  },
);

/** In one statement: each priority has one range of the due index for due messages, and one for the others. */
async function readQueue(
  tx: Tx,
  gatewayId: string,
  { priorities, now, countTo }: { priorities: readonly number[]; now: number; countTo: number },
): Promise<GatewayQueue> {
  if (priorities.length === 0) return { due: 0, oldestDueAt: null, later: 0, nextDueAt: null };
  const ranges = priorities.flatMap((priority) => [
    { priority, isDue: 1, when: sql`due_at <= ${now}` },
    { priority, isDue: 0, when: sql`due_at > ${now}` },
  ]);
  const counts = ranges.map(
    ({ priority, isDue, when }, at) => sql`
      select ${sql.lit(isDue)} as is_due, count(*) as count, min(due_at) as first from (
        select due_at from messages where gateway_id = ${gatewayId} and priority = ${priority} and ${when}
        order by due_at limit ${countTo}
      ) as ${sql.ref(`range_${at}`)}`,
  );
  const { rows } = await sql<{ is_due: number; count: number; first: number | null }>`
    ${sql.join(counts, sql` union all `)}`.execute(tx.db);
  const partOf = (isDue: number) => {
    const found = rows.filter((row) => row.is_due === isDue && row.first !== null);
    const count = found.reduce((sum, row) => sum + Number(row.count), 0);
    const first = found.length === 0 ? null : Math.min(...found.map((row) => Number(row.first)));
    return { count: Math.min(countTo, count), first };
  };
  const [due, later] = [partOf(1), partOf(0)];
  return { due: due.count, oldestDueAt: due.first, later: later.count, nextDueAt: later.first };
}

/** Locks the lane of an account's gateway. */
async function lockLane(tx: Tx, accountId: string, identifier: string): Promise<LanesTable | undefined> {
  return await tx.db
    .selectFrom("lanes")
    .selectAll()
    .where("id", "=", (eb) =>
      eb
        .selectFrom("gateways")
        .select("id")
        .where("account_id", "=", accountId)
        .where("identifier", "=", identifier),
    )
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
}

/**
 * Pauses a gateway until it is resumed; false if the account has no gateway of this name. Idempotent. `by`: the caller, for people; null if
 * it is not known.
 */
export const pauseByOperator = writeOperation(
  "pauseByOperator",
  async (
    tx,
    input: { accountId: string; identifier: string; at: number; reason: string; by: string | null },
  ) => {
    const lane = await lockLane(tx, input.accountId, input.identifier);
    if (!lane) return false;
    if (lane.operator_paused_at !== null) return true;
    const revision = lane.revision + 1;
    await tx.db
      .updateTable("lanes")
      .set({ operator_paused_at: input.at, operator_paused_by: input.by, revision })
      .where("id", "=", lane.id)
      .execute();
    tx.changes.add("lanes", "pauses");
    tx.changes.topic(input.accountId, "gateways");
    if (lane.paused_since === null) {
      const event = { id: eventIdOf(lane.id, `stopped_${revision}`), type: "gateway.paused" as const };
      await recordGatewayEvent(tx, { ...event, gatewayId: lane.id, at: input.at, reason: input.reason });
    }
    return true;
  },
);

/**
 * Ends every pause of a gateway, whether an operator or the breaker caused it; it sends at once. The retry windows of waiting messages did
 * not advance meanwhile. If it fails at once, its failure has lasted since before: `pauses` and `failing_since` stay until a success. False
 * if the account has no gateway of this name.
 */
export const resumeByOperator = writeOperation(
  "resumeByOperator",
  async (tx, input: { accountId: string; identifier: string; at: number }) => {
    const lane = await lockLane(tx, input.accountId, input.identifier);
    if (!lane) return false;
    const since = Math.min(lane.operator_paused_at ?? input.at, lane.paused_since ?? input.at);
    if (lane.operator_paused_at === null && lane.paused_since === null) return true;
    const revision = lane.revision + 1;
    await tx.db
      .updateTable("lanes")
      .set({
        operator_paused_at: null,
        operator_paused_by: null,
        paused_until: null,
        pause_reason: null,
        paused_since: null,
        paused_ms: lane.paused_ms + Math.max(0, input.at - since),
        revision,
      })
      .where("id", "=", lane.id)
      .execute();
    tx.changes.add("lanes", "pauses");
    tx.changes.topic(input.accountId, "gateways");
    const event = { id: eventIdOf(lane.id, `continued_${revision}`), type: "gateway.resumed" as const };
    await recordGatewayEvent(tx, { ...event, gatewayId: lane.id, at: input.at, reason: null });
    return true;
  },
);
