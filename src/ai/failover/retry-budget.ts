// How much an outage may multiply a pool's load: each repeat, and what a request tries beyond its second member on
// members that are not well, is paid from a purse that each request fills a little. A member that is well costs
// nothing: an outage of two members must not keep requests from the third.

const perRequest = 0.2;
const most = 50;

export interface RetryBudget {
  /** A request came. */
  request(): void;
  /** Takes one more try; false: it is used up. */
  take(): boolean;
}

export function createRetryBudget(): RetryBudget {
  let left = most;
  return {
    request: () => {
      left = Math.min(most, left + perRequest);
    },
    take: () => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
