// An endpoint that is switched off has nothing waiting: what did has failed, says why, and can be replayed.

import type { Core } from "#core/core.ts";
import type { Log } from "#runtime/runtime.ts";
import { stopDeliveries } from "#store/webhooks/deliveries.ts";
import { findStopped } from "#store/webhooks/endpoints.ts";

type StopParts = Pick<Core, "clock" | "database">;

const atOnce = 500;
const switchedOff = "The endpoint was switched off.";

/** Ends what waits for a switched-off endpoint, a part at a time. `why`: plain words, null when it was by hand. */
export async function failPendingDeliveries(
  { database, clock }: StopParts,
  endpointId: string,
  why: string | null,
): Promise<void> {
  const reason = why === null ? switchedOff : `The endpoint was disabled. ${why}`;
  for (;;) {
    const at = clock.now();
    const stopped = await database.run(stopDeliveries, { endpointId, at, reason, limit: atOnce });
    if (stopped < atOnce) return;
  }
}

/** Ends what a process that stopped in the middle left waiting. */
export async function failAbandonedDeliveries(parts: StopParts & { log: Log }): Promise<void> {
  for (const { id, disabled_reason } of await parts.database.run(findStopped, null)) {
    parts.log.info({ endpoint: id }, "deliveries of a switched-off webhook endpoint are stopped");
    await failPendingDeliveries(parts, id, disabled_reason);
  }
}
