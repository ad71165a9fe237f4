// Limits how much an outage multiplies a pool's load. Each request deposits a little; each retry, and each attempt beyond a request's
// second member at an unhealthy member, withdraws one. Attempts at healthy members are free: an outage of two members must not keep
// requests from the third.

const depositPerRequest = 0.2;
const maxBalance = 50;

export interface RetryBudget {
  /** Counts a request. */
  deposit(): void;
  /** Withdraws one attempt; false if the budget is exhausted. */
  tryWithdraw(): boolean;
}

/** Maximum number of hedged calls that can be saved up. */
const maxHedges = 10;

/** Limits the share of calls that are sent twice. `share`: 0 to 1. */
export const createHedgeBudget = (share: number): RetryBudget => budgetOf(share, maxHedges, 1);

export const createRetryBudget = (): RetryBudget => budgetOf(depositPerRequest, maxBalance, maxBalance);

function budgetOf(deposit: number, max: number, first: number): RetryBudget {
  let left = first;
  return {
    deposit: () => {
      left = Math.min(max, left + deposit);
    },
    tryWithdraw: () => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
