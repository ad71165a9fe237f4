// Webhook endpoints, to which an account's events are delivered, and the lane of each. All operations for the management API take the
// account, and find nothing of other accounts.

import { lockAccount } from "#store/accounts/accounts.ts";
import { readOperation, type Tx, writeOperation } from "#store/database.ts";
import { lanesWaiting } from "#store/lanes/due.ts";
import { newLane } from "#store/lanes/lanes.ts";
import type { Overtaken } from "#store/revision.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import { anyEndpointActive } from "./outbox.ts";

/** The context in which an endpoint's secrets are sealed: the same for both, so that the current secret can become the old one. */
export const endpointSecretContext = (endpointId: string) => `webhook_endpoints ${endpointId} secret`;

/** The context in which an endpoint's URL is sealed. */
export const endpointUrlContext = (endpointId: string) => `webhook_endpoints ${endpointId} url`;

/** An endpoint for the owner of its lane; not for answers to callers. */
export const findEndpoint = readOperation("findEndpoint", async (tx, id: string) => {
  const row = await tx.db.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).executeTakeFirst();
  return row ?? null;
});

export const findAccountEndpoint = readOperation(
  "findAccountEndpoint",
  async (tx, input: { accountId: string; id: string }) => {
    const row = await tx.db
      .selectFrom("webhook_endpoints")
      .selectAll()
      .where("id", "=", input.id)
      .where("account_id", "=", input.accountId)
      .executeTakeFirst();
    return row ?? null;
  },
);

/** `urlHash`: the digest of the URL. */
export const findEndpointByUrl = readOperation(
  "findEndpointByUrl",
  async (tx, input: { accountId: string; urlHash: string }) => {
    const row = await tx.db
      .selectFrom("webhook_endpoints")
      .selectAll()
      .where("account_id", "=", input.accountId)
      .where("url_hash", "=", input.urlHash)
      .executeTakeFirst();
    return row ?? null;
  },
);

/** All of an account's endpoints, oldest first. */
export const listEndpoints = readOperation("listEndpoints", async (tx, accountId: string) => {
  return await tx.db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
});

/** Whether any endpoint is active. */
export const hasActiveEndpoints = readOperation("hasActiveEndpoints", (tx, _: null) => anyEndpointActive(tx));

/** Disabled endpoints that still have waiting deliveries. */
export const findInactiveWithDeliveries = readOperation("findInactiveWithDeliveries", async (tx, _: null) => {
  const inactive = await tx.db
    .selectFrom("webhook_endpoints")
    .select(["id", "disabled_reason"])
    .where("active", "=", 0)
    .execute();
  if (inactive.length === 0) return [];
  const waiting = await lanesWaiting(tx, "webhook_deliveries");
  return inactive.filter(({ id }) => waiting.has(id));
});

export type CreateEndpointResult = { kind: "created" } | { kind: "url_taken" } | { kind: "too_many" };

export interface NewEndpoint {
  endpoint: WebhookEndpointsTable;
  /** Most endpoints of an account. */
  maxEndpoints: number;
}

/** Creates an endpoint with its lane, unless the account already has one with this URL or has `maxEndpoints` of them. */
export const createEndpoint = writeOperation("createEndpoint", storeEndpoint);

/** `createEndpoint` inside a transaction. */
export async function storeEndpoint(
  tx: Tx,
  { endpoint, maxEndpoints }: NewEndpoint,
): Promise<CreateEndpointResult> {
  // Two concurrent calls would not see each other.
  await lockAccount(tx, endpoint.account_id);
  const hashes = await urlHashesOf(tx, endpoint.account_id);
  if (hashes.includes(endpoint.url_hash)) return { kind: "url_taken" };
  if (hashes.length >= maxEndpoints) return { kind: "too_many" };
  await tx.db.insertInto("webhook_endpoints").values(endpoint).execute();
  await tx.db
    .insertInto("lanes")
    .values(newLane(endpoint.id, "webhook", endpoint.active))
    .execute();
  tx.changes.add("lanes");
  tx.changes.topic(endpoint.account_id, "webhooks");
  return { kind: "created" };
}

/** Absent fields are unchanged. */
export interface EndpointChange {
  name?: string | null;
  url?: { sealed: string; hash: string };
  /** JSON list of patterns. */
  events?: string;
  active?: boolean;
  /** A new secret, sealed; the previous one also signs until then (epoch ms). */
  secret?: { sealed: string; oldUntil: number };
}

export type ChangeEndpointResult =
  | { kind: "changed"; endpoint: WebhookEndpointsTable }
  | { kind: "url_taken" }
  /** An endpoint with a format can be named and switched off and on; the rest of it is fixed. */
  | { kind: "fixed" }
  | { kind: "not_found" }
  | { kind: Overtaken };

/**
 * Changes an endpoint. One that was disabled because of its failures is enabled by another URL, or by `active: true`. `revision`: that of
 * the endpoint from which the change was computed; null if the change depends on nothing that was read.
 */
export const changeEndpoint = writeOperation(
  "changeEndpoint",
  async (
    tx,
    input: { accountId: string; id: string; revision: number | null; at: number; change: EndpointChange },
  ): Promise<ChangeEndpointResult> => {
    const { accountId, id, revision, at, change } = input;
    await lockAccount(tx, accountId);
    const row = await lockEndpoint(tx, id);
    if (!row || row.account_id !== accountId) return { kind: "not_found" };
    if (revision !== null && row.revision !== revision) return { kind: "overtaken" };
    if (row.format !== null && (change.url ?? change.events ?? change.secret) !== undefined)
      return { kind: "fixed" };
    const moved = change.url !== undefined && change.url.hash !== row.url_hash;
    if (moved && (await urlHashesOf(tx, accountId)).includes(change.url!.hash)) return { kind: "url_taken" };
    const active = change.active ?? (row.active === 1 || (moved && row.disabled_at !== null));
    const enabled = active && row.active === 0;
    const next: WebhookEndpointsTable = {
      ...row,
      name: change.name === undefined ? row.name : change.name,
      url: change.url?.sealed ?? row.url,
      url_hash: change.url?.hash ?? row.url_hash,
      events: change.events ?? row.events,
      active: active ? 1 : 0,
      failing_since: enabled || moved ? null : row.failing_since,
      revision: row.revision + 1,
      updated_at: at,
    };
    if (change.active !== undefined || enabled) {
      next.disabled_at = null;
      next.disabled_reason = null;
    }
    if (change.secret) {
      next.secret = change.secret.sealed;
      next.old_secret = row.secret;
      next.old_secret_until = change.secret.oldUntil;
    }
    const { id: _id, account_id: _account, created_at: _created, ...columns } = next;
    await tx.db.updateTable("webhook_endpoints").set(columns).where("id", "=", id).execute();
    // The fan-out reads the subscriptions of endpoints again when lanes change.
    tx.changes.add("lanes", "counts");
    tx.changes.topic(accountId, "webhooks");
    if (next.active !== row.active) await switchLane(tx, id, next.active);
    return { kind: "changed", endpoint: next };
  },
);

/**
 * Removes a disabled endpoint with its lane and its log, `limit` deliveries at a time. `more`: call again; the endpoint itself is removed
 * with the last of them, so that an interrupted removal can be repeated.
 */
export const removeEndpoint = writeOperation(
  "removeEndpoint",
  async (
    tx,
    input: { accountId: string; id: string; limit: number },
  ): Promise<"removed" | "more" | "active" | "not_found"> => {
    const { accountId, id, limit } = input;
    const row = await lockEndpoint(tx, id);
    if (!row || row.account_id !== accountId) return "not_found";
    if (row.active === 1) return "active";
    const rows = await tx.db
      .selectFrom("webhook_deliveries")
      .select("event_id")
      .where("endpoint_id", "=", id)
      .orderBy("event_id")
      .limit(limit)
      .modifyEnd(tx.lock("update"))
      .execute();
    tx.changes.topic(accountId, "webhooks", "deliveries");
    if (rows.length > 0) {
      const gone = tx.list(rows.map(({ event_id }) => event_id));
      await tx.db
        .deleteFrom(tx.indexed("webhook_deliveries"))
        .where("endpoint_id", "=", id)
        .where("event_id", "in", gone)
        .execute();
    }
    if (rows.length === limit) return "more";
    await tx.db.deleteFrom("lanes").where("id", "=", id).execute();
    await tx.db.deleteFrom("webhook_endpoints").where("id", "=", id).execute();
    tx.changes.add("lanes");
    return "removed";
  },
);

/** Locks an endpoint's row; always before its deliveries and its lane. */
export async function lockEndpoint(tx: Tx, id: string): Promise<WebhookEndpointsTable | undefined> {
  return await tx.db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("id", "=", id)
    .modifyEnd(tx.lock("update"))
    .executeTakeFirst();
}

/** Activates or deactivates a lane: a process claims it, or its owner releases it. */
export async function switchLane(tx: Tx, id: string, active: 0 | 1): Promise<void> {
  await tx.db
    .updateTable("lanes")
    .set((eb) => ({ active, revision: eb("revision", "+", 1) }))
    .where("id", "=", id)
    .execute();
}

async function urlHashesOf(tx: Tx, accountId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom("webhook_endpoints")
    .select("url_hash")
    .where("account_id", "=", accountId)
    .execute();
  return rows.map(({ url_hash }) => url_hash);
}
