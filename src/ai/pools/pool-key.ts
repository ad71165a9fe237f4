// A pool key as requests use it: its pool, limits, budget and models.

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
  /** The account's time zone: budget days and months are local. */
  timeZone: string;
  /** The models that the key may use; null: all of the pool. */
  models: readonly string[] | null;
  limits: KeyLimits;
  budget: KeyBudget;
  /** Epoch ms. */
  expiresAt: number | null;
}
