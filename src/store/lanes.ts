// Who owns which lane. A process shows that it lives by one beat row; a lane's fence goes up with each owner.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "./database.ts";
import { announceGateway } from "./gateway-events.ts";
import { eventIdOf } from "./outbox.ts";
import type { LaneKind, LanesTable } from "./schema.ts";

export type LaneHead = Pick<LanesTable, "id" | "active" | "owner" | "fence" | "revision">;

/** A lane that nobody drives yet. */
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
  paused_ms: 0,
  day: null,
  day_count: 0,
  revision: 0,
  stopped_at: null,
});

/** Makes a lane that every installation has, if it is not there yet. */
export const ensureLane = writeOperation("ensureLane", async (tx, lane: { id: string; kind: LaneKind }) => {
  await tx.db
    .insertInto("lanes")
    .values(newLane(lane.id, lane.kind))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
});

/** One order for everybody, so that two processes never wait for each other's lanes in a circle. */
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** Beats, and reads everybody's beat and every lane's owner. */
export const beat = writeOperation("beat", async (tx, input: { processId: string; at: number }) => {
  await tx.db
    .insertInto("processes")
    .values({ id: input.processId, beat: 1, started_at: input.at })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((eb) => ({ beat: eb("processes.beat", "+", 1) })),
    )
    .execute();
  const processes = await tx.db.selectFrom("processes").select(["id", "beat"]).orderBy("id").execute();
  const lanes: LaneHead[] = await tx.db
    .selectFrom("lanes")
    .select(["id", "active", "owner", "fence", "revision"])
    .orderBy("id")
    .execute();
  return { processes, lanes };
});

/** Takes lanes whose owner and fence are still as seen; the new owner's fence is one higher. Returns those taken. */
export const claimLanes = writeOperation(
  "claimLanes",
  async (tx, input: { processId: string; lanes: Pick<LanesTable, "id" | "owner" | "fence">[] }) => {
    const taken: LanesTable[] = [];
    for (const lane of input.lanes.toSorted(byId)) {
      const row = await tx.db
        .updateTable("lanes")
        .set({ owner: input.processId, fence: lane.fence + 1 })
        .where("id", "=", lane.id)
        .where("fence", "=", lane.fence)
        .where((eb) => (lane.owner === null ? eb("owner", "is", null) : eb("owner", "=", lane.owner)))
        .returningAll()
        .executeTakeFirst();
      if (row) taken.push(row);
    }
    return taken;
  },
);

/** Gives lanes up, as far as they are still held under these fences. */
export const releaseLanes = writeOperation(
  "releaseLanes",
  async (tx, input: { processId: string; lanes: { id: string; fence: number }[] }) => {
    for (const lane of input.lanes.toSorted(byId)) {
      await tx.db
        .updateTable("lanes")
        .set({ owner: null })
        .where("id", "=", lane.id)
        .where("fence", "=", lane.fence)
        .where("owner", "=", input.processId)
        .execute();
    }
  },
);

/** Forgets processes: oneself when stopping, and dead ones once their lanes are taken. */
export const forgetProcesses = writeOperation("forgetProcesses", async (tx, ids: string[]) => {
  if (ids.length > 0) await tx.db.deleteFrom("processes").where("id", "in", ids).execute();
});

/** Locks a lane that is still held under this fence, and reads since when it has been paused; undefined: it is somebody else's. */
async function pausedSince(
  tx: Tx,
  lane: { id: string; fence: number },
): Promise<Pick<LanesTable, "paused_since" | "stopped_at"> | undefined> {
  return await tx.db
    .selectFrom("lanes")
    .select(["paused_since", "stopped_at"])
    .where("id", "=", lane.id)
    .where("fence", "=", lane.fence)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
}

/**
 * Records a pause (a new one, or a longer one after a failed probe). `eventId` names its beginning, which is told
 * to webhook endpoints; a longer pause is the same one. Returns false when the fence is not ours any more.
 */
export const pauseLane = writeOperation(
  "pauseLane",
  async (
    tx,
    input: {
      id: string;
      fence: number;
      at: number;
      until: number;
      reason: string;
      pauses: number;
      eventId: string;
    },
  ) => {
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
      })
      .where("id", "=", id)
      .execute();
    // To those outside, a gateway that was stopped by hand is paused already.
    if (before.paused_since === null && before.stopped_at === null) {
      const event = { id: eventIdOf(eventId, "paused"), type: "gateway.paused" as const };
      await announceGateway(tx, { ...event, gatewayId: id, at, reason });
    }
    return true;
  },
);

/** Ends a pause, adds it to the lane's paused time, and tells of it under `eventId`. */
export const resumeLane = writeOperation(
  "resumeLane",
  async (tx, input: { id: string; fence: number; at: number; eventId: string }) => {
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
      }))
      .where("id", "=", id)
      .execute();
    if (before.paused_since !== null && before.stopped_at === null) {
      const event = { id: eventIdOf(eventId, "resumed"), type: "gateway.resumed" as const };
      await announceGateway(tx, { ...event, gatewayId: id, at, reason: null });
    }
  },
);

export interface WaitingCount {
  identifier: string;
  waiting: number;
  oldest: number | null;
  paused: number;
}

/** What waits and is due on each lane, for metrics. Counts at most 100,000 a lane and band. */
export const countWaiting = readOperation(
  "countWaiting",
  async (tx, input: { bands: readonly number[]; now: number }) => {
    const lanes = await tx.db
      .selectFrom("lanes")
      .innerJoin("gateways", "gateways.id", "lanes.id")
      .select(["lanes.id", "lanes.paused_since", "gateways.identifier"])
      .execute();
    const counts: WaitingCount[] = [];
    for (const lane of lanes) {
      const count: WaitingCount = {
        identifier: lane.identifier,
        waiting: 0,
        oldest: null,
        paused: lane.paused_since === null ? 0 : 1,
      };
      for (const band of input.bands) {
        const { rows } = await sql<{ waiting: number; oldest: number | null }>`
          select count(*) as waiting, min(due_at) as oldest from (
            select due_at from messages
            where gateway_id = ${lane.id} and band = ${band} and due_at <= ${input.now} limit 100000
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
