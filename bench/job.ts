// What the load client is asked to do, and what it answers.

import type { Percentiles } from "./histogram.ts";
import type { Target } from "./requests.ts";

export interface Job extends Target {
  connections: number;
  /** Ends after this many requests in all, or after this time, whichever comes first. */
  requests: number;
  durationMs: number;
  /** What comes before this does not count. */
  warmupMs: number;
  /** Rest of each connection between two requests. */
  restMs: number;
  /** Set: an open loop, so many requests a second from all connections together. */
  perSecond?: number;
  /** Keep the ids of bulk answers. */
  ids?: boolean;
}

export interface JobResult extends Percentiles {
  perSecond: number;
  /** Requests sent, those of the warm-up too. */
  asked: number;
  /** Answers that were not 2xx, and broken connections. */
  failed: number;
  firstFailure: string | null;
  ids: string[];
  /** Of an open loop: how late the load client itself was with requests for which a connection was free. */
  ownDelayP99Ms: number;
}
