// One call of a pool key: within its limits and budget, served by its pool, and its usage told.

import type { FailoverDeps } from "#ai/failover/failover.ts";
import type { Budgets } from "#ai/limits/budget.ts";
import { promptTokens, reservedTokens } from "#ai/limits/estimate.ts";
import type { RateLimitState } from "#ai/limits/limits.ts";
import type { Throttle } from "#ai/limits/throttle.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import {
  type CallOutcome,
  type ClientRequest,
  type CompletionRequest,
  type CompletionResult,
  complete,
  type Pool,
} from "./complete.ts";

export interface Refusal {
  kind: "refused";
  by: "requests" | "tokens" | "concurrency" | "budget";
  retryAfterMs: number;
  levels: RateLimitState;
}

/** `gone`: the key was revoked a moment ago. */
export type ServeResult =
  | Refusal
  | { kind: "gone" }
  | { kind: "served"; completed: CompletionResult; levels: RateLimitState };

/** A call that has ended, for the usage record. */
export interface Ended extends CallOutcome {
  id: string;
  key: PoolKey;
  kind: CompletionRequest["kind"];
  stream: boolean;
  /** Epoch ms of its start. */
  at: number;
}

export interface ServeDeps {
  chain(pool: Pool): FailoverDeps;
  throttle: Throttle;
  budgets: Budgets;
  record(pool: Pool, ended: Ended): void;
}

/** Serves a call. `requestId` names its usage record; `signal`: the caller goes away. */
export async function serve(
  parts: ServeDeps,
  key: PoolKey,
  pool: Pool,
  request: ClientRequest,
  requestId: string,
  signal: LightAbortSignal,
): Promise<ServeResult> {
  const chain = parts.chain(pool);
  const at = chain.clock.now();
  // Awaited only where something has to be waited for: each await costs a turn and what it keeps.
  const spending = parts.budgets.exhaustedForMs(key, at);
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
  const asked = { ...request, allowedModels: key.models, promptTokens: prompt };
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
