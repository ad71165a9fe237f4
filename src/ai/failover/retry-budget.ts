// Bounds how much an outage multiplies a pool's load. Each request deposits a little; each repeat, and each attempt
// beyond a request's second member at an unhealthy member, withdraws one. Attempts at healthy members are free: an
// outage of two members must not keep requests from the third.

const depositPerRequest = 0.2;
const maxBalance = 50;

export interface RetryBudget {
  /** Counts a request. */
  deposit(): void;
  /** Withdraws one attempt; false: the budget is exhausted. */
  tryWithdraw(): boolean;
}

export function createRetryBudget(): RetryBudget {
  let left = maxBalance;
  return {
    deposit: () => {
      left = Math.min(maxBalance, left + depositPerRequest);
    },
    tryWithdraw: () => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
