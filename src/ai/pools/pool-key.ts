// A pool key as a request needs it: what it opens, and how much of it.

import type { KeyLimits } from "#ai/limits/limits.ts";

export interface KeyBudget {
  tokensPerDay: number | null;
  tokensPerMonth: number | null;
  /** Millionths of the currency unit. */
  costPerMonth: number | null;
}

export interface PoolKey {
  id: string;
  poolId: string;
  accountId: string;
  /** The account's: days and months of budgets are local. */
  timeZone: string;
  /** The models it may use; null: all of the pool. */
  models: readonly string[] | null;
  limits: KeyLimits;
  budget: KeyBudget;
  /** Epoch ms. */
  expiresAt: number | null;
}
