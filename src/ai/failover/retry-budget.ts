// How much an outage may multiply a pool's load: each repeat, and what a request tries beyond its second member on
// members that are not well, is paid from a purse that each request fills a little. A member that is well costs
// nothing: an outage of two members must not keep requests from the third.

const depositPerRequest = 0.2;
const maxBalance = 50;

export interface RetryBudget {
  /** A request came. */
  deposit(): void;
  /** Takes one more try; false: it is used up. */
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
