// Sessions of gateways that hold a connection: how each is, and what it keeps between connections. Every write names the
// fence of the gateway's lane, so that a process that lost the lane changes nothing.

import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { GatewaySessionsTable } from "#store/schema/gateway-sessions.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { recordGatewayEvent } from "./events.ts";

/** What a stored value of a session is bound to. */
export const sessionValueContext = (gatewayId: string, key: string) => `gateway_values ${gatewayId} ${key}`;

/** What the sealed pairing of a session is bound to. */
export const pairingContext = (gatewayId: string) => `gateway_sessions ${gatewayId} pairing`;

/** Whether the lane is still held under this fence. The row stays locked until the transaction ends. */
async function holdsLane(tx: Tx, id: string, fence: number): Promise<boolean> {
  const lane = await tx.db
    .selectFrom("lanes")
    .select("id")
    .where("id", "=", id)
    .where("fence", "=", fence)
    .modifyEnd(tx.lock("share"))
    .executeTakeFirst();
  return lane !== undefined;
}

/** What a gateway's session keeps, sealed, by key. */
export const readSessionValues = readOperation("readSessionValues", async (tx, gatewayId: string) => {
  return await tx.db
    .selectFrom("gateway_values")
    .select(["key", "value"])
    .where("gateway_id", "=", gatewayId)
    .orderBy("key")
    .execute();
});

/** Stores sealed values, and removes those that are null; all or none. False: the fence is another owner's. */
export const saveSessionValues = writeOperation(
  "saveSessionValues",
  async (
    tx,
    input: { gatewayId: string; fence: number; changes: { key: string; value: string | null }[] },
  ): Promise<boolean> => {
    const { gatewayId, fence, changes } = input;
    if (!(await holdsLane(tx, gatewayId, fence))) return false;
    const removed = changes.filter(({ value }) => value === null).map(({ key }) => key);
    const stored = changes.filter(({ value }) => value !== null);
    if (removed.length > 0) {
      await tx.db
        .deleteFrom("gateway_values")
        .where("gateway_id", "=", gatewayId)
        .where("key", "in", tx.list(removed))
        .execute();
    }
    // A device's first pairing stores some 800 keys; PostgreSQL takes 65,535 parameters, SQLite 32,766.
    for (let at = 0; at < stored.length; at += valuesAtOnce) {
      await tx.db
        .insertInto("gateway_values")
        .values(
          stored
            .slice(at, at + valuesAtOnce)
            .map(({ key, value }) => ({ gateway_id: gatewayId, key, value: value ?? "" })),
        )
        .onConflict((conflict) =>
          conflict.columns(["gateway_id", "key"]).doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
        )
        .execute();
    }
    return true;
  },
);

const valuesAtOnce = 500;

/** How a gateway's session is; null: it never had one. */
export const readSession = readOperation(
  "readSession",
  async (tx, gatewayId: string): Promise<GatewaySessionsTable | null> => {
    const row = await tx.db
      .selectFrom("gateway_sessions")
      .selectAll()
      .where("gateway_id", "=", gatewayId)
      .executeTakeFirst();
    return row ?? null;
  },
);

/**
 * Records how a gateway's session is. Where a device is `linked`, the first connection of a link is the event
 * `gateway.linked`, its end `gateway.unlinked`, each under `eventId`. False: the fence is another owner's.
 */
export const recordSession = writeOperation(
  "recordSession",
  async (
    tx,
    input: {
      fence: number;
      linked: boolean;
      eventId: string;
      session: Omit<GatewaySessionsTable, "linked_at">;
    },
  ): Promise<boolean> => {
    const { fence, linked, eventId, session } = input;
    const { gateway_id: gatewayId, status, reason, changed_at: at } = session;
    if (!(await holdsLane(tx, gatewayId, fence))) return false;
    const before = await tx.db
      .selectFrom("gateway_sessions")
      .select(["linked_at", "status", "changed_at"])
      .where("gateway_id", "=", gatewayId)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    const linkedBefore = before?.linked_at ?? null;
    const linkedAt =
      !linked || status === "logged_out"
        ? null
        : status === "connected"
          ? (linkedBefore ?? at)
          : linkedBefore;
    // A new code to link by, or another reason, is no new state.
    const changedAt = before?.status === status ? before.changed_at : at;
    const row = { ...session, linked_at: linkedAt, changed_at: changedAt };
    await tx.db
      .insertInto("gateway_sessions")
      .values(row)
      .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet(row))
      .execute();
    if (linkedBefore === null && linkedAt !== null)
      await recordGatewayEvent(tx, {
        id: eventIdOf(eventId, "linked"),
        type: "gateway.linked",
        gatewayId,
        at,
        reason: null,
      });
    if (linkedBefore !== null && linkedAt === null)
      await recordGatewayEvent(tx, {
        id: eventIdOf(eventId, "unlinked"),
        type: "gateway.unlinked",
        gatewayId,
        at,
        reason,
      });
    return true;
  },
);
