// The rules of one gateway: its pace, its retries, and what happens after an unknown outcome.

import type { RetryRule } from "#runtime/waiting/retry.ts";

/** How fast a gateway sends. Null: no limit of that kind. */
interface Pace {
  perSecond: number | null;
  concurrency: number;
  jitterMs: number;
  perDay: number | null;
  /** Hours of the day in the account's zone, `"08:00-20:00"`; may wrap midnight. */
  hours: string | null;
}

/** What an adapter sets where a gateway's rules set nothing. */
export type DefaultPace = Pick<Pace, "perSecond" | "jitterMs" | "perDay"> & {
  /** More is of no use: the provider takes one after the other. */
  maxConcurrency: number;
};

/**
 * The pace of a gateway whose adapter has a default. A limit of its own takes precedence. The jitter belongs to the rate: with a
 * rate of its own, a gateway has its own.
 */
export function paceOf(pace: Pace, defaults: DefaultPace | undefined): Pace {
  if (defaults === undefined) return pace;
  return {
    ...pace,
    perSecond: pace.perSecond ?? defaults.perSecond,
    perDay: pace.perDay ?? defaults.perDay,
    jitterMs: pace.jitterMs === 0 && pace.perSecond === null ? defaults.jitterMs : pace.jitterMs,
    concurrency: Math.min(pace.concurrency, defaults.maxConcurrency),
  };
}

interface RetryRules extends RetryRule {
  /** How long after its first deferral a message is still tried, not counting pauses of the lane. */
  forMs: number;
}

export interface GatewayRules {
  pace: Pace;
  retry: RetryRules;
  /** Null: the default of the adapter. */
  onUnknown: "hold" | "resend" | null;
}
