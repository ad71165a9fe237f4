// Replays deliveries, brings their next attempts forward, and sends test events. A replayed delivery starts its retry schedule over and
// keeps its webhook-id.

import { type EventData, testEventType } from "#contract/events/shapes.ts";
import type { Core } from "#core/core.ts";
import { priorities } from "#queue/priority.ts";
import {
  type ReplayResult,
  replayDelivery,
  replayFailed,
  storeTestEvent,
} from "#store/webhooks/delivery-log.ts";
import { type Retries, readRetries, retryNow } from "#store/webhooks/retries.ts";
import { eventBody } from "./fan-out.ts";

export type ReplayDeps = Pick<Core, "clock" | "database" | "newId">;

const batchSize = 500;
/** Most deliveries that one call replays or retries, so that its answer does not wait for a million. */
const maxReplays = 10_000;

/** An endpoint of an account. */
interface EndpointRef {
  accountId: string;
  endpointId: string;
}

/** Replays one delivery, delivered or failed. */
export async function replaySingle(
  { database, clock }: ReplayDeps,
  endpoint: EndpointRef,
  eventId: string,
): Promise<ReplayResult> {
  return await database.run(replayDelivery, { ...endpoint, eventId, at: clock.now() });
}

/** Replays the failed deliveries that were created at `since` (epoch ms) or later, oldest first. `more`: some remain for another call. */
export async function replaySince(
  { database, clock }: ReplayDeps,
  endpoint: EndpointRef,
  since: number,
): Promise<
  { kind: "replayed"; count: number; more: boolean } | { kind: "inactive" } | { kind: "not_found" }
> {
  let after = { createdAt: since, eventId: "" };
  for (let count = 0; ; ) {
    const result = await database.run(replayFailed, {
      ...endpoint,
      after,
      at: clock.now(),
      limit: batchSize,
    });
    if (result.kind !== "replayed") return result;
    count += result.count;
    if (result.next === null || count >= maxReplays)
      return { kind: "replayed", count, more: result.next !== null };
    after = result.next;
  }
}

/** The deliveries that wait for their next attempt, and the latest attempt; null if the account has no such endpoint. */
export async function retriesOf(
  { database, clock }: Pick<ReplayDeps, "clock" | "database">,
  endpoint: EndpointRef,
): Promise<Retries | null> {
  return await database.run(readRetries, { ...endpoint, priorities, now: clock.now() });
}

/** Makes the next attempts of an endpoint's deliveries due now, the earliest first. `more`: some remain for another call. */
export async function retryWaiting(
  { database, clock }: ReplayDeps,
  endpoint: EndpointRef,
): Promise<{ kind: "retried"; count: number; more: boolean } | { kind: "inactive" } | { kind: "not_found" }> {
  // One instant for all steps: what fails again meanwhile is due later than that, and is not retried twice.
  const input = { ...endpoint, priorities, now: clock.now(), limit: batchSize };
  for (let count = 0; ; ) {
    const result = await database.run(retryNow, input);
    if (result.kind !== "retried") return result;
    count += result.count;
    if (!result.more || count >= maxReplays) return { kind: "retried", count, more: result.more };
  }
}

/** Posts an event of the type `webhook.test` to this endpoint alone, signed and retried like any other. Returns its id. */
export async function sendTestEvent(
  { database, clock, newId }: ReplayDeps,
  endpoint: EndpointRef,
): Promise<
  { kind: "stored"; id: string } | { kind: "inactive" } | { kind: "status_callbacks" } | { kind: "not_found" }
> {
  const at = clock.now();
  const id = newId("evt");
  const data: EventData[typeof testEventType] = { webhook_id: endpoint.endpointId };
  const body = eventBody(testEventType, at, data);
  const result = await database.run(storeTestEvent, {
    ...endpoint,
    event: { id, type: testEventType, at, body },
  });
  return result === "stored" ? { kind: "stored", id } : { kind: result };
}
