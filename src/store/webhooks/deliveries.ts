// Webhook deliveries in progress: read when due, and settled after each attempt. A settlement counts once: it must be for the attempt that
// comes next according to the row, so of two owners of a lane the second changes nothing.

import { sql } from "kysely";
import { batchedOperation, readOperation, type Tx, writeOperation } from "#store/database.ts";
import { type DueQuery, selectDue, selectNextDue } from "#store/lanes/due.ts";
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import { lockEndpoint, switchLane } from "./endpoints.ts";
import { statusCallbacksOf } from "./status-callbacks.ts";

/** One line of a delivery's log. */
export interface DeliveryAttempt {
  /** Epoch ms. */
  at: number;
  /** How long the attempt took, ms. */
  ms: number;
  /** The status of the answer; null if there was none. */
  status: number | null;
  /** Why it did not succeed; null if it did. */
  reason: string | null;
  /** The beginning of the answer's body; null if there was none. */
  answer: string | null;
}

const maxLogLines = 20;

/** The log (a delivery's column) with this line appended; the oldest lines are dropped. */
export function appendLine(log: string, line: DeliveryAttempt): string {
  return JSON.stringify([...(JSON.parse(log) as DeliveryAttempt[]), line].slice(-maxLogLines));
}

export interface DueDelivery {
  /** The event's id. */
  id: string;
  priority: number;
  due_at: number;
}

/** The next due deliveries of an endpoint's priority; the lane is the endpoint's. Read-only. */
export const readDueDeliveries = readOperation(
  "readDueDeliveries",
  async (tx, input: DueQuery) =>
    await selectDue<DueDelivery>(tx, "webhook_deliveries", sql`event_id as id, priority, due_at`, input),
);

/** When the endpoint's next delivery that is not due yet becomes due; null if there is none. */
export const nextDueDelivery = readOperation(
  "nextDueDelivery",
  async (tx, input: { laneId: string; priorities: readonly number[]; now: number }) =>
    await selectNextDue(tx, "webhook_deliveries", input),
);

export interface PendingDelivery {
  id: string;
  type: string;
  body: string;
  /** Attempts before this one. */
  attempts: number;
  /** For an endpoint with a format: the sealed status callback of the message. Null if the message is no longer kept. */
  statusCallback: string | null;
}

/** `fenced`: the lane belongs to another process. `inactive`: the endpoint was deleted or disabled. */
export type PendingDeliveries =
  | { kind: "ready"; endpoint: WebhookEndpointsTable; deliveries: PendingDelivery[] }
  | { kind: "fenced" }
  | { kind: "inactive" };

/** The current contents of what is to be posted; only what still waits. */
export const readPendingDeliveries = readOperation(
  "readPendingDeliveries",
  async (
    tx,
    input: { endpointId: string; fence: number; eventIds: string[] },
  ): Promise<PendingDeliveries> => {
    const { endpointId, fence, eventIds } = input;
    const lane = await tx.db
      .selectFrom("lanes")
      .select("fence")
      .where("id", "=", endpointId)
      .executeTakeFirst();
    if (lane && lane.fence !== fence) return { kind: "fenced" };
    const endpoint = await tx.db
      .selectFrom("webhook_endpoints")
      .selectAll()
      .where("id", "=", endpointId)
      .where("active", "=", 1)
      .executeTakeFirst();
    if (!endpoint) return { kind: "inactive" };
    const deliveries = await tx.db
      .selectFrom(tx.indexed("webhook_deliveries"))
      .crossJoin(tx.indexed("webhook_events"))
      .whereRef("webhook_events.id", "=", "webhook_deliveries.event_id")
      .select([
        "webhook_events.id",
        "webhook_events.type",
        "webhook_events.body",
        "webhook_deliveries.attempts",
      ])
      .where("webhook_deliveries.endpoint_id", "=", endpointId)
      .where("webhook_deliveries.event_id", "in", eventIds)
      .where("webhook_deliveries.due_at", "is not", null)
      .execute();
    const callbacks =
      endpoint.format === null ? new Map<string, string>() : await statusCallbacksOf(tx, eventIds);
    return {
      kind: "ready",
      endpoint,
      deliveries: deliveries.map((row) => ({ ...row, statusCallback: callbacks.get(row.id) ?? null })),
    };
  },
);

export interface DeliverySettlement {
  endpointId: string;
  eventId: string;
  /** The attempt with this outcome, counted from 1. */
  attempt: number;
  at: number;
  line: DeliveryAttempt;
  /** `dueAt`: when the next attempt is due, or null if this was the last. `gone`: the endpoint asked for no more events. */
  outcome: { kind: "delivered" } | { kind: "failed"; dueAt: number | null; gone: boolean };
}

export interface DeliverySettled {
  /** When the delivery is due again; null if it no longer waits. */
  dueAt: number | null;
  /** This settlement disabled the endpoint: why, in plain words. */
  disabled: string | null;
}

/** An endpoint that has only failed for this long is disabled. */
const failingMs = 5 * 24 * 3_600_000;

const keyOf = (endpointId: string, eventId: string) => `${endpointId} ${eventId}`;

export const settleDeliveries = batchedOperation(
  "settleDeliveries",
  async (tx, settlements: readonly DeliverySettlement[]): Promise<DeliverySettled[]> => {
    const endpoints = await lockConcerned(tx, settlements);
    const rows = await lockDeliveries(tx, settlements);
    const changed = new Set<WebhookDeliveriesTable>();
    const results = settlements.map((settlement): DeliverySettled => {
      const { endpointId, eventId, attempt, at, line, outcome } = settlement;
      const row = rows.get(keyOf(endpointId, eventId));
      const endpoint = endpoints.get(endpointId);
      if (!row || !endpoint) return { dueAt: null, disabled: null };
      const disabled = judge(endpoint, settlement);
      // Another owner's attempt with the same number was first, or it was stopped or replayed meanwhile.
      if (row.status !== "pending" || row.attempts !== attempt - 1) return { dueAt: row.due_at, disabled };
      row.attempts = attempt;
      row.updated_at = at;
      row.log = appendLine(row.log, line);
      if (outcome.kind === "delivered") row.status = "delivered";
      else if (outcome.dueAt === null || endpoint.active === 0) row.status = "failed";
      row.due_at = row.status === "pending" && outcome.kind === "failed" ? outcome.dueAt : null;
      changed.add(row);
      count(tx, row, at);
      return { dueAt: row.due_at, disabled };
    });
    await writeDeliveries(tx, [...changed]);
    await writeEndpoints(tx, [...endpoints.values()]);
    return results;
  },
);

const countedAs = { pending: "failed", delivered: "delivered", failed: "undelivered" } as const;

/** Counts the new states of deliveries, all of one endpoint. */
function count(
  tx: Tx,
  { account_id, endpoint_id, status }: Pick<WebhookDeliveriesTable, "account_id" | "endpoint_id" | "status">,
  at: number,
  n = 1,
): void {
  tx.counts.add({ name: countedAs[status], account_id, channel: "webhook", gateway_id: endpoint_id, at, n });
}

type Judged = Pick<
  WebhookEndpointsTable,
  "id" | "active" | "format" | "failing_since" | "disabled_at" | "disabled_reason" | "revision"
> & { changed: boolean };

/** What an attempt shows about its endpoint; the reason, if that is enough to disable it. */
function judge(endpoint: Judged, { outcome, at }: DeliverySettlement): string | null {
  // It posts to the URLs of many messages, of which one says nothing about the others.
  if (endpoint.format !== null) return null;
  if (outcome.kind === "delivered") {
    if (endpoint.failing_since !== null) endpoint.changed = true;
    endpoint.failing_since = null;
    return null;
  }
  if (endpoint.failing_since === null) {
    endpoint.failing_since = at;
    endpoint.changed = true;
  }
  const tired = at - endpoint.failing_since >= failingMs;
  if (endpoint.active === 0 || (!outcome.gone && !tired)) return null;
  endpoint.active = 0;
  // Like a manual change: `active` is a setting, and `failing_since` is not.
  endpoint.revision += 1;
  endpoint.disabled_at = at;
  endpoint.disabled_reason = outcome.gone
    ? "It answered 410 Gone."
    : "Every try failed for 5 days; the log of its deliveries says why.";
  endpoint.changed = true;
  return endpoint.disabled_reason;
}

/** The endpoints of settlements; those that a settlement may change are locked, ordered by id. */
async function lockConcerned(
  tx: Tx,
  settlements: readonly DeliverySettlement[],
): Promise<ReadonlyMap<string, Judged>> {
  const columns = [
    "id",
    "active",
    "format",
    "failing_since",
    "disabled_at",
    "disabled_reason",
    "revision",
  ] as const;
  const ids = [...new Set(settlements.map(({ endpointId }) => endpointId))];
  const seen = await tx.db.selectFrom("webhook_endpoints").select(columns).where("id", "in", ids).execute();
  const failed = new Set(
    settlements.flatMap(({ endpointId, outcome }) => (outcome.kind === "failed" ? [endpointId] : [])),
  );
  // A success of a healthy endpoint, which is nearly every settlement, changes nothing about it.
  const concerned = seen.filter(({ id, failing_since }) => failing_since !== null || failed.has(id));
  const locked =
    concerned.length === 0
      ? []
      : await tx.db
          .selectFrom("webhook_endpoints")
          .select(columns)
          .where(
            "id",
            "in",
            concerned.map(({ id }) => id),
          )
          .orderBy("id")
          .modifyEnd(tx.lock("update"))
          .execute();
  const now = new Map(locked.map((row) => [row.id, row]));
  return new Map(seen.map((row) => [row.id, { ...(now.get(row.id) ?? row), changed: false }]));
}

type Key = Pick<WebhookDeliveriesTable, "endpoint_id" | "event_id">;

async function lockDeliveries(
  tx: Tx,
  settlements: readonly Pick<DeliverySettlement, "endpointId" | "eventId">[],
): Promise<ReadonlyMap<string, WebhookDeliveriesTable>> {
  const keys: Key[] = settlements.map(({ endpointId, eventId }) => ({
    endpoint_id: endpointId,
    event_id: eventId,
  }));
  const requested = tx.rows("requested", { endpoint_id: "text", event_id: "text" }, keys);
  const rows = await tx.db
    .selectFrom(tx.indexed("webhook_deliveries"))
    .selectAll()
    .where(sql<boolean>`(endpoint_id, event_id) in (select endpoint_id, event_id from ${requested})`)
    .orderBy("endpoint_id")
    .orderBy("event_id")
    .modifyEnd(tx.lock("update"))
    .execute();
  return new Map(rows.map((row) => [keyOf(row.endpoint_id, row.event_id), row]));
}

async function writeDeliveries(tx: Tx, rows: readonly WebhookDeliveriesTable[]): Promise<void> {
  if (rows.length === 0) return;
  for (const { endpoint_id } of rows) tx.changes.topic(endpoint_id, "deliveries");
  await tx.update(
    "webhook_deliveries",
    {
      endpoint_id: "text",
      event_id: "text",
      status: "text",
      due_at: "bigint",
      attempts: "bigint",
      log: "text",
      updated_at: "bigint",
    },
    rows,
    (of) => ({
      set: sql`
        status = ${of("status")}, due_at = ${of("due_at")}, attempts = ${of("attempts")}, log = ${of("log")},
        updated_at = ${of("updated_at")}`,
      where: sql`webhook_deliveries.endpoint_id = ${of("endpoint_id")} and webhook_deliveries.event_id = ${of("event_id")}`,
    }),
  );
}

async function writeEndpoints(tx: Tx, endpoints: readonly Judged[]): Promise<void> {
  const changed = endpoints.filter((endpoint) => endpoint.changed).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id, changed: _changed, ...columns } of changed) {
    await tx.db.updateTable("webhook_endpoints").set(columns).where("id", "=", id).execute();
    tx.changes.topic(id, "webhooks");
    if (columns.active === 1) continue;
    await switchLane(tx, id, 0);
    tx.changes.add("lanes");
  }
}

/**
 * Ends the deliveries that wait for a disabled endpoint: they fail, with the reason as the log's last line, and can be replayed. At most
 * `limit`; returns how many there were.
 */
export const failWaitingDeliveries = writeOperation(
  "failWaitingDeliveries",
  async (tx, input: { endpointId: string; at: number; reason: string; limit: number }) => {
    const { endpointId, at, reason, limit } = input;
    const endpoint = await lockEndpoint(tx, endpointId);
    if (!endpoint || endpoint.active === 1) return 0;
    const waiting = await tx.db
      .selectFrom("webhook_deliveries")
      .select("event_id")
      .where("endpoint_id", "=", endpointId)
      .where("due_at", "is not", null)
      .orderBy("priority")
      .orderBy("due_at")
      .orderBy("event_id")
      .limit(limit)
      .execute();
    if (waiting.length === 0) return 0;
    const rows = await lockDeliveries(
      tx,
      waiting.map(({ event_id }) => ({ endpointId, eventId: event_id })),
    );
    const line: DeliveryAttempt = { at, ms: 0, status: null, reason, answer: null };
    const stopped = [...rows.values()]
      .filter(({ due_at }) => due_at !== null)
      .map((row) => ({
        ...row,
        status: "failed" as const,
        due_at: null,
        log: appendLine(row.log, line),
        updated_at: at,
      }));
    await writeDeliveries(tx, stopped);
    if (stopped[0]) count(tx, stopped[0], at, stopped.length);
    return waiting.length;
  },
);
