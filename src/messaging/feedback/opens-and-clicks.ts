// Loads of pixels and followed links, on their way into the store: taken at once, written a moment later and many
// together, so that no flood of them and no fault of the storage is ever felt by whoever asked. What a full queue does
// not take, or a crash takes with it, is lost: openings are a hint, never a promise.

import type { Core } from "#core/core.ts";
import { readClickToken, readOpenToken, readUnsubscribeToken } from "#messaging/email/tokens.ts";
import { StorageError } from "#store/database.ts";
import { type IncomingEngagement, storeEngagements, unsubscribe } from "#store/feedback/engagements.ts";
import { type Client, isBot } from "./bots.ts";

export type OpenAndClickTrackingDeps = Pick<Core, "clock" | "database" | "log" | "sealer" | "signals">;

/** What recipients do with what their mails carry. Nothing here throws for a bad token. */
export interface OpenAndClickTracking {
  /** Somebody loads a pixel; a token that is none of ours is nothing. */
  open(token: string, visitor: Client): void;
  /** Where the link leads; null: the token is none of ours. `counted` false: only looked at (HEAD). */
  click(token: string, visitor: Client, counted: boolean): string | null;
  /** Whether somebody can unsubscribe with this token. */
  canUnsubscribe(token: string): boolean;
  /** Resolves once the recipient is on the suppression list; false: the token is none of ours. Rejects when storage does. */
  unsubscribe(token: string): Promise<boolean>;
  /** Writes what waits, as far as storage takes it, and takes nothing more. */
  close(): Promise<void>;
}

/** Different visits that may wait; beyond it they are dropped. Some 10 MB. */
const maxWaiting = 20_000;
const batchSize = 500;
const retryMs = 2_000;
/** The same visitor again within this time is the same visit: programs load an image more than once. */
const dedupeMs = 1_000;
const maxUserAgentLength = 300;

export function createOpenAndClickTracking(parts: OpenAndClickTrackingDeps): OpenAndClickTracking {
  const { database, clock, log, sealer } = parts;
  const waiting = new Map<string, IncomingEngagement>();
  const stop = new AbortController();
  let draining: Promise<void> | null = null;
  let dropped = 0;

  function record(kind: "opened" | "clicked", messageId: string, url: string | null, visitor: Client): void {
    if (stop.signal.aborted) return;
    const at = clock.now();
    const userAgent = visitor.userAgent?.slice(0, maxUserAgentLength) ?? null;
    const machine = isBot(visitor);
    const key = JSON.stringify([kind, messageId, url, userAgent, visitor.ip]);
    const known = waiting.get(key);
    if (known !== undefined) {
      if (at - known.at >= dedupeMs) known.count += 1;
      return;
    }
    if (waiting.size >= maxWaiting) {
      if (dropped === 0)
        log.warn({ waiting: waiting.size }, "more openings come than storage takes; some are lost");
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
      ip: visitor.ip,
      reason: null,
    });
    draining ??= drain();
  }

  async function drain(): Promise<void> {
    // The answer to whoever is waiting for it goes out first.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, batchSize);
      for (const [key] of batch) waiting.delete(key);
      const results = await Promise.allSettled(batch.map(([, one]) => database.run(storeEngagements, one)));
      let failed: unknown = null;
      for (const [i, result] of results.entries()) {
        if (result.status === "fulfilled") continue;
        failed = result.reason;
        const [key, one] = batch[i]!;
        // What may have been stored is not counted twice.
        const unsure = failed instanceof StorageError && failed.fault === "commit_unknown";
        if (!unsure && !waiting.has(key) && waiting.size < maxWaiting) waiting.set(key, one);
      }
      if (failed === null) {
        parts.signals.emit("eventsRecorded");
        if (dropped > 0) log.warn({ dropped }, "openings were lost");
        dropped = 0;
        continue;
      }
      log.warn({ error: failed, waiting: waiting.size }, "openings could not be stored; they will be");
      if (stop.signal.aborted) break;
      await clock.sleep(retryMs, stop.signal);
    }
    draining = null;
  }

  return {
    open(token, visitor) {
      const messageId = readOpenToken(sealer, token);
      if (messageId !== null) record("opened", messageId, null, visitor);
    },
    click(token, visitor, counted) {
      const known = readClickToken(sealer, token);
      if (known === null) return null;
      if (counted) record("clicked", known.messageId, known.target, visitor);
      return known.target;
    },
    canUnsubscribe: (token) => readUnsubscribeToken(sealer, token) !== null,
    async unsubscribe(token) {
      const known = readUnsubscribeToken(sealer, token);
      return known !== null && (await database.run(unsubscribe, { ...known, at: clock.now() }));
    },
    async close() {
      stop.abort();
      await draining;
    },
  };
}
