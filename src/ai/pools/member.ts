// A pool and its members as requests use them: their rules in the terms of the API, and what is kept in memory.

import type { RetryBudget } from "#ai/failover/retry-budget.ts";
import type { MemberRules } from "#contract/manage/pools/members.ts";
import type { PoolRules } from "#contract/manage/pools/pools.ts";
import type { Provider } from "#providers/provider.ts";
import type { MemberKeys } from "./member-keys.ts";
import type { Candidate } from "./pool.ts";

export interface Member extends Candidate, Omit<MemberRules, keyof Candidate> {
  provider: Provider;
  settings: unknown;
  /** Null if it has at most one key. */
  keys: MemberKeys | null;
}

export interface Pool extends PoolRules {
  id: string;
  accountId: string;
  name: string;
  /** Incremented by each change of the pool or of one of its members. */
  revision: number;
  /** Epoch ms. */
  createdAt: number;
  members: readonly Member[];
  retryBudget: RetryBudget;
  /** Limits the calls that are sent to a second member when the first is late; null if the pool never does so. */
  hedgeBudget: RetryBudget | null;
}
