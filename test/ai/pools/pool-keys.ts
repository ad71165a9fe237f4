// A pool key for tests that need no pool: without limits, unless given.

import type { PoolKey } from "#ai/pools/pool-key.ts";

export function poolKey(given: Partial<PoolKey> = {}): PoolKey {
  return {
    id: "key_1",
    poolId: "pool_1",
    accountId: "acc_1",
    timeZone: "Europe/Berlin",
    models: null,
    expiresAt: null,
    ...given,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null, ...given.limits },
    budget: { tokensPerDay: null, tokensPerMonth: null, costPerMonth: null, ...given.budget },
  };
}
