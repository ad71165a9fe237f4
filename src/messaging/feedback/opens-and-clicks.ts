// Tracks opens and clicks. They are queued in memory and written in batches, so that neither a flood of them nor a storage fault delays the
// reply. A full queue drops them and a crash loses them: opens are a hint, not a guarantee.

import type { Core } from "#core/core.ts";
import { readClickToken, readOpenToken, readUnsubscribeToken } from "#messaging/email/tokens.ts";
import { StorageError } from "#store/database.ts";
import { type IncomingEngagement, storeEngagements, unsubscribe } from "#store/feedback/engagements.ts";
import { type Client, isBot } from "./bots.ts";

type OpenAndClickTrackingDeps = Pick<Core, "clock" | "database" | "log" | "sealer">;

/** What recipients do with the links of their mails. No method throws for an invalid token. */
export interface OpenAndClickTracking {
  /** Records that a pixel was loaded; an invalid token is ignored. */
  open(token: string, client: Client): void;
  /** The target of a link; null if the token is invalid. `counted` false: do not record a click (HEAD). */
  click(token: string, client: Client, counted: boolean): string | null;
  /** Whether the token is valid for unsubscribing. */
  canUnsubscribe(token: string): boolean;
  /** Resolves once the recipient is on the suppression list; false if the token is invalid. Rejects if storage fails. */
  unsubscribe(token: string): Promise<boolean>;
  /** Stops recording, and writes what is queued as far as storage accepts it. */
  close(): Promise<void>;
}

/** Distinct opens and clicks in the queue, about 10 MB; beyond it they are dropped. */
const maxWaiting = 20_000;
const batchSize = 500;
const retryMs = 2_000;
/** A repeat by the same client within this time is not counted: programs load an image more than once. */
const dedupeMs = 1_000;
const maxUserAgentLength = 300;

export function createOpenAndClickTracking(deps: OpenAndClickTrackingDeps): OpenAndClickTracking {
  const { database, clock, log, sealer } = deps;
  const waiting = new Map<string, IncomingEngagement>();
  const stop = new AbortController();
  let draining: Promise<void> | null = null;
  let dropped = 0;

  function record(kind: "opened" | "clicked", messageId: string, url: string | null, client: Client): void {
    if (stop.signal.aborted) return;
    const at = clock.now();
    const userAgent = client.userAgent?.slice(0, maxUserAgentLength) ?? null;
    const machine = isBot(client);
    const key = JSON.stringify([kind, messageId, url, userAgent, client.ip]);
    const queued = waiting.get(key);
    if (queued !== undefined) {
      if (at - queued.at >= dedupeMs) queued.count += 1;
      return;
    }
    if (waiting.size >= maxWaiting) {
      if (dropped === 0)
        log.warn(
          { event: "tracking.queue_full", waiting: waiting.size },
          "The queue of opens and clicks is full; new ones are dropped.",
        );
      dropped += 1;
      return;
    }
    waiting.set(key, {
      gatewayId: null,
      kind,
      messageId,
      reference: null,
      key: null,
      count: 1,
      at,
      receivedAt: at,
      machine,
      url,
      userAgent,
      ip: client.ip,
      reason: null,
      recipient: null,
    });
    draining ??= drain();
  }

  /** Puts an entry that was not stored back into the queue, merged with what has arrived for it meanwhile. */
  function putBack(key: string, engagement: IncomingEngagement): void {
    const queued = waiting.get(key);
    if (queued !== undefined) {
      const isRepeat = queued.at - engagement.at < dedupeMs;
      waiting.set(key, {
        ...engagement,
        count: engagement.count + (isRepeat ? queued.count - 1 : queued.count),
      });
    } else if (waiting.size < maxWaiting) waiting.set(key, engagement);
    else dropped += 1;
  }

  async function drain(): Promise<void> {
    // Lets the reply be sent first.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, batchSize);
      for (const [key] of batch) waiting.delete(key);
      const results = await Promise.allSettled(
        batch.map(([, engagement]) => database.run(storeEngagements, engagement)),
      );
      let failed: unknown = null;
      for (const [i, result] of results.entries()) {
        if (result.status === "fulfilled") continue;
        failed = result.reason;
        const [key, engagement] = batch[i]!;
        // Entries that may have been stored must not be counted twice.
        const unsure = failed instanceof StorageError && failed.fault === "commit_unknown";
        if (!unsure) putBack(key, engagement);
      }
      if (failed === null) {
        if (dropped > 0) log.warn({ event: "tracking.dropped", dropped }, "Opens and clicks were dropped.");
        dropped = 0;
        continue;
      }
      log.warn(
        { event: "tracking.store_failed", error: failed, waiting: waiting.size },
        "Opens and clicks could not be stored; they are stored again later.",
      );
      if (stop.signal.aborted) break;
      await clock.sleep(retryMs, stop.signal);
    }
    draining = null;
  }

  return {
    open(token, client) {
      const messageId = readOpenToken(sealer, token);
      if (messageId !== null) record("opened", messageId, null, client);
    },
    click(token, client, counted) {
      const click = readClickToken(sealer, token);
      if (click === null) return null;
      if (counted) record("clicked", click.messageId, click.target, client);
      return click.target;
    },
    canUnsubscribe: (token) => readUnsubscribeToken(sealer, token) !== null,
    async unsubscribe(token) {
      const subscription = readUnsubscribeToken(sealer, token);
      if (subscription === null) return false;
      return await database.run(unsubscribe, { ...subscription, at: clock.now() });
    },
    async close() {
      stop.abort();
      await draining;
    },
  };
}
