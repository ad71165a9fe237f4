// What the events `gateway.paused` and `gateway.resumed` say of a gateway. Never its settings.

import type { Tx } from "#store/database.ts";
import { recordEvents } from "#store/webhooks/outbox.ts";

/**
 * Records the event that a gateway's pause began or ended. A lane of another kind has no gateway, and no event.
 * `reason`: why it pauses; null when it resumes.
 */
export async function recordGatewayEvent(
  tx: Tx,
  event: {
    id: string;
    type: "gateway.paused" | "gateway.resumed" | "gateway.linked" | "gateway.unlinked";
    gatewayId: string;
    at: number;
    reason: string | null;
  },
): Promise<void> {
  const { id, type, gatewayId, at, reason } = event;
  const gateway = await tx.db
    .selectFrom("gateways")
    .select(["account_id", "identifier", "channel", "kind", "active", "is_default"])
    .where("id", "=", gatewayId)
    .executeTakeFirst();
  if (!gateway) return;
  const { account_id: accountId, identifier, channel, kind, active, is_default } = gateway;
  const data = { identifier, channel, kind, active: active === 1, default: is_default === 1, reason };
  await recordEvents(tx, [{ id, accountId, type, at, data }]);
}
