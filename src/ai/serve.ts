// One call of a pool key: within its limits and budget, served by its pool, and its usage told.

import type { ChainParts } from "#ai/failover/failover.ts";
import type { Budgets } from "#ai/limits/budget.ts";
import { promptTokens, reservedTokens } from "#ai/limits/estimate.ts";
import type { Levels } from "#ai/limits/limits.ts";
import type { Throttle } from "#ai/limits/throttle.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import {
  type AskedRequest,
  type Completed,
  type CompletionRequest,
  complete,
  type Pool,
  type Spent,
} from "./complete.ts";

export interface Refused {
  kind: "refused";
  by: "requests" | "tokens" | "concurrency" | "budget";
  retryAfterMs: number;
  levels: Levels;
}

/** `gone`: the key was revoked a moment ago. */
export type Served = Refused | { kind: "gone" } | { kind: "served"; completed: Completed; levels: Levels };

/** A call that has ended, for the usage record. */
export interface Ended extends Spent {
  id: string;
  key: PoolKey;
  kind: CompletionRequest["kind"];
  stream: boolean;
  /** Epoch ms of its start. */
  at: number;
}

export interface ServeParts {
  chain(pool: Pool): ChainParts;
  throttle: Throttle;
  budgets: Budgets;
  record(pool: Pool, ended: Ended): void;
}

/** Serves a call. `requestId` names its usage record; `signal`: the caller goes away. */
export async function serve(
  parts: ServeParts,
  key: PoolKey,
  pool: Pool,
  request: AskedRequest,
  requestId: string,
  signal: LightAbortSignal,
): Promise<Served> {
  const chain = parts.chain(pool);
  const at = chain.clock.now();
  // Awaited only where something has to be waited for: each await costs a turn and what it keeps.
  const spending = parts.budgets.spentOut(key, at);
  const spentOut = spending instanceof Promise ? await spending : spending;
  if (spentOut !== null) {
    const levels = { requests: null, tokens: null };
    return { kind: "refused", by: "budget", retryAfterMs: spentOut, levels };
  }
  const { kind, stream, body } = request;
  const prompt = promptTokens(kind, body);
  const judging = parts.throttle.admit(key, requestId, reservedTokens(kind, body, prompt));
  const { admission, end } = judging instanceof Promise ? await judging : judging;
  if (admission.kind !== "admitted") return admission;
  const asked = { ...request, allowed: key.models, promptTokens: prompt };
  const completed = await complete(chain, pool, asked, signal, (spent) => {
    // The slot first: telling must not keep it.
    end(spent.usage.totalTokens);
    parts.record(pool, { ...spent, id: requestId, key, kind, stream, at });
  }).catch((error) => {
    end(0);
    throw error;
  });
  return { kind: "served", completed, levels: admission.levels };
}
