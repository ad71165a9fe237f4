// Counts of changes of messages and webhook deliveries, collected beside the transactions that make them and stored about once a second
// (`message-counts.ts`). They count once their transaction has committed. A process that is killed loses at most the counts of the last
// second; no message or delivery depends on them.

import type { Channel } from "#contract/messages/channel.ts";
import { addDuration, type Histogram, merge } from "#store/histogram.ts";

/** What is counted: changes of messages, at the time of each; `deferred` counts attempts. */
export const countNames = [
  "accepted",
  "deferred",
  "sent",
  "delivered",
  "read",
  "undelivered",
  "failed",
  "bounced",
  "expired",
  "cancelled",
  "suppressed",
  "unknown",
] as const;
export type CountName = (typeof countNames)[number];
export type Counts = Record<CountName, number>;

/** A gateway's counts of one minute, or those of a webhook endpoint (channel `webhook`). */
export interface MinuteCounts extends Counts {
  account_id: string;
  channel: Channel | "webhook";
  /** Or of the endpoint. */
  gateway_id: string;
  /** When the minute begins, epoch ms. */
  at: number;
  /** From when messages could be sent until they were sent. */
  waits: Histogram;
  /** From when messages were sent until they were delivered. */
  deliveries: Histogram;
}

/**
 * An event of `n` messages of a gateway at `at` (epoch ms). For a webhook endpoint: `delivered` is a delivery, `failed` an attempt that is
 * followed by another, `undelivered` a delivery that is not retried.
 */
export interface CountedEvent {
  name: CountName;
  account_id: string;
  channel: Channel | "webhook";
  gateway_id: string;
  at: number;
  /** Default: 1. */
  n?: number;
  /** For `sent`: how long the message waited; for `delivered`: how long the delivery took. In ms; null if unknown. */
  ms?: number | null;
}

/** A message that ended without being delivered. */
export interface EndedMessage {
  id: string;
  account_id: string;
  gateway_id: string;
  channel: Channel;
  status: CountName;
  code: string | null;
}

/** At most this many ended messages are kept for the log; further ones are only counted. */
const maxEnded = 1_000;

const minuteMs = 60_000;

export const noCounts = (): Counts =>
  Object.fromEntries(countNames.map((name) => [name, 0])) as unknown as Counts;

/** The counts of one transaction. The engine calls `commit` or `discard` when the transaction has ended. */
export interface TransactionCounts {
  add(event: CountedEvent): void;
  end(message: EndedMessage): void;
  /** Takes all counts that wait to be stored. If the transaction fails, they wait again. */
  take(): MinuteCounts[];
  /** Takes the ended messages that wait to be logged, and how many more there were. If the transaction fails, they wait again. */
  takeEnded(): { ended: EndedMessage[]; more: number };
  /** Whether the transaction counts anything. */
  hasAny(): boolean;
  commit(): void;
  discard(): void;
}

/** Counts of one database that wait to be stored. Bounded by the number of gateways and endpoints in the minutes since the last write. */
export class CountBuffer {
  readonly #waiting = new Map<string, MinuteCounts>();
  #ended: EndedMessage[] = [];
  #more = 0;

  transaction(): TransactionCounts {
    const added = new Map<string, MinuteCounts>();
    let ended: EndedMessage[] = [];
    let taken: MinuteCounts[] = [];
    let takenEnded: EndedMessage[] = [];
    let takenMore = 0;
    const end = (kept: Iterable<MinuteCounts>) => {
      for (const counts of kept) addCounts(this.#waiting, counts);
      added.clear();
      taken = [];
      ended = [];
      takenEnded = [];
      takenMore = 0;
    };
    return {
      add: (event) => addEvent(added, event),
      end: (message) => void ended.push(message),
      takeEnded: () => {
        takenEnded = this.#ended;
        takenMore = this.#more;
        this.#ended = [];
        this.#more = 0;
        return { ended: takenEnded, more: takenMore };
      },
      take: () => {
        taken = [...this.#waiting.values()];
        this.#waiting.clear();
        return taken;
      },
      hasAny: () => added.size > 0 || ended.length > 0,
      commit: () => {
        this.#keep(ended);
        end(added.values());
      },
      discard: () => {
        // Before those that ended meanwhile, so that the log has the order in which messages ended.
        const since = this.#ended;
        this.#ended = [];
        this.#keep(takenEnded, takenMore);
        this.#keep(since);
        end(taken);
      },
    };
  }

  #keep(ended: readonly EndedMessage[], more = 0): void {
    const room = maxEnded - this.#ended.length;
    this.#ended.push(...ended.slice(0, room));
    this.#more += more + Math.max(0, ended.length - room);
  }
}

function addEvent(sums: Map<string, MinuteCounts>, event: CountedEvent): void {
  const { name, account_id, channel, gateway_id, n = 1, ms = null } = event;
  const at = event.at - (event.at % minuteMs);
  const key = `${gateway_id} ${at}`;
  let sum = sums.get(key);
  if (sum === undefined) {
    sum = { account_id, channel, gateway_id, at, ...noCounts(), waits: {}, deliveries: {} };
    sums.set(key, sum);
  }
  sum[name] += n;
  if (ms === null) return;
  addDuration(name === "sent" ? sum.waits : sum.deliveries, Math.max(0, ms));
}

function addCounts(sums: Map<string, MinuteCounts>, counts: MinuteCounts): void {
  const key = `${counts.gateway_id} ${counts.at}`;
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, counts);
    return;
  }
  for (const name of countNames) sum[name] += counts[name];
  merge(sum.waits, counts.waits);
  merge(sum.deliveries, counts.deliveries);
}
