// Webhook endpoints, events and deliveries for the store's tests, made through the store itself.

import assert from "node:assert/strict";
import type { Database } from "#store/database.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import { type DeliverySettlement, settleDeliveries } from "#store/webhooks/deliveries.ts";
import { createEndpoint } from "#store/webhooks/endpoints.ts";
import { storeFanOut } from "#store/webhooks/fan-out.ts";
import type { Store } from "./conformance.ts";
import { fresh, now } from "./rows.ts";

export function endpointOf(
  accountId: string,
  columns: Partial<WebhookEndpointsTable> = {},
): WebhookEndpointsTable {
  const id = columns.id ?? fresh("whe");
  return {
    id,
    account_id: accountId,
    name: null,
    url: `sealed for ${id}`,
    url_hash: `hash of ${id}`,
    events: '["*"]',
    active: 1,
    format: null,
    secret: "sealed",
    old_secret: null,
    old_secret_until: null,
    failing_since: null,
    disabled_at: null,
    disabled_reason: null,
    revision: 1,
    created_at: now,
    updated_at: now,
    ...columns,
  };
}

export async function makeEndpoint(
  database: Database,
  accountId: string,
  columns: Partial<WebhookEndpointsTable> = {},
): Promise<string> {
  const endpoint = endpointOf(accountId, columns);
  assert.deepEqual(await database.run(createEndpoint, { endpoint, maxEndpoints: 50 }), { kind: "created" });
  return endpoint.id;
}

/** Events that wait for an endpoint, each due at `at`. Returns their ids, in their order. */
export async function makeDeliveries(
  store: Store,
  accountId: string,
  endpointId: string,
  options: { count?: number; at?: number; priority?: number } = {},
): Promise<string[]> {
  const { count = 1, at = now, priority = 0 } = options;
  const events = Array.from({ length: count }, () => {
    const id = fresh("evt");
    return {
      id,
      entry_id: id,
      account_id: accountId,
      type: "gateway.paused",
      at,
      priority,
      body: `{"event":"${id}"}`,
      endpoints: [endpointId],
    };
  });
  for (const { id } of events) await note(store, accountId, id, at);
  const notes = events.map(({ id }) => ({ id, data: "{}", next: null }));
  await store.database.run(storeFanOut, { at, steps: notes, events });
  return events.map(({ id }) => id);
}

/** A note of an event that has no message. */
export async function note(store: Store, accountId: string, id: string, at = now): Promise<void> {
  await store.query(
    "insert into outbox (id, account_id, type, at, message_id, priority, data) values (?, ?, ?, ?, null, 0, ?)",
    id,
    accountId,
    "gateway.paused",
    at,
    "{}",
  );
}

export const settlementOf = (
  endpointId: string,
  eventId: string,
  options: Partial<DeliverySettlement> = {},
): DeliverySettlement => {
  const at = options.at ?? now + 10;
  const failed = options.outcome?.kind === "failed";
  return {
    endpointId,
    eventId,
    attempt: 1,
    at,
    line: { at, ms: 5, status: failed ? 500 : 200, reason: failed ? "It answered 500." : null, answer: "" },
    outcome: { kind: "delivered" },
    ...options,
  };
};

/** A try that failed, to be repeated at `dueAt`. */
export const failed = (dueAt: number | null, gone = false) => ({ kind: "failed" as const, dueAt, gone });

export const settleOne = (
  store: Store,
  endpointId: string,
  eventId: string,
  options?: Partial<DeliverySettlement>,
) => store.database.run(settleDeliveries, settlementOf(endpointId, eventId, options));

export async function deliveryRow(
  store: Store,
  endpointId: string,
  eventId: string,
): Promise<WebhookDeliveriesTable> {
  const [row] = await store.query<WebhookDeliveriesTable>(
    "select * from webhook_deliveries where endpoint_id = ? and event_id = ?",
    endpointId,
    eventId,
  );
  assert.ok(row, `delivery ${eventId}`);
  return { ...row };
}

export async function endpointRow(store: Store, id: string): Promise<WebhookEndpointsTable> {
  const [row] = await store.query<WebhookEndpointsTable>("select * from webhook_endpoints where id = ?", id);
  assert.ok(row, `endpoint ${id}`);
  return { ...row };
}

export async function laneRow(store: Store, id: string): Promise<LanesTable | null> {
  const [row] = await store.query<LanesTable>("select * from lanes where id = ?", id);
  return row ? { ...row } : null;
}
