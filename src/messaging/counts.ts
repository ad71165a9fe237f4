// Stores the counts of message and webhook delivery events about once a second, and logs the messages that ended without being delivered.
// The database collects both; a process that is killed loses at most those of the last second.

import type { Core } from "#core/core.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import { storeMessageCounts } from "#store/counts/message-counts.ts";

const intervalMs = 1_000;

interface CountWriter {
  /** Counts are waiting to be stored. */
  start(): void;
  /** Stores the waiting counts, if storage works. */
  stop(): Promise<void>;
}

/** Writes from `start` on, and rests when nothing is waiting. */
export function createCountWriter({
  clock,
  database,
  log,
}: Pick<Core, "clock" | "database" | "log">): CountWriter {
  const stopping = new AbortController();
  let isDirty = false;
  const write = async () => {
    isDirty = false;
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
      isDirty = true;
      throw error;
    }
  };
  const writes = new Interval({
    clock,
    log,
    signal: stopping.signal,
    ms: intervalMs,
    isNeeded: () => isDirty,
    turn: write,
    failure: { event: "counts.write_failed", message: "Counts of messages could not be written." },
  });
  return {
    start: () => {
      isDirty = true;
      writes.start();
    },
    stop: async () => {
      stopping.abort();
      await writes.ended();
      await write().catch((error: unknown) =>
        log.warn({ event: "counts.write_failed", error }, "Counts of messages could not be written."),
      );
    },
  };
}
