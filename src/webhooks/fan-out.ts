// Hands what happened to the webhook endpoints that ask for it: one loop in the whole installation, which owns
// the lane of this kind. Notes become events and deliveries in one transaction, so whatever stops it, the next
// owner goes on where the storage stands.

import { matchesPattern } from "#contract/messages/events.ts";
import type { Core } from "#core/core.ts";
import { AutoResetEvent } from "#queue/auto-reset-event.ts";
import type { OpenLane } from "#queue/lanes.ts";
import type { MessageRow } from "#store/messages/lookup.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import {
  type FanOutEvent,
  type OutboxPage,
  readOutbox,
  storeFanOut,
  type Told,
} from "#store/webhooks/fan-out.ts";
import { failAbandonedDeliveries } from "./stop-waiting.ts";

export const fanOutLane = { id: "fan_out", kind: "fan_out" } as const;

export interface FanOutParts extends Pick<Core, "clock" | "crashPoint" | "database" | "log" | "signals"> {
  /** The public record of a message. */
  record(message: MessageRow): object;
  /** How long to wait for a hint before looking anyway, ms. */
  pollMs: number;
}

/** Notes in one transaction, and as many messages of accepted requests. */
const atOnce = 500;
const firstRetryMs = 500;
const longestRetryMs = 10_000;

/** Starts the loop under the lane's fence. */
export function openFanOut(parts: FanOutParts, state: LanesTable): OpenLane {
  return new FanOut(parts, state);
}

class FanOut implements OpenLane {
  readonly id: string;
  readonly fence: number;
  readonly inFlight = 0;
  readonly #parts: FanOutParts;
  readonly #wait = new AutoResetEvent();
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(parts: FanOutParts, state: LanesTable) {
    this.id = state.id;
    this.fence = state.fence;
    this.#parts = parts;
    this.#ended = this.#run();
  }

  wake(): void {
    this.#wait.set();
  }

  async stop(): Promise<void> {
    this.abort();
    await this.#ended;
  }

  abort(): void {
    this.#stop.abort();
    this.#wait.set();
  }

  async #run(): Promise<void> {
    const { clock, log, pollMs } = this.#parts;
    const { signal } = this.#stop;
    let retryMs = firstRetryMs;
    let sweptAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      try {
        if (clock.monotonic() - sweptAt >= pollMs) {
          await failAbandonedDeliveries(this.#parts);
          sweptAt = clock.monotonic();
        }
        const more = await fanOutOnce(this.#parts);
        retryMs = firstRetryMs;
        if (!more && !signal.aborted) await this.#wait.wait(clock, pollMs);
      } catch (error) {
        log.warn({ error }, "events could not be handed to the webhook endpoints; they will be");
        await clock.sleep(retryMs, signal);
        retryMs = Math.min(retryMs * 2, longestRetryMs);
      }
    }
  }
}

/** One page of the outbox. Returns whether there may be more. */
export async function fanOutOnce(parts: FanOutParts): Promise<boolean> {
  const { database, clock, crashPoint } = parts;
  const page = await database.run(readOutbox, { limit: atOnce });
  if (page.notes.length === 0) return false;
  const events = eventsOf(parts, page);
  const at = clock.now();
  crashPoint("fan_out.before");
  const endpoints = await database.run(storeFanOut, { at, notes: page.notes, events });
  crashPoint("fan_out.after");
  for (const endpoint of endpoints) parts.signals.emit("laneDue", endpoint, at);
  return page.more;
}

/** The events that somebody asks for. */
function eventsOf({ record }: FanOutParts, { told, endpoints }: OutboxPage): FanOutEvent[] {
  const asking = endpoints.map((endpoint) => ({
    ...endpoint,
    patterns: JSON.parse(endpoint.events) as string[],
  }));
  return told.flatMap((one): FanOutEvent[] => {
    const { id, note_id, account_id, type, at, band } = one;
    const wanted = asking.filter(
      (endpoint) => endpoint.account_id === account_id && matchesPattern(endpoint.patterns, type),
    );
    if (wanted.length === 0) return [];
    const body = eventBody(type, at, dataOf(one, record));
    return [{ id, note_id, account_id, type, at, band, body, endpoints: wanted.map((each) => each.id) }];
  });
}

function dataOf({ message, data }: Told, record: FanOutParts["record"]): unknown {
  const more = data === "" ? {} : JSON.parse(data);
  return message === null ? more : { ...record(message), ...more };
}

/** The text that is posted and signed. `at`: epoch ms. */
export function eventBody(type: string, at: number, data: unknown): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
