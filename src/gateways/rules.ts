// The rules of one gateway: its pace, its retries, and what happens after an unknown outcome.

import { type GatewayRules, gatewayRules } from "#contract/manage/gateways.ts";
import { readFields } from "#contract/resource-schema.ts";
import type { RetryRule } from "#runtime/waiting/retry.ts";

/** How fast a gateway sends. Null: no limit of that kind. */
type Pace = GatewayRules["pace"];

/** What an adapter sets where a gateway's rules set nothing. */
export interface DefaultPace {
  perSecond: number | null;
  jitterMs: number;
  perDay: number | null;
  /** More is of no use: the provider takes one after the other. Default: no bound of the kind's own. */
  maxConcurrency?: number;
}

/**
 * The pace of a gateway whose adapter has a default. A limit of its own takes precedence. The jitter belongs to the rate: with a
 * rate of its own, a gateway has its own.
 */
export function paceOf(pace: Pace, defaults: DefaultPace | undefined): Pace {
  if (defaults === undefined) return pace;
  return {
    ...pace,
    per_second: pace.per_second ?? defaults.perSecond,
    per_day: pace.per_day ?? defaults.perDay,
    jitter_ms: pace.jitter_ms === 0 && pace.per_second === null ? defaults.jitterMs : pace.jitter_ms,
    concurrency: Math.min(pace.concurrency, defaults.maxConcurrency ?? Number.POSITIVE_INFINITY),
  };
}

/** The rules that a gateway's row has. */
export const rulesIn = ({ rules }: { rules: string }): GatewayRules =>
  readFields(gatewayRules, JSON.parse(rules));

/** How long messages that were certainly not sent wait before they are tried again. */
export const retryRuleOf = ({ retry }: GatewayRules): RetryRule => ({
  firstMs: retry.first_ms,
  maxMs: retry.max_ms,
});
