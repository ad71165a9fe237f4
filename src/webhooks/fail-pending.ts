// A disabled endpoint has no pending deliveries: they fail, with the reason, and can be replayed.

import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { failWaitingDeliveries } from "#store/webhooks/deliveries.ts";
import { findInactiveWithDeliveries } from "#store/webhooks/endpoints.ts";

interface StopDeps {
  database: Database;
  clock: Clock;
}

const batchSize = 500;
const switchedOff = "The endpoint was switched off.";

/** Fails the pending deliveries of a disabled endpoint, in batches. `why`: a sentence; null if a user disabled it. */
export async function failPendingDeliveries(
  { database, clock }: StopDeps,
  endpointId: string,
  why: string | null,
): Promise<void> {
  const reason = why === null ? switchedOff : `The endpoint was disabled. ${why}`;
  for (;;) {
    const at = clock.now();
    const stopped = await database.run(failWaitingDeliveries, { endpointId, at, reason, limit: batchSize });
    if (stopped < batchSize) return;
  }
}

/** Fails the deliveries that a process left pending because it stopped in the middle of `failPendingDeliveries`. */
export async function failAbandonedDeliveries(deps: StopDeps & { log: Log }): Promise<void> {
  for (const { id, disabled_reason } of await deps.database.run(findInactiveWithDeliveries, null)) {
    deps.log.info(
      { event: "webhook_endpoint.deliveries_stopped", endpoint: id },
      "The pending deliveries of a switched-off webhook endpoint fail.",
    );
    await failPendingDeliveries(deps, id, disabled_reason);
  }
}
