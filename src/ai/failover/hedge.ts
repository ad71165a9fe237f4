// Calls a second member when the first takes longer than 95 % of its answers did; the first output wins, and the other request is
// abandoned. The pool's `hedge.max_share` limits the share of calls that are sent twice, and they draw on the retry budget.

import { promptSizeFactor } from "#ai/health/response-times.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { append } from "#providers/translate/append.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { FailoverCall, FailoverDeps, Run } from "./call.ts";
import { isHealthy } from "./healthy-members.ts";
import { type Outcome, responseKindOf, tryMember } from "./try-member.ts";

/** One of the two requests of a hedged call, with its own run and signal. */
interface Racer {
  choice: Choice<Member>;
  run: Run;
  startedAt: number;
  /** Abandons the request. */
  stop: LightAbortController;
  outcome: Promise<{ racer: Racer; outcome: Outcome }>;
}

/** Calls `choice`, and also the first healthy one of `others` when the answer is late. */
export async function tryHedged(
  deps: FailoverDeps,
  call: FailoverCall,
  choice: Choice<Member>,
  others: readonly Choice<Member>[],
  run: Run,
  isRepeat: boolean,
): Promise<Outcome> {
  const { clock } = deps;
  const size = promptSizeFactor(call.promptTokens);
  const lateMs =
    call.pool.hedgeBudget === null ? null : choice.member.health.lateMs(responseKindOf(call.mode), size);
  if (lateMs === null) return await tryMember(deps, call, choice, run, isRepeat);
  const first = race(deps, call, choice, run, isRepeat);
  const timer = new LightAbortController();
  const early = await Promise.race([first.outcome, clock.sleep(lateMs, timer).then(() => null)]);
  timer.abort();
  const next = early === null ? hedgeFor(call, choice, others, clock.monotonic()) : null;
  if (next === null) return ended(clock, run, await first.outcome, null);
  const second = race(deps, call, next, run, false);
  const settled = await Promise.race([first.outcome, second.outcome]);
  const other = settled.racer === first ? second : first;
  if (settled.outcome.kind !== "failed") {
    give(other);
    return ended(clock, run, settled, other);
  }
  const last = await other.outcome;
  if (last.outcome.kind !== "failed") return ended(clock, run, last, settled.racer);
  // Both failed: the second failure continues through the failover chain, and the first one is recorded here.
  const [kept, reported] = last.racer === first ? [settled, last] : [last, settled];
  if (kept.outcome.kind === "failed") run.failures.push(kept.outcome.failure);
  run.excluded.push(kept.racer.choice);
  return ended(clock, run, reported, kept.racer);
}

/** The member that is called as well, if one may be. */
function hedgeFor(
  call: FailoverCall,
  choice: Choice<Member>,
  others: readonly Choice<Member>[],
  now: number,
): Choice<Member> | null {
  const next = others.find((other) => other !== choice && isHealthy(other, now));
  if (next === undefined || call.signal.aborted) return null;
  const { hedgeBudget, retryBudget } = call.pool;
  return hedgeBudget?.tryWithdraw() && retryBudget.tryWithdraw() ? next : null;
}

function race(
  deps: FailoverDeps,
  call: FailoverCall,
  choice: Choice<Member>,
  { startedAt, excluded, attemptedIds, learned }: Run,
  isRepeat: boolean,
): Racer {
  const stop = new LightAbortController();
  if (call.signal.aborted) stop.abort();
  else call.signal.addEventListener("abort", () => stop.abort(), { once: true });
  // The call receives these records when the race is over.
  const run: Run = {
    startedAt,
    attempts: [],
    failures: [],
    excluded,
    attemptedIds,
    last: null,
    learned,
    failedBy: null,
  };
  const isGivenUp = () => stop.aborted && !call.signal.aborted;
  const started = tryMember(deps, { ...call, signal: stop, isGivenUp }, choice, run, isRepeat);
  const racer: Racer = {
    choice,
    run,
    startedAt: deps.clock.monotonic(),
    stop,
    outcome: started.then((outcome) => ({ racer, outcome })),
  };
  // An exception of the adapter reaches the call through the race, unless the other request has won it.
  racer.outcome.catch(() => {});
  return racer;
}

/** The other one was first. An answer that arrives anyway is not used. */
function give({ stop, outcome }: Racer): void {
  stop.abort();
  outcome.then(
    ({ outcome: late }) => {
      if (late.kind === "streaming") late.stream.cancel();
      if (late.kind === "streaming" || late.kind === "buffered") late.won.settle("dropped");
    },
    // An exception of the adapter; the call has its answer.
    () => {},
  );
}

/** Adds the results of the requests to the call. `other`: the one that was abandoned or failed. */
function ended(
  clock: Clock,
  run: Run,
  { racer, outcome }: { racer: Racer; outcome: Outcome },
  other: Racer | null,
): Outcome {
  if (other !== null) {
    const { choice, startedAt } = other;
    const ms = clock.monotonic() - startedAt;
    const aborted = {
      member: choice.member.name,
      model: choice.model,
      started_ms: startedAt - run.startedAt,
      ms,
      outcome: "aborted" as const,
      status: null,
    };
    const met = other.run.attempts.length > 0 ? other.run.attempts : [aborted];
    const isGivenUp = other.stop.aborted;
    append(
      run.attempts,
      met.map((attempt) =>
        isGivenUp && attempt.outcome === "aborted" ? { ...attempt, given_up: true as const } : attempt,
      ),
    );
  }
  append(run.attempts, racer.run.attempts);
  run.last = racer.run.last ?? run.last;
  for (const { failedBy } of other === null ? [racer.run] : [other.run, racer.run])
    for (const [failure, by] of failedBy ?? []) {
      run.failedBy ??= new Map();
      run.failedBy.set(failure, by);
    }
  return outcome.kind === "failed" ? outcome : { ...outcome, attempts: run.attempts };
}
