// What the events of a gateway say of it (`gateway.paused`, `gateway.linked`, …). Never its settings.

import type { EventType } from "#contract/messages/events.ts";
import type { Tx } from "#store/database.ts";
import { recordEvents } from "#store/webhooks/outbox.ts";
import { beginPause, endPause } from "./pauses.ts";

/** Of a link: its device, or until when the provider limits it (epoch ms). */
export interface GatewayEventDetails {
  number?: string | null;
  name?: string | null;
  until?: number | null;
}

/**
 * Records the event that a gateway's pause began or ended. A lane of another kind has no gateway, and no event.
 * `reason`: why it pauses; null when it resumes.
 */
export async function recordGatewayEvent(
  tx: Tx,
  event: {
    id: string;
    type: Extract<EventType, `gateway.${string}`>;
    gatewayId: string;
    at: number;
    reason: string | null;
    more?: GatewayEventDetails;
  },
): Promise<void> {
  const { id, type, gatewayId, at, reason, more } = event;
  const gateway = await tx.db
    .selectFrom("gateways")
    .select(["account_id", "identifier", "channel", "kind", "active", "is_default"])
    .where("id", "=", gatewayId)
    .executeTakeFirst();
  if (!gateway) return;
  const { account_id: accountId, identifier, channel, kind, active, is_default } = gateway;
  const data = {
    identifier,
    channel,
    kind,
    active: active === 1,
    default: is_default === 1,
    reason,
    ...more,
  };
  await recordEvents(tx, [{ id, accountId, type, at, data }]);
  if (type === "gateway.paused") await beginPause(tx, { gateway_id: gatewayId, since: at, reason });
  else if (type === "gateway.resumed") await endPause(tx, gatewayId, at);
}
