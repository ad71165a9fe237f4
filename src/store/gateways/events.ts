// The data of gateway events (`gateway.paused`, `gateway.linked`, …). It never contains settings.

import type { EventData } from "#contract/events/shapes.ts";
import type { EventType } from "#contract/messages/events.ts";
import type { Tx } from "#store/database.ts";
import { type OwnEvent, recordEvents } from "#store/webhooks/outbox.ts";
import { beginPause, endPause } from "./pauses.ts";

type GatewayEventType = Extract<EventType, `gateway.${string}`>;

/** For a link: its device, or until when the provider limits it (epoch ms). */
export type GatewayEventDetails = Pick<EventData["gateway.linked"], "number" | "name"> &
  Partial<Pick<EventData["gateway.limited"], "until">>;

/**
 * Records the event that a gateway's pause began or ended. Lanes of other kinds have no gateway, and no event. `reason`: why it pauses;
 * null when it resumes.
 */
export async function recordGatewayEvent(
  tx: Tx,
  event: {
    id: string;
    type: GatewayEventType;
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
  const data: EventData["gateway.paused"] & GatewayEventDetails = {
    identifier,
    channel,
    kind,
    active: active === 1,
    default: is_default === 1,
    reason,
    ...more,
  };
  // The caller that names the type passes its other fields.
  await recordEvents(tx, [{ id, accountId, type, at, data } as OwnEvent<GatewayEventType>]);
  if (type === "gateway.paused") await beginPause(tx, { gateway_id: gatewayId, since: at, reason });
  else if (type === "gateway.resumed") await endPause(tx, gatewayId, at);
}
