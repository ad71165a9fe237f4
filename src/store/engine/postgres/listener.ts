// The connection that hears other processes' notifications. While it is missing, changes are found by polling.

import type { Client, ClientConfig } from "pg";

interface Listener {
  /** The connection, while there is one. */
  connection(): Client | null;
  /** Connects unless it is connected. Never rejects. */
  connect(): Promise<void>;
  close(): Promise<void>;
}

/** `settings`: asked for each connection; null while there is nothing to connect to. */
export function createListener(
  newClient: (settings: ClientConfig) => Client,
  settings: () => ClientConfig | null,
  channel: string,
  onTopic: (topic: string) => void,
): Listener {
  let listening: Client | null = null;
  let mending: Promise<void> | null = null;
  const connectOne = async (): Promise<void> => {
    const chosen = settings();
    if (chosen === null || listening !== null) return;
    const candidate = newClient(chosen);
    candidate.on("error", () => {});
    candidate.on("end", () => {
      listening = null;
    });
    candidate.on("notification", ({ payload }) => onTopic(payload ?? ""));
    try {
      await candidate.connect();
      await candidate.query(`listen ${channel}`);
      listening = candidate;
    } catch {
      await candidate.end().catch(() => {});
    }
  };
  return {
    connection: () => listening,
    connect: () => {
      // One at a time: a second listener would receive every notification twice, and would never be closed.
      mending ??= connectOne().finally(() => {
        mending = null;
      });
      return mending;
    },
    close: async () => {
      await mending;
      await listening?.end().catch(() => {});
    },
  };
}
