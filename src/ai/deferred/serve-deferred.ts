// The lane of a pool's deferred completions. Each attempt is an ordinary call with the key that created the completion, subject to its
// limits and budget. Temporary failures (an outage, a limit, a budget) are retried until the completion expires; failures that only the
// caller can fix end it. If the lane's owner dies, the next owner repeats its calls in progress: a second answer costs tokens, but the
// completion still ends only once.

import type { AiGateway } from "#ai/ai.ts";
import type { Caller } from "#ai/caller.ts";
import type { ServeResult } from "#ai/serve.ts";
import { type AiProblemCode, aiProblems, type OpenAiError, openAiError } from "#contract/ai/openai-error.ts";
import { isProblem } from "#contract/problem.ts";
import type { Core } from "#core/core.ts";
import { Lane } from "#queue/lane.ts";
import type { LaneWork } from "#queue/lane-work.ts";
import type { ClaimedLane, OpenLane } from "#queue/open-lane.ts";
import { priorities } from "#queue/priority.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { type RetryRule, retryDelay } from "#runtime/waiting/retry.ts";
import {
  beginDeferred,
  type DeferredOutcome,
  type DueDeferred,
  deferredContext,
  nextDueDeferred,
  readDueDeferred,
  settleDeferred,
} from "#store/pools/deferred-completions.ts";
import type { DeferredCompletionsTable } from "#store/schema/pools.ts";
import type { DeferredResult } from "./deferred.ts";
import { callOf, unpacked } from "./stored-request.ts";

interface ServeDeferredDeps
  extends Pick<Core, "clock" | "crashPoint" | "database" | "log" | "newId" | "random" | "sealer"> {
  ai: Pick<AiGateway, "openById" | "serve">;
  /** The longest wait for the due time, ms. */
  maxWaitMs: number;
}

/** Low enough that a backlog leaves most of a key's concurrency to callers that wait. */
const concurrency = 4;
/** Maximum number of attempts, so that a request that crashes the process each time ends before it expires. */
const maxAttempts = 120;
const retry: RetryRule = { firstMs: 15_000, maxMs: 15 * 60_000 };

/** Starts the lane of a pool's deferred completions. */
export function openDeferredLane(deps: ServeDeferredDeps, state: ClaimedLane): OpenLane {
  const { clock, random, log, maxWaitMs } = deps;
  return new Lane({
    work: deferredWork(deps, state.id, state.fence),
    rules: { concurrency },
    state: { id: state.id, fence: state.fence },
    clock,
    random: random.random,
    log,
    maxWaitMs,
    interrupted: state.interrupted,
  });
}

type Failure = { error: OpenAiError; status: number; path?: string };

const failureOf = (code: AiProblemCode): Failure => ({
  error: openAiError(code),
  status: aiProblems[code].status,
});

/** The result of an attempt. `stopped`: this process is stopping, and another one will repeat the attempt. */
type Attempted =
  | { kind: "ended"; result: DeferredResult }
  | { kind: "retry"; afterMs: number; failure: Failure }
  | { kind: "stopped" };

/** The work of a pool's lane, owned under `fence`. */
function deferredWork(
  deps: ServeDeferredDeps,
  poolId: string,
  fence: number,
): LaneWork<DueDeferred, { row: DeferredCompletionsTable; attempted: Attempted }> {
  const { clock, crashPoint, database, sealer } = deps;
  const begun = new Map<string, DeferredCompletionsTable>();
  return {
    readDue: (query) => database.run(readDueDeferred, { laneId: poolId, ...query }),
    nextDue: (now) => database.run(nextDueDeferred, { laneId: poolId, priorities, now }),
    beginAttempts: async (rows) => {
      const result = await database.run(beginDeferred, { poolId, fence, ids: rows.map(({ id }) => id) });
      if (result.kind === "fenced") return result;
      for (const row of result.rows) begun.set(row.id, row);
      return { kind: "begun", attempts: new Map(result.rows.map(({ id, attempts }) => [id, attempts])) };
    },
    send: async ({ id }, _attempt, signal) => {
      const row = begun.get(id)!;
      begun.delete(id);
      crashPoint("deferred.before");
      const attempted = await attempt(deps, row, signal);
      crashPoint("deferred.after");
      return { row, attempted };
    },
    settle: async ({ id }, attempt, { row, attempted }) => {
      const at = clock.now();
      const outcome = outcomeOf(row, attempted, at, deps.random.random(), (result) =>
        sealer.seal(JSON.stringify(result), deferredContext(id, "result")),
      );
      return await database.run(settleDeferred, { id, attempt, at, outcome });
    },
    // No breaker: the members of the pool have their own health.
  };
}

async function attempt(
  { ai, clock, log, newId, sealer }: ServeDeferredDeps,
  row: DeferredCompletionsTable,
  signal: LightAbortSignal,
): Promise<Attempted> {
  try {
    const stored = unpacked(sealer.unseal(row.request ?? "", deferredContext(row.id, "request")));
    if (stored === null) return { kind: "ended", result: failureOf("malformed_body") };
    const of = (attempted: Attempted) => withPath(stored.path, attempted);
    if (clock.now() >= row.expires_at || row.attempts > maxAttempts)
      return of({ kind: "ended", result: expired });
    const opened = await ai.openById(row.key_id);
    if (opened === null) return of({ kind: "ended", result: failureOf("invalid_api_key") });
    const request = callOf(stored, { id: row.id, createdAt: row.created_at });
    if (isProblem(request)) return of({ kind: "ended", result: failureOf("malformed_body") });
    const caller: Caller = {
      id: newId("req"),
      clientRequestId: row.id,
      tags: [],
      extraHeaders: null,
      isQueued: true,
    };
    return of(judge(await ai.serve(opened, request, caller, signal)));
  } catch (error) {
    // A storage error, or a bug of ours.
    log.warn(
      { event: "deferred.attempt_failed", completion: row.id, error },
      "An attempt of a deferred completion failed; it is tried again.",
    );
    return { kind: "retry", afterMs: 0, failure: failureOf("server_error") };
  }
}

/** Records which operation was called, so that its result is written in that format. */
function withPath(path: string, attempted: Attempted): Attempted {
  switch (attempted.kind) {
    case "ended":
      return { kind: "ended", result: { ...attempted.result, path } };
    case "retry":
      return { ...attempted, failure: { ...attempted.failure, path } };
    case "stopped":
      return attempted;
  }
}

function judge(served: ServeResult): Attempted {
  if (served.kind === "gone") return { kind: "ended", result: failureOf("invalid_api_key") };
  if (served.kind === "refused") {
    const code = served.by === "budget" ? "insufficient_quota" : "rate_limit_exceeded";
    return { kind: "retry", afterMs: served.retryAfterMs, failure: failureOf(code) };
  }
  const { completed } = served;
  switch (completed.kind) {
    case "answer":
      return { kind: "ended", result: { response: completed.text } };
    case "aborted":
      return { kind: "stopped" };
    case "stream":
      completed.stream.cancel();
      return { kind: "ended", result: failureOf("server_error") };
    case "error": {
      const { status, error, retryAfterMs } = completed;
      // Failures that only the caller can fix; everything else may be temporary.
      const isFinal = status < 500 && status !== 429;
      return isFinal
        ? { kind: "ended", result: { error, status } }
        : { kind: "retry", afterMs: retryAfterMs ?? 0, failure: { error, status } };
    }
  }
}

function outcomeOf(
  { attempts, expires_at }: DeferredCompletionsTable,
  attempted: Attempted,
  at: number,
  random: number,
  seal: (result: DeferredResult) => string,
): DeferredOutcome {
  if (attempted.kind === "stopped") return { kind: "retry", dueAt: at };
  const ended = (result: DeferredResult): DeferredOutcome =>
    "error" in result
      ? { kind: "ended", status: "failed", result: seal(result), error: result.error.code }
      : { kind: "ended", status: "completed", result: seal(result), error: null };
  if (attempted.kind === "ended") return ended(attempted.result);
  const dueAt = at + Math.max(retryDelay(retry, attempts, "tenth", random), attempted.afterMs);
  return dueAt >= expires_at ? ended(attempted.failure) : { kind: "retry", dueAt };
}

const expired: Failure = {
  error: {
    message: "The completion had no answer in time.",
    type: "server_error",
    param: null,
    code: "expired",
  },
  status: 504,
};
