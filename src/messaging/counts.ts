// Stores the counts of what happens to messages and webhook deliveries behind the changes, about once a second, and logs the
// messages that ended otherwise than delivered. The database gathers both; a process that is killed loses at most those of the
// last second.

import type { Core } from "#core/core.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import { storeMessageCounts } from "#store/counts/message-counts.ts";

const intervalMs = 1_000;

interface CountWriter {
  /** Stores what waits, if the storage is there. */
  stop(): Promise<void>;
}

/** Starts to write when something was recorded, and rests when nothing waits. */
export function createCountWriter({
  clock,
  database,
  log,
  signals,
}: Pick<Core, "clock" | "database" | "log" | "signals">): CountWriter {
  const stopping = new AbortController();
  let hasNews = false;
  const write = async () => {
    hasNews = false;
    try {
      const { ended, more } = await database.run(storeMessageCounts, null);
      for (const { id, account_id: account, gateway_id: gateway, channel, status, code } of ended)
        log.record(
          { event: "message.ended", id, account, gateway, channel, status, code },
          `A message is ${status}.`,
        );
      if (more > 0)
        log.record({ event: "message.ended", more }, "More messages ended otherwise than delivered.");
    } catch (error) {
      hasNews = true;
      throw error;
    }
  };
  const writes = new Interval({
    clock,
    log,
    signal: stopping.signal,
    ms: intervalMs,
    isNeeded: () => hasNews,
    turn: write,
    failure: { event: "counts.write_failed", message: "Counts of messages could not be written." },
  });
  const start = () => {
    hasNews = true;
    writes.start();
  };
  const subscriptions = [
    signals.subscribe("eventsRecorded", start),
    // What becomes of a delivery is no event itself; the change of an endpoint may have ended what waited for it.
    signals.subscribe("changed", (_subject, topic) => {
      if (topic === "deliveries" || topic === "webhooks") start();
    }),
  ];
  return {
    stop: async () => {
      for (const unsubscribe of subscriptions) unsubscribe();
      stopping.abort();
      await writes.ended();
      await write().catch((error: unknown) =>
        log.warn({ event: "counts.write_failed", error }, "Counts of messages could not be written."),
      );
    },
  };
}
