// Whether anybody listens: the fan-out is only woken for changes that somebody may be told of. A hint, kept fresh by
// what configures endpoints; what it misses, the fan-out finds by itself when it looks anyway.

import type { Database } from "#store/database.ts";
import { hasEndpoints } from "#store/webhooks/endpoints.ts";

export interface FanOutTrigger {
  /** Something happened that webhook endpoints may ask for. */
  eventsRecorded(): void;
  /** Endpoints may have come or gone. */
  refresh(): Promise<void>;
}

/** `wake` wakes the fan-out. Until the first look somebody is taken to listen. */
export function createFanOutTrigger(database: Database, wake: () => void): FanOutTrigger {
  let listened = true;
  const look = async () => {
    listened = await database.run(hasEndpoints, null).catch(() => true);
    // What happened while it was thought that nobody does.
    if (listened) wake();
  };
  database.onAnnounced((topic) => {
    if (topic === "lanes") void look();
  });
  return {
    eventsRecorded: () => {
      if (listened) wake();
    },
    refresh: look,
  };
}
