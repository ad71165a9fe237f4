// The fan-out: turns entries of the outbox into events and deliveries for the webhook endpoints that subscribe to them.
// One process of the installation runs it, the owner of its lane. Each page is one transaction, so the next owner goes
// on where the last one stopped.

import type { MessageEventData } from "#contract/events/shapes.ts";
import { matchesPattern } from "#contract/messages/events.ts";
import type { Core } from "#core/core.ts";
import { openLoop } from "#queue/loop.ts";
import type { OpenLane } from "#queue/open-lane.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import {
  type FanOutEvent,
  type OutboxEvent,
  type OutboxPage,
  readOutbox,
  storeFanOut,
} from "#store/webhooks/fan-out.ts";
import { failAbandonedDeliveries } from "./fail-pending.ts";

/** The only lane of the kind `fan_out`, which the whole installation shares. */
export const fanOutLane = { id: "fan_out", kind: "fan_out" } as const;

export interface FanOutDeps extends Pick<Core, "clock" | "crashPoint" | "database" | "log"> {
  /** The public record of a message. */
  record(message: MessageRow): MessageEventData;
  /** How long to wait for a notification before reading the outbox anyway, ms. */
  pollMs: number;
}

/** Outbox entries in one transaction, and as many messages of accepted requests. */
const batchSize = 500;

/** Starts the fan-out in the process that owns its lane. */
export function openFanOut(deps: FanOutDeps, lane: Pick<LanesTable, "id" | "fence">): OpenLane {
  const { clock, log, pollMs } = deps;
  let sweptAt = Number.NEGATIVE_INFINITY;
  return openLoop(lane, {
    clock,
    log,
    turn: async () => {
      if (clock.monotonic() - sweptAt >= pollMs) {
        await failAbandonedDeliveries(deps);
        sweptAt = clock.monotonic();
      }
      const more = await fanOutOnce(deps);
      return more ? 0 : pollMs;
    },
    failure: {
      event: "fan_out.failed",
      message: "Events could not be handed to the webhook endpoints; the fan-out retries.",
    },
  });
}

/** Fans one page of the outbox out. Returns whether there may be more. */
export async function fanOutOnce(deps: FanOutDeps): Promise<boolean> {
  const { database, clock, crashPoint } = deps;
  const page = await database.run(readOutbox, { limit: batchSize });
  if (page.steps.length === 0) return false;
  const events = subscribedEvents(deps, page);
  const at = clock.now();
  crashPoint("fan_out.before");
  await database.run(storeFanOut, { at, steps: page.steps, events });
  crashPoint("fan_out.after");
  return page.more;
}

/** The events of a page that at least one endpoint subscribes to. */
function subscribedEvents({ record }: FanOutDeps, page: OutboxPage): FanOutEvent[] {
  const subscriptions = page.endpoints.map((endpoint) => ({
    ...endpoint,
    patterns: JSON.parse(endpoint.events) as string[],
  }));
  const callbacks = new Set(page.withStatusCallback);
  return page.events.flatMap((event): FanOutEvent[] => {
    const { id, entry_id, account_id, type, at, priority, message } = event;
    const subscribers = subscriptions.filter(
      ({ patterns, format, ...endpoint }) =>
        endpoint.account_id === account_id &&
        matchesPattern(patterns, type) &&
        (format === null || (message !== null && callbacks.has(message.id))),
    );
    if (subscribers.length === 0) return [];
    const body = eventBody(type, at, eventData(event, record));
    const endpoints = subscribers.map((endpoint) => endpoint.id);
    return [{ id, entry_id, account_id, type, at, priority, body, endpoints }];
  });
}

function eventData({ message, data }: OutboxEvent, record: FanOutDeps["record"]): unknown {
  const details = data === "" ? {} : JSON.parse(data);
  return message === null ? details : { ...record(message), ...details };
}

/** The text that is posted and signed. `at`: epoch ms. */
export function eventBody(type: string, at: number, data: unknown): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
