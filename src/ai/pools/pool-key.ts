// A pool key as requests use it: its pool, limits, budget and models.

import type { KeyLimits } from "#ai/limits/limits.ts";
import type { SharedBudgetRules } from "#contract/manage/pools/budgets.ts";

/** A budget that a call counts for: of its key, or shared by the keys of its pool or account. */
export interface BudgetOwner {
  kind: "key" | "pool" | "account";
  id: string;
  accountId: string;
  /** Names for events: of the pool, and of the key; null: it is of more than one. */
  pool: string | null;
  key: string | null;
  budget: SharedBudgetRules;
}

export interface PoolKey {
  id: string;
  poolId: string;
  accountId: string;
  /** The account's time zone: budget days and months are local. */
  timeZone: string;
  /** The models that the key may use; null: all of the pool. */
  models: readonly string[] | null;
  limits: KeyLimits;
  /** Those with a bound. */
  budgets: readonly BudgetOwner[];
  /** Epoch ms. */
  expiresAt: number | null;
}
