// The ownership of lanes. A process shows that it is alive by its heartbeat row; a lane's fence grows with each owner.

import { type RawBuilder, sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { recordGatewayEvent } from "#store/gateways/events.ts";
import type { LaneKind, LanesTable } from "#store/schema/schema.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { lanesWaiting } from "./due.ts";

export type LaneHead = Pick<LanesTable, "id" | "active" | "owner" | "fence" | "revision" | "wanted_by">;

/** A lane without an owner. */
export const newLane = (id: string, kind: LaneKind, active: 0 | 1 = 1): LanesTable => ({
  id,
  kind,
  active,
  owner: null,
  fence: 0,
  paused_until: null,
  pause_reason: null,
  pauses: 0,
  paused_since: null,
  failing_since: null,
  paused_ms: 0,
  day: null,
  day_count: 0,
  revision: 0,
  operator_paused_at: null,
  operator_paused_by: null,
  wanted_by: null,
  next_at: null,
});

/** Creates a lane that every installation has, if it does not exist yet. */
export const ensureLane = writeOperation("ensureLane", async (tx, lane: { id: string; kind: LaneKind }) => {
  await tx.db
    .insertInto("lanes")
    .values(newLane(lane.id, lane.kind))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
});

/** The `paused_until` of a pause that only a new connection of the gateway ends, epoch ms: later than any real time. */
export const untilConnected = 8_640_000_000_000_000;

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** Sums over one owner's active or inactive lanes; while the set of lanes is unchanged, they only grow. */
export interface LaneTotals {
  /** Null for lanes that no process owns. */
  owner: string | null;
  active: number;
  lanes: number;
  fences: number;
  revisions: number;
}

/**
 * Writes this process's heartbeat, and reads those of all processes and what each of them owns. The lanes themselves are read (`readLanes`)
 * only by a process whose sums changed: reading ten thousand rows per heartbeat was most of an idle process's work.
 */
export const heartbeat = writeOperation("heartbeat", async (tx, input: { processId: string; at: number }) => {
  await tx.db
    .insertInto("processes")
    .values({ id: input.processId, heartbeat: 1, started_at: input.at })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((eb) => ({ heartbeat: eb("processes.heartbeat", "+", 1) })),
    )
    .execute();
  const processes = await tx.db.selectFrom("processes").select(["id", "heartbeat"]).orderBy("id").execute();
  const { rows: holdings } = await sql<LaneTotals>`
    select owner, active, count(*) as lanes,
      cast(sum(fence) as bigint) as fences, cast(sum(revision) as bigint) as revisions
    from lanes group by owner, active
  `.execute(tx.db);
  return { processes, holdings };
});

/** Every lane, ordered by id. */
export const readLanes = readOperation("readLanes", async (tx, _: null): Promise<LaneHead[]> => {
  return await tx.db
    .selectFrom("lanes")
    .select(["id", "active", "owner", "fence", "revision", "wanted_by"])
    .orderBy("id")
    .execute();
});

/**
 * Claims lanes whose owner and fence are unchanged, and that no other process has requested meanwhile: its request would be lost, and with
 * it the lane of a device's socket. The new owner's fence is one higher. Returns the claimed lanes, ordered by id.
 */
export const claimLanes = writeOperation(
  "claimLanes",
  async (tx, input: { processId: string; lanes: SeenLane[] }) => {
    const claimed: LanesTable[] = [];
    await eachSet(tx, input.lanes, async (seen) => {
      const { rows } = await sql<LanesTable>`
        update lanes set owner = ${input.processId}, fence = lanes.fence + 1, wanted_by = null from ${seen}
        where lanes.id = seen.id and lanes.fence = seen.fence and coalesce(lanes.owner, '') = seen.owner
          and (lanes.wanted_by is null or lanes.wanted_by in (seen.wanted_by, ${input.processId}))
        returning ${columns}
      `.execute(tx.db);
      claimed.push(...rows);
    });
    return claimed.sort(byId);
  },
);

/**
 * Requests a lane that another process owns, or none: its owner releases it, and only the requesting process claims it as long as it is
 * alive. The last request wins.
 */
export const requestLane = writeOperation(
  "requestLane",
  async (tx, input: { id: string; processId: string }) => {
    await tx.db
      .updateTable("lanes")
      // The owner reads a lane again when its revision changes.
      .set((eb) => ({ wanted_by: input.processId, revision: eb("revision", "+", 1) }))
      .where("id", "=", input.id)
      .where((eb) => eb.or([eb("owner", "is", null), eb("owner", "!=", input.processId)]))
      .execute();
  },
);

/** Withdraws the request. */
export const withdrawRequest = writeOperation(
  "withdrawRequest",
  async (tx, input: { id: string; processId: string }) => {
    await tx.db
      .updateTable("lanes")
      .set({ wanted_by: null })
      .where("id", "=", input.id)
      .where("wanted_by", "=", input.processId)
      .execute();
  },
);

/** Releases lanes that are still owned under these fences. */
export const releaseLanes = writeOperation(
  "releaseLanes",
  async (tx, input: { processId: string; lanes: { id: string; fence: number }[] }) => {
    const held = input.lanes.map((lane) => ({ ...lane, owner: input.processId }));
    await eachSet(tx, held, async (seen) => {
      await sql`
        update lanes set owner = null from ${seen}
        where lanes.id = seen.id and lanes.fence = seen.fence and lanes.owner = seen.owner
      `.execute(tx.db);
    });
  },
);

const columns = sql.join(Object.keys(newLane("", "gateway")).map((column) => sql.ref(`lanes.${column}`)));

type SeenLane = Pick<LanesTable, "id" | "owner" | "fence"> & Partial<Pick<LanesTable, "wanted_by">>;

/**
 * Runs an update for lanes in the state that was read: a table `seen` with id, owner and wanted_by ("" for none), and fence. On PostgreSQL
 * for all at once, since each statement is a round trip, and locked in one order, so that two processes never deadlock. On SQLite one by
 * one: with statistics from when the table was small, it would scan all lanes for each of the list.
 */
async function eachSet(
  tx: Tx,
  lanes: readonly SeenLane[],
  update: (seen: RawBuilder<unknown>) => Promise<void>,
): Promise<void> {
  if (lanes.length === 0) return;
  const sorted = lanes.toSorted(byId).map(({ id, owner, fence, wanted_by }) => ({
    id,
    owner: owner ?? "",
    fence,
    wanted_by: wanted_by ?? "",
  }));
  if (tx.engine === "sqlite") {
    for (const { id, owner, fence, wanted_by } of sorted)
      await update(
        sql`(select ${id} as id, ${owner} as owner, ${fence} as fence, ${wanted_by} as wanted_by) as seen`,
      );
    return;
  }
  const columns = { id: "text", owner: "text", fence: "bigint", wanted_by: "text" } as const;
  await tx.db
    .selectFrom("lanes")
    .select("id")
    .where("id", "in", sql<string>`(select id from ${tx.rows("requested", { id: "text" }, sorted)})`)
    .orderBy("id")
    .modifyEnd(tx.lock("update"))
    .execute();
  await update(tx.rows("seen", columns, sorted));
}

/** Deletes processes: this one when it stops, and dead ones once their lanes are claimed. */
export const deleteProcesses = writeOperation("deleteProcesses", async (tx, ids: string[]) => {
  if (ids.length > 0) await tx.db.deleteFrom("processes").where("id", "in", ids).execute();
});

/** Locks a lane that is still owned under this fence, and reads since when it is paused; undefined if another process owns it. */
async function pausedSince(
  tx: Tx,
  lane: { id: string; fence: number },
): Promise<Pick<LanesTable, "paused_since" | "operator_paused_at" | "failing_since"> | undefined> {
  return await tx.db
    .selectFrom("lanes")
    .select(["paused_since", "operator_paused_at", "failing_since"])
    .where("id", "=", lane.id)
    .where("fence", "=", lane.fence)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
}

/**
 * Records a pause (a new one, or a longer one after a failed probe). `eventId` identifies its beginning, which is reported to webhook
 * endpoints; a longer pause is the same one. Returns false if this process has lost the lane.
 */
export const pauseLane = writeOperation("pauseLane", storePause);

export interface LanePause {
  id: string;
  fence: number;
  at: number;
  until: number;
  reason: string;
  pauses: number;
  eventId: string;
}

/** The same inside a transaction. */
export async function storePause(tx: Tx, input: LanePause): Promise<boolean> {
  const { id, fence, at, until, reason, pauses, eventId } = input;
  const before = await pausedSince(tx, { id, fence });
  if (!before) return false;
  await tx.db
    .updateTable("lanes")
    .set({
      paused_until: until,
      pause_reason: reason,
      pauses,
      paused_since: before.paused_since ?? at,
      // An operator's attempt in between that failed as well does not begin the failure anew.
      failing_since: (pauses > 1 ? before.failing_since : null) ?? before.paused_since ?? at,
    })
    .where("id", "=", id)
    .execute();
  tx.changes.add("pauses");
  tx.changes.topic(id, "gateways");
  // For the account, a gateway that an operator paused is already paused.
  if (before.paused_since === null && before.operator_paused_at === null) {
    const event = { id: eventIdOf(eventId, "paused"), type: "gateway.paused" as const };
    await recordGatewayEvent(tx, { ...event, gatewayId: id, at, reason });
  }
  return true;
}

/** Ends a pause, adds it to the lane's paused time, and records the event `eventId`. */
export const resumeLane = writeOperation("resumeLane", storeResume);

/** The same inside a transaction. */
export async function storeResume(
  tx: Tx,
  input: { id: string; fence: number; at: number; eventId: string },
): Promise<void> {
  const { id, fence, at, eventId } = input;
  const before = await pausedSince(tx, { id, fence });
  if (!before) return;
  await tx.db
    .updateTable("lanes")
    .set((eb) => ({
      paused_until: null,
      pause_reason: null,
      pauses: 0,
      paused_ms: eb("paused_ms", "+", before.paused_since === null ? 0 : at - before.paused_since),
      paused_since: null,
      failing_since: null,
    }))
    .where("id", "=", id)
    .execute();
  tx.changes.add("pauses");
  tx.changes.topic(id, "gateways");
  if (before.paused_since !== null && before.operator_paused_at === null) {
    const event = { id: eventIdOf(eventId, "resumed"), type: "gateway.resumed" as const };
    await recordGatewayEvent(tx, { ...event, gatewayId: id, at, reason: null });
  }
}

export interface WaitingCount {
  identifier: string;
  waiting: number;
  oldest: number | null;
  paused: number;
  /** 1 or 0; null if it holds no connection. */
  connected: number | null;
}

/** The due messages of each lane, for metrics. Counts at most 100,000 a lane and priority. */
export const countWaiting = readOperation(
  "countWaiting",
  async (tx, input: { priorities: readonly number[]; now: number }) => {
    const lanes = await tx.db
      .selectFrom("lanes")
      .innerJoin("gateways", "gateways.id", "lanes.id")
      .select(["lanes.id", "lanes.active", "lanes.paused_since", "gateways.identifier"])
      .execute();
    const sessions = await tx.db.selectFrom("gateway_sessions").select(["gateway_id", "status"]).execute();
    const statuses = new Map(sessions.map(({ gateway_id, status }) => [gateway_id, status]));
    const waiting = await lanesWaiting(tx, "messages");
    const counts: WaitingCount[] = [];
    for (const lane of lanes) {
      const status = lane.active === 1 ? statuses.get(lane.id) : undefined;
      const count: WaitingCount = {
        identifier: lane.identifier,
        waiting: 0,
        oldest: null,
        paused: lane.paused_since === null ? 0 : 1,
        connected: status === undefined ? null : status === "connected" ? 1 : 0,
      };
      for (const priority of waiting.has(lane.id) ? input.priorities : []) {
        const { rows } = await sql<{ waiting: number; oldest: number | null }>`
          select count(*) as waiting, min(due_at) as oldest from (
            select due_at from messages
            where gateway_id = ${lane.id} and priority = ${priority} and due_at <= ${input.now} limit 100000
          ) as due
        `.execute(tx.db);
        const { waiting, oldest } = rows[0]!;
        count.waiting += Number(waiting);
        if (oldest !== null && (count.oldest === null || oldest < count.oldest)) count.oldest = oldest;
      }
      counts.push(count);
    }
    return counts;
  },
);
