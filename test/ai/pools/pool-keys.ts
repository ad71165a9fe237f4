// A pool key for tests that need no pool: without limits, unless given.

import type { BudgetOwner, PoolKey } from "#ai/pools/pool-key.ts";
import type { SharedBudgetRules } from "#contract/manage/pools/budgets.ts";

export const noBudget: SharedBudgetRules = {
  tokens_per_day: null,
  tokens_per_month: null,
  cost_per_month: null,
  unpriced: null,
  low_percent: null,
};

/** The budget of an owner with this id. */
export function budgetOf(
  id: string,
  bounds: Partial<SharedBudgetRules>,
  kind: BudgetOwner["kind"] = "key",
): BudgetOwner {
  return { kind, id, accountId: "acc_1", pool: "pool", key: null, budget: { ...noBudget, ...bounds } };
}

/** `budget`: of the key itself; `shared`: of others. */
export function poolKey({
  budget,
  shared = [],
  ...input
}: Partial<PoolKey> & {
  budget?: Partial<SharedBudgetRules>;
  shared?: readonly BudgetOwner[];
} = {}): PoolKey {
  const id = input.id ?? "key_1";
  return {
    id,
    poolId: "pool_1",
    accountId: "acc_1",
    timeZone: "Europe/Berlin",
    models: null,
    expiresAt: null,
    budgets: [...(budget ? [budgetOf(id, budget)] : []), ...shared],
    ...input,
    limits: { requests_per_minute: null, tokens_per_minute: null, concurrency: null, ...input.limits },
  };
}
