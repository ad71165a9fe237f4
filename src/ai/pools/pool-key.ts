// A pool key as requests use it: its pool, its rules in the terms of the API, and the budgets that its calls count towards.

import type { SharedBudgetRules } from "#contract/manage/pools/budgets.ts";
import type { KeyRules } from "#contract/manage/pools/keys.ts";

/** A budget that a call counts towards: that of its key, or one shared by the keys of its pool or account. */
export interface BudgetOwner {
  kind: "key" | "pool" | "account";
  id: string;
  accountId: string;
  /** Names for events: those of the pool and of the key; null if it belongs to more than one. */
  pool: string | null;
  key: string | null;
  budget: SharedBudgetRules;
}

export interface PoolKey extends Omit<KeyRules, "budget"> {
  id: string;
  poolId: string;
  accountId: string;
  /** The account's time zone: budget days and months are local. */
  timeZone: string;
  /** The key, the pool and the account, if they have a budget. */
  budgets: readonly BudgetOwner[];
  /** Epoch ms. */
  expiresAt: number | null;
}
