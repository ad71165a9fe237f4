// A pool key for tests that need no pool: without limits, unless given.

import type { BudgetOwner, PoolKey } from "#ai/pools/pool-key.ts";
import type { SharedBudget } from "#store/schema/pools.ts";

export const noBudget: SharedBudget = {
  tokensPerDay: null,
  tokensPerMonth: null,
  costPerMonth: null,
  lowPercent: null,
};

/** The budget of an owner with this id. */
export function budgetOf(
  id: string,
  bounds: Partial<SharedBudget>,
  kind: BudgetOwner["kind"] = "key",
): BudgetOwner {
  return { kind, id, accountId: "acc_1", pool: "pool", key: null, budget: { ...noBudget, ...bounds } };
}

/** `budget`: of the key itself; `shared`: of others. */
export function poolKey({
  budget,
  shared = [],
  ...given
}: Partial<PoolKey> & { budget?: Partial<SharedBudget>; shared?: readonly BudgetOwner[] } = {}): PoolKey {
  const id = given.id ?? "key_1";
  return {
    id,
    poolId: "pool_1",
    accountId: "acc_1",
    timeZone: "Europe/Berlin",
    models: null,
    expiresAt: null,
    budgets: [...(budget ? [budgetOf(id, budget)] : []), ...shared],
    ...given,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null, ...given.limits },
  };
}
