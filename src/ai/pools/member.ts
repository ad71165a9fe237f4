// A pool and its members as requests use them: their rules in the words of the API, and what is kept in memory.

import type { RetryBudget } from "#ai/failover/retry-budget.ts";
import type { MemberRules } from "#contract/manage/pools/members.ts";
import type { PoolRules } from "#contract/manage/pools/pools.ts";
import type { Provider } from "#providers/provider.ts";
import type { MemberKeys } from "./member-keys.ts";
import type { Candidate } from "./pool.ts";

export interface Member extends Candidate, Omit<MemberRules, keyof Candidate> {
  provider: Provider;
  settings: unknown;
  /** Null: it has one key, or none. */
  keys: MemberKeys | null;
}

export interface Pool extends PoolRules {
  id: string;
  accountId: string;
  name: string;
  /** Raised by each change of the pool or of one of its members. */
  revision: number;
  /** Epoch ms. */
  createdAt: number;
  members: readonly Member[];
  retryBudget: RetryBudget;
  /** Bounds the calls of which two members are asked when the first is late; null if the pool never asks two. */
  hedgeBudget: RetryBudget | null;
}
