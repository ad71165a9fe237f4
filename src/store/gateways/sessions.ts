// Sessions of gateways that hold a connection: their state, and what they keep between connections. Every write names the fence of the
// gateway's lane, so that a process that lost the lane changes nothing.

import { sql } from "kysely";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import type { GatewaySessionsTable } from "#store/schema/gateway-sessions.ts";
import { eventIdOf } from "#store/webhooks/outbox.ts";
import { type GatewayEventDetails, recordGatewayEvent } from "./events.ts";

/** The context in which a stored value of a session is sealed. */
export const sessionValueContext = (gatewayId: string, key: string) => `gateway_values ${gatewayId} ${key}`;

/** The context in which the pairing of a session is sealed. */
export const pairingContext = (gatewayId: string) => `gateway_sessions ${gatewayId} pairing`;

/** Whether this fence is still current. The row stays locked until the transaction ends. */
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

/** The values that a gateway's session keeps, sealed, by key. */
export const readSessionValues = readOperation("readSessionValues", async (tx, gatewayId: string) => {
  return await tx.db
    .selectFrom("gateway_values")
    .select(["key", "value"])
    .where("gateway_id", "=", gatewayId)
    .orderBy("key")
    .execute();
});

/** Stores sealed values, and removes those that are null, all or nothing. False if another owner has the lane. */
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

/** The state of a gateway's session; null if it never had one. */
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
 * Records the state of a gateway's session. For a linked device, the first connection of a link is the event `gateway.linked`, its end
 * `gateway.unlinked`, each with the id `eventId`. False if another owner has the lane.
 */
export const recordSession = writeOperation(
  "recordSession",
  async (
    tx,
    input: {
      fence: number;
      linked: boolean;
      eventId: string;
      session: Omit<GatewaySessionsTable, "linked_at" | "request">;
    },
  ): Promise<boolean> => {
    const { fence, linked, eventId, session } = input;
    const { gateway_id: gatewayId, status, reason, changed_at: at } = session;
    if (!(await holdsLane(tx, gatewayId, fence))) return false;
    const before = await tx.db
      .selectFrom("gateway_sessions")
      .select(["linked_at", "status", "changed_at", "details"])
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
    const link = linkOf(session.details);
    const linkBefore = linkOf(before?.details ?? null);
    // A new linking code, or another reason, is not a new state.
    const changedAt = before?.status === status && linkBefore?.state === link?.state ? before.changed_at : at;
    const row = { ...session, linked_at: linkedAt, changed_at: changedAt };
    await tx.db
      .insertInto("gateway_sessions")
      .values({ ...row, request: null })
      .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet(row))
      .execute();
    tx.changes.topic(gatewayId, "links");
    const event = async (
      name: "linked" | "unlinked" | "limited" | "outdated",
      eventReason: string | null,
      more: GatewayEventDetails = {},
    ) =>
      await recordGatewayEvent(tx, {
        id: eventIdOf(eventId, name),
        type: `gateway.${name}`,
        gatewayId,
        at,
        reason: eventReason,
        more,
      });
    if (linkedBefore === null && linkedAt !== null) {
      const { number = null, name = null } = link?.device ?? {};
      await event("linked", null, link?.device == null ? {} : { number, name });
    }
    if (linkedBefore !== null && linkedAt === null) await event("unlinked", link?.word ?? reason);
    if (link === null || link.state === linkBefore?.state) return true;
    if (link.state === "limited") await event("limited", reason, { until: link.limitedUntil });
    if (link.state === "outdated") await event("outdated", reason);
    return true;
  },
);

/** The stored details of a link that its events show. */
interface StoredLink {
  state: string;
  word?: string;
  device: { number: string; name: string | null } | null;
  limitedUntil: number | null;
}

const linkOf = (details: string | null): StoredLink | null => (details === null ? null : JSON.parse(details));

/** The key of the advisory lock for link requests, which no other lock uses. */
const linkLock = 7_261_936_002;

/** For gateways that link a device: their kinds, and how many may be linked or about to be linked. */
export interface LinkLimits {
  kinds: readonly string[];
  inAll: number;
  ofAccount: number;
}

/**
 * Stores a person's request for a gateway's link, and reopens its lane, so that its owner takes the request. A later request replaces one
 * that was not taken. `switched_off`: the account has no active gateway of this name. With `limits`, which count the account's and all
 * other gateways: `account_full`, `all_full`.
 */
export const requestLink = writeOperation(
  "requestLink",
  async (
    tx,
    input: { accountId: string; identifier: string; at: number; request: string; limits: LinkLimits | null },
  ): Promise<"asked" | "switched_off" | "account_full" | "all_full"> => {
    // Each of several concurrent requests counts the ones before it. SQLite has one writer anyway.
    if (tx.engine === "postgres") {
      // Advisory locks belong to the whole database; this one is specific to the schema of the installation.
      const ours = sql`hashtextextended(current_schema(), ${linkLock}::bigint)`;
      await sql`select pg_advisory_xact_lock(${ours})`.execute(tx.db);
    }
    const gateway = await tx.db
      .selectFrom("gateways")
      .select("id")
      .where("account_id", "=", input.accountId)
      .where("identifier", "=", input.identifier)
      .where("active", "=", 1)
      .modifyEnd(tx.lock("update"))
      .executeTakeFirst();
    if (gateway === undefined) return "switched_off";
    const { limits } = input;
    if (limits !== null) {
      const others = await linkedBeside(tx, gateway.id, limits.kinds);
      if (others.filter((id) => id === input.accountId).length >= limits.ofAccount) return "account_full";
      if (others.length >= limits.inAll) return "all_full";
    }
    const { request, at } = input;
    await tx.db
      .insertInto("gateway_sessions")
      .values({
        gateway_id: gateway.id,
        status: "connecting",
        reason: null,
        pairing: null,
        pairing_expires_at: null,
        linked_at: null,
        changed_at: at,
        details: null,
        request,
      })
      .onConflict((conflict) => conflict.column("gateway_id").doUpdateSet({ request }))
      .execute();
    await tx.db
      .updateTable("lanes")
      .set((eb) => ({ revision: eb("revision", "+", 1) }))
      .where("id", "=", gateway.id)
      .execute();
    tx.changes.add("lanes");
    tx.changes.topic(input.accountId, "gateways", "links");
    return "asked";
  },
);

/** The accounts of other gateways with a linked device, or one that is being linked: one entry per gateway. */
async function linkedBeside(tx: Tx, gatewayId: string, kinds: readonly string[]): Promise<string[]> {
  const rows = await tx.db
    .selectFrom("gateway_sessions")
    .innerJoin("gateways", "gateways.id", "gateway_sessions.gateway_id")
    .select("gateways.account_id")
    .where("gateways.kind", "in", tx.list([...kinds]))
    .where("gateways.id", "!=", gatewayId)
    .where((eb) =>
      eb.or([
        eb("linked_at", "is not", null),
        // A gateway that was disabled while it showed a code is no longer being linked.
        eb.and([
          eb("gateways.active", "=", 1),
          eb.or([
            eb("request", "is not", null),
            eb("gateway_sessions.status", "in", ["connecting", "pairing"]),
          ]),
        ]),
      ]),
    )
    .execute();
  return rows.map(({ account_id }) => account_id);
}

/** Takes the request for a gateway's link; null if there is none, or another owner has the lane. */
export const takeLinkRequest = writeOperation(
  "takeLinkRequest",
  async (tx, input: { gatewayId: string; fence: number }): Promise<string | null> => {
    const row = await tx.db
      .selectFrom("gateway_sessions")
      .select("request")
      .where("gateway_id", "=", input.gatewayId)
      .executeTakeFirst();
    if (row == null || row.request === null) return null;
    if (!(await holdsLane(tx, input.gatewayId, input.fence))) return null;
    await tx.db
      .updateTable("gateway_sessions")
      .set({ request: null })
      .where("gateway_id", "=", input.gatewayId)
      .execute();
    return row.request;
  },
);
