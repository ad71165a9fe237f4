// Doing deliveries again, and trying an endpoint out. What is replayed has its whole schedule before it, under
// the webhook-id it always had.

import type { Core } from "#core/core.ts";
import { type Replayed, replayDelivery, replayFailed, storeTestEvent } from "#store/webhooks/delivery-log.ts";
import { eventBody } from "./fan-out.ts";

export type ReplayParts = Pick<Core, "clock" | "database" | "newId" | "signals">;

const atOnce = 500;
/** Of one call, so that its caller is not kept waiting for a million. */
const most = 10_000;

/** Which endpoint, of which account. */
export interface EndpointRef {
  accountId: string;
  endpointId: string;
}

/** One delivery, whatever became of it. */
export async function replaySingle(
  { database, clock, signals }: ReplayParts,
  whose: EndpointRef,
  eventId: string,
): Promise<Replayed> {
  const result = await database.run(replayDelivery, { ...whose, eventId, at: clock.now() });
  if (result === "replayed") signals.emit("laneDue", whose.endpointId);
  return result;
}

/** The failed ones that were made at `since` (epoch ms) or later, oldest first. `more`: some are left for another call. */
export async function replaySince(
  { database, clock, signals }: ReplayParts,
  whose: EndpointRef,
  since: number,
): Promise<
  { kind: "replayed"; count: number; more: boolean } | { kind: "inactive" } | { kind: "not_found" }
> {
  let after = { createdAt: since, eventId: "" };
  for (let count = 0; ; ) {
    const result = await database.run(replayFailed, { ...whose, after, at: clock.now(), limit: atOnce });
    if (result.kind !== "replayed") return result;
    count += result.count;
    if (result.count > 0) signals.emit("laneDue", whose.endpointId);
    if (result.next === null || count >= most) return { kind: "replayed", count, more: result.next !== null };
    after = result.next;
  }
}

/** Posts an event of the type `webhook.test` to this endpoint alone, signed and repeated like any other. Its id. */
export async function sendTestEvent(
  { database, clock, newId, signals }: ReplayParts,
  whose: EndpointRef,
): Promise<{ kind: "stored"; id: string } | { kind: "inactive" } | { kind: "not_found" }> {
  const type = "webhook.test";
  const at = clock.now();
  const id = newId("evt");
  const body = eventBody(type, at, { webhook_id: whose.endpointId });
  const result = await database.run(storeTestEvent, { ...whose, event: { id, type, at, body } });
  if (result === "not_found") return { kind: "not_found" };
  if (result === "inactive") return { kind: "inactive" };
  signals.emit("laneDue", whose.endpointId);
  return { kind: "stored", id };
}
