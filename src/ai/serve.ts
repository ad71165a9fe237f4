// Serves one call of a pool key: checks its budget and limits, runs the completion, and records the usage.

import type { FailoverDeps } from "#ai/failover/call.ts";
import type { Budgets } from "#ai/limits/budget.ts";
import { promptTokens, reservedTokens } from "#ai/limits/estimate.ts";
import type { RateLimitState } from "#ai/limits/limits.ts";
import type { Throttle } from "#ai/limits/throttle.ts";
import type { Pool } from "#ai/pools/member.ts";
import type { PoolKey } from "#ai/pools/pool-key.ts";
import type { Origin, Repeats } from "#ai/repeats/repeats.ts";
import { CallSpan } from "#ai/tracing/call-span.ts";
import type { ClientFormat } from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Tracer } from "#runtime/tracing/tracing.ts";
import type { Caller } from "./caller.ts";
import {
  type CallOutcome,
  type ClientRequest,
  type CompletionRequest,
  type CompletionResult,
  complete,
} from "./complete.ts";
import { type Labels, labelsOf } from "./labels.ts";
import { pricedOnlyBy } from "./priced-members.ts";

/** A limit or a budget refuses the call. `levels`: what is left of the limits, for the headers. */
export interface RateLimited {
  kind: "refused";
  by: "requests" | "tokens" | "concurrency" | "budget";
  retryAfterMs: number;
  levels: RateLimitState;
}

/** `gone`: the key was revoked a moment ago. */
export type ServeResult =
  | RateLimited
  | { kind: "gone" }
  /** `origin`: for a request that may share the answer of an equal one. */
  | { kind: "served"; completed: CompletionResult; levels: RateLimitState; origin?: Origin };

/** A call that was admitted. */
export interface AdmittedCall {
  id: string;
  key: PoolKey;
  kind: CompletionRequest["kind"];
  /** The API of a completion request; null for another operation. */
  api: ClientFormat | null;
  stream: boolean;
  /** Epoch ms of its start. */
  at: number;
  clientRequestId: string | null;
  labels: Labels;
  person: Caller["person"];
}

export interface ServeDeps {
  chain(pool: Pool, caller: Caller): FailoverDeps;
  throttle: Throttle;
  budgets: Budgets;
  repeats: Repeats;
  record(pool: Pool, call: AdmittedCall, outcome: CallOutcome): void;
  /** Absent if calls record no spans. */
  tracer?: Tracer | undefined;
  /** A limit or a budget refused a client's call. */
  refused(key: PoolKey, by: RateLimited["by"], at: number, retryAfterMs: number): void;
}

/** A call on a pool, as accessed with its key. */
interface OpenedCall {
  key: PoolKey;
  pool: Pool;
  request: ClientRequest;
  caller: Caller;
  /** Aborts when the client disconnects. */
  signal: LightAbortSignal;
}

export function serve(deps: ServeDeps, call: OpenedCall): Promise<ServeResult> {
  const { tracer } = deps;
  if (tracer === undefined) return admitAndServe(deps, call);
  const { pool, request, caller } = call;
  const { kind, model, stream, api } = request;
  const { id, extraHeaders } = caller;
  const span = new CallSpan(tracer, { id, pool, kind, format: api.format, model, stream, extraHeaders });
  return traced(span, admitAndServe(deps, call, span));
}

/** Ends the span of a call here unless a member is called: then it ends with the last byte. */
async function traced(span: CallSpan, serving: Promise<ServeResult>): Promise<ServeResult> {
  try {
    const result = await serving;
    if (result.kind === "refused") span.refused(result.by);
    if (result.kind === "gone") span.broken(401);
    return result;
  } catch (error) {
    span.broken(500);
    throw error;
  }
}

async function admitAndServe(
  deps: ServeDeps,
  { key, pool, request, caller, signal }: OpenedCall,
  span?: CallSpan,
): Promise<ServeResult> {
  const chain = deps.chain(pool, caller);
  const at = chain.clock.now();
  const isOfClient = caller.isQueued !== true && caller.person === undefined;
  // Awaited only when pending: each await costs a turn of the event loop and keeps its frame alive.
  const spending = deps.budgets.exhaustedForMs(key, at);
  const exhaustedForMs = spending instanceof Promise ? await spending : spending;
  if (exhaustedForMs !== null) {
    if (isOfClient) deps.refused(key, "budget", at, exhaustedForMs);
    const levels = { requests: null, tokens: null };
    return { kind: "refused", by: "budget", retryAfterMs: exhaustedForMs, levels };
  }
  const { kind, stream, api } = request;
  const body = api.estimated;
  const prompt = promptTokens(kind, body);
  const judging = deps.throttle.admit(key, caller.id, reservedTokens(kind, body, prompt));
  const { admission, end } = judging instanceof Promise ? await judging : judging;
  if (admission.kind !== "admitted") {
    if (admission.kind === "refused" && isOfClient)
      deps.refused(key, admission.by, at, admission.retryAfterMs);
    return admission;
  }
  const completion = {
    ...request,
    allowedModels: key.models,
    pricedOnlyBy: pricedOnlyBy(key),
    promptTokens: prompt,
    extraHeaders: caller.extraHeaders,
    span,
  };
  let outcome: CallOutcome | null = null;
  const ended = (how: CallOutcome) => {
    outcome = how;
    // The slot is freed first: writing the record must not delay it.
    end(how.usage.totalTokens);
    const { id, clientRequestId, tags, person } = caller;
    const labels = labelsOf(request.body, tags);
    const asked = kind === "chat" ? api.format : null;
    deps.record(pool, { id, key, kind, api: asked, stream, at, clientRequestId, labels, person }, how);
    span?.ended(how);
  };
  const answer = () => complete(chain, pool, completion, signal, ended);
  const { repeatable } = request;
  try {
    if (repeatable === undefined)
      return { kind: "served", completed: await answer(), levels: admission.levels };
    const call = {
      pool,
      key,
      request: completion,
      repeatable,
      signal,
      answer,
      outcome: () => outcome,
      ended,
    };
    return { kind: "served", ...(await deps.repeats.serve(call)), levels: admission.levels };
  } catch (error) {
    end(0);
    throw error;
  }
}
