// The limits that HTTP shares with mail submission: a key is as fast on both together as on one, and a guesser is slowed down on both.

import { BodyBudget } from "#http/body/budget.ts";
import type { HttpSettings } from "#http/settings.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type CredentialThrottle, createCredentialThrottle } from "./credential-throttle.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";

export interface SharedLimits {
  rateLimit: RateLimit;
  credentialThrottle: CredentialThrottle;
  /** The memory that all bodies and mails share while they arrive. */
  bodies: BodyBudget;
}

export function createSharedLimits(
  clock: Clock,
  { maxBodiesBytes }: Pick<HttpSettings, "maxBodiesBytes">,
): SharedLimits {
  return {
    rateLimit: createRateLimit(clock),
    credentialThrottle: createCredentialThrottle(clock),
    bodies: new BodyBudget(maxBodiesBytes),
  };
}
