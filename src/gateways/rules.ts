// The rules of one gateway: its pace, its retries, and its policy after an unknown outcome.

import { type GatewayRules, gatewayRules } from "#contract/manage/gateways.ts";
import { readFields } from "#contract/resource-schema.ts";
import type { RetryRule } from "#runtime/waiting/retry.ts";

/** How fast a gateway sends. Null for no limit of that kind. */
type Pace = GatewayRules["pace"];

/** An adapter's defaults for a gateway's rules. */
export interface DefaultPace {
  perSecond: number | null;
  jitterMs: number;
  perDay: number | null;
  /** More is useless if the provider handles one after the other. Default: no limit of the kind's own. */
  maxConcurrency?: number;
}

/**
 * The pace of a gateway whose adapter has defaults. The gateway's own limits take precedence. The jitter belongs to the rate: a gateway
 * with a rate of its own uses its own jitter.
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

/** The rules in a gateway's row. */
export const rulesIn = ({ rules }: { rules: string }): GatewayRules =>
  readFields(gatewayRules, JSON.parse(rules));

/** How long messages that were certainly not sent wait before the next attempt. */
export const retryRuleOf = ({ retry }: GatewayRules): RetryRule => ({
  firstMs: retry.first_ms,
  maxMs: retry.max_ms,
});
