// How much an outage may multiply a pool's load: what a request tries beyond its second member, and every repeat,
// is paid from a purse that each request fills a little.

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
