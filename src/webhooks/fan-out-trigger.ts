// Wakes the fan-out after changes, but only while there are webhook endpoints. The trigger is an optimisation: configuration changes keep
// it up to date, and the fan-out finds what it misses when it polls the outbox.

import type { Database } from "#store/database.ts";
import { hasActiveEndpoints } from "#store/webhooks/endpoints.ts";

interface FanOutTrigger {
  /** Events may have been recorded that webhook endpoints subscribe to. */
  eventsRecorded(): void;
  /** Endpoints may have been added or removed. */
  refresh(): Promise<void>;
}

/** `wake` wakes the fan-out. Until the first `refresh` the trigger assumes that there are endpoints. */
export function createFanOutTrigger(database: Database, wake: () => void): FanOutTrigger {
  let isSubscribed = true;
  const refresh = async () => {
    isSubscribed = await database.run(hasActiveEndpoints, null).catch(() => true);
    // Events may have been recorded while the trigger assumed that there are no endpoints.
    if (isSubscribed) wake();
  };
  database.onNotify((topic) => {
    if (topic === "lanes") void refresh();
  });
  return {
    eventsRecorded: () => {
      if (isSubscribed) wake();
    },
    refresh,
  };
}
