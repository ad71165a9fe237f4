// One call of a pool key: within its limits and budget, served by its pool, and its usage told.

import type { StopSignal } from "#runtime/stop.ts";
import type { Budgets } from "./budget.ts";
import type { ChainParts } from "./chain.ts";
import { type Completed, type CompletionRequest, complete, type Pool, type Spent } from "./complete.ts";
import type { Levels } from "./limits.ts";
import type { PoolKey } from "./pool-key.ts";
import type { Throttle } from "./throttle.ts";

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

const unitsPerToken = 4;
/** What an answer is reckoned to take when the caller sets no bound. */
const usualAnswer = 256;

/** What a call will probably take, tokens: it is set aside, and settled when the call has ended. */
export function reckoned({ text, body }: Pick<CompletionRequest, "text" | "body">): number {
  const bound = [body.max_completion_tokens, body.max_tokens].find(
    (one) => typeof one === "number" && Number.isFinite(one) && one >= 0,
  ) as number | undefined;
  return Math.ceil(text.length / unitsPerToken) + Math.min(Math.ceil(bound ?? usualAnswer), 1_000_000);
}

/** Serves a call. `requestId` names its usage record; `signal`: the caller goes away. */
export async function serve(
  parts: ServeParts,
  key: PoolKey,
  pool: Pool,
  request: Omit<CompletionRequest, "allowed">,
  requestId: string,
  signal: StopSignal,
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
  const tokens = reckoned(request);
  const judging = parts.throttle.admit(key, requestId, tokens);
  const { admission, end } = judging instanceof Promise ? await judging : judging;
  if (admission.kind !== "admitted") return admission;
  const { kind, stream } = request;
  const completed = await complete(chain, pool, { ...request, allowed: key.models }, signal, (spent) => {
    // The slot first: telling must not keep it.
    end(spent.usage.totalTokens);
    parts.record(pool, { ...spent, id: requestId, key, kind, stream, at });
  }).catch((error) => {
    end(0);
    throw error;
  });
  return { kind: "served", completed, levels: admission.levels };
}
