// Attempts members one after another until one answers. The result of each attempt decides which member is next,
// whether one is repeated, and what the member's health records.

import type { Member } from "#ai/pools/member.ts";
import { type Choice, order } from "#ai/pools/pool.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Failure } from "#providers/provider.ts";
import { ableMembers } from "./able-members.ts";
import type { AnswerMode, FailoverCall, FailoverDeps, FailoverResult, Run } from "./call.ts";
import { isHealthy } from "./healthy-members.ts";
import { tryHedged } from "./hedge.ts";
import { type Outcome, responseKindOf, tryMember } from "./try-member.ts";

/** What is asked twice costs twice: not pictures, sound and the like. */
const hedgedModes: readonly AnswerMode[] = ["chat", "stream", "buffered", "folded", "embeddings"];
/** A failure within this time is quick: a repeat costs the caller nothing that they notice. */
const quickMs = 1_000;
/**
 * How long at most a request waits for a member that is cooling down, once, while no other can serve it.
 * Clients with a time limit of their own then still see the 429.
 */
const maxWaitMs = 5_000;

/** Attempts members in turn until one answers, the request itself is refused, or no member is left. */
export async function runFailover(deps: FailoverDeps, call: FailoverCall): Promise<FailoverResult> {
  const { clock } = deps;
  const { repeat, wait_ms, retryBudget, hedgeBudget } = call.pool;
  const run: Run = {
    attempts: [],
    failures: [],
    excluded: [],
    attemptedIds: [],
    last: null,
    lowered: [],
    unsealed: [],
    failedBy: null,
  };
  const choices = ableMembers(call.choices, call.api.parameters, call.pool.params, clock.monotonic());
  const repeats = new Map<string, number>();
  let hasWaited = false;
  /** Those whose `Retry-After` was waited for. */
  const cooledDownMembers = new Set<Choice<Member>>();
  let failedLast: { choice: Choice<Member>; failure: Failure } | null = null;
  let isFinal = false;
  /** The member to ask once more, at once. */
  let retryMember: Choice<Member> | null = null;
  retryBudget.deposit();
  hedgeBudget?.deposit();
  const hedges = hedgeBudget !== null && choices.length > 1 && hedgedModes.includes(call.mode);
  for (;;) {
    if (call.signal.aborted) return { kind: "aborted", attempts: run.attempts };
    const now = clock.monotonic();
    const { excluded } = run;
    const left = excluded.length === 0 ? choices : choices.filter((choice) => !excluded.includes(choice));
    const ordered: readonly Choice<Member>[] = retryMember
      ? [retryMember]
      : order(left, now, deps.random, responseKindOf(call.mode));
    retryMember = null;
    let choice = ordered[0];
    if (choice === undefined || now >= call.deadlineAt) break;
    const waitMs = cooldownLeft(choice, now);
    if (waitMs > 0) {
      // All others are excluded or down. A cooling member is not attempted before its time.
      if (run.failures.length === 0) run.failures.push(allRateLimited(waitMs));
      if (!hasWaited && waitMs <= maxWaitMs && now + waitMs < call.deadlineAt) {
        hasWaited = true;
        await clock.sleep(waitMs, call.signal);
        continue;
      }
      // Too long. A member whose circuit is open is better than none.
      choice = ordered.find((other) => cooldownLeft(other, now) === 0);
      if (choice === undefined) break;
    }
    const beyond = run.attemptedIds.length > 1 && !run.attemptedIds.includes(choice.member.id);
    // The retry budget bounds the load of an outage; it must not block a healthy member.
    if (beyond && !isHealthy(choice, now) && !retryBudget.tryWithdraw()) {
      choice = ordered.find((other) => isHealthy(other, now));
      if (choice === undefined) break;
    }
    if (failedLast !== null && failedLast.choice !== choice)
      deps.failedOver(failedLast.choice, choice, failedLast.failure, run.attemptedIds.length);
    const isRepeat = repeats.has(choice.member.id);
    const startedAt = clock.monotonic();
    const outcome: Outcome = hedges
      ? await tryHedged(deps, call, choice, ordered, run, isRepeat)
      : await tryMember(deps, call, choice, run, isRepeat);
    if (outcome.kind !== "failed") return outcome;
    const failure: Failure = outcome.failure;
    failedLast = { choice, failure };
    if (outcome.adaptable) {
      retryMember = choice;
      continue;
    }
    run.failures.push(failure);
    isFinal = outcome.final;
    if (isFinal) break;
    if (failure.kind === "context_length" && !keepLargerContext(deps, call, choices, run, choice)) {
      isFinal = true;
      break;
    }
    const failedAt = clock.monotonic();
    const repeated = repeats.get(choice.member.id) ?? 0;
    const isQuick = outcome.transient && failedAt - startedAt < quickMs;
    if (isQuick && repeated < repeat && retryBudget.tryWithdraw()) {
      repeats.set(choice.member.id, repeated + 1);
      retryMember = choice;
      continue;
    }
    const restMs = failure.retryAfterMs ?? Number.POSITIVE_INFINITY;
    if (
      wait_ms > 0 &&
      restMs <= wait_ms &&
      !cooledDownMembers.has(choice) &&
      failedAt + restMs < call.deadlineAt
    ) {
      cooledDownMembers.add(choice);
      retryMember = choice;
      await clock.sleep(Math.max(restMs, cooldownLeft(choice, failedAt)), call.signal);
      continue;
    }
    // A member with a known cooldown stays: the others come first, then the request may wait for it.
    if (failure.kind !== "rate_limited" || failure.retryAfterMs === null) run.excluded.push(choice);
  }
  const failure = mostUsefulFailure(run.failures);
  const last = run.failedBy?.get(failure) ?? run.last;
  const restMs = failure.kind === "rate_limited" ? soonest(choices, clock.monotonic()) : null;
  if (!isFinal) deps.exhausted(last, failure, run.attemptedIds.length);
  return {
    kind: "failed",
    failure: restMs === null ? failure : { ...failure, retryAfterMs: restMs },
    last,
    memberCount: run.attemptedIds.length,
    attempts: run.attempts,
  };
}

/** How long the member is still cooling down, ms; 0: it is not. */
function cooldownLeft({ member, model }: Choice<Member>, now: number): number {
  const standing = member.health.availability(now, model);
  return standing.kind === "down" && standing.why === "cooling_down" ? standing.until - now : 0;
}

/** When the first member that is cooling down is back, ms; null: none is. */
function soonest(choices: readonly Choice<Member>[], now: number): number | null {
  const left = choices.map((choice) => cooldownLeft(choice, now)).filter((ms) => ms > 0);
  return left.length === 0 ? null : Math.min(...left);
}

/**
 * The prompt is too long for this member: keeps one member, and excludes the others. One that declares a larger context
 * comes before one that declares none; a member that declares none itself is taken to have room for what its prompt
 * was estimated at. False: there is no such member, or it was the one that was kept.
 */
function keepLargerContext(
  deps: FailoverDeps,
  call: FailoverCall,
  choices: readonly Choice<Member>[],
  { excluded }: Run,
  choice: Choice<Member>,
): boolean {
  const size = choice.member.context_tokens ?? call.promptTokens;
  const left = choices.filter((other) => other !== choice && !excluded.includes(other));
  const larger = left.filter(({ member }) => (member.context_tokens ?? 0) > size);
  const candidates = larger.length > 0 ? larger : left.filter(({ member }) => member.context_tokens === null);
  const next = order(candidates, deps.clock.monotonic(), deps.random)[0];
  for (const other of left) if (other !== next) excluded.push(other);
  return next !== undefined;
}

function allRateLimited(retryAfterMs: number): Failure {
  const error = apiError("Every member of the pool is at its limit.", "requests", "rate_limit_exceeded");
  return { kind: "rate_limited", status: 429, retryAfterMs, error };
}

/** How useful an error is to the client: what it can fix itself, then when to come back. */
const usefulness: Record<Failure["kind"], number> = {
  content_policy: 0,
  context_length: 1,
  invalid_request: 2,
  rate_limited: 3,
  upstream_error: 4,
  unauthorized: 5,
  model_not_found: 6,
  unsupported: 7,
};

function mostUsefulFailure(failures: readonly Failure[]): Failure {
  // A missing parameter at one member is the least useful error if another member has the parameter.
  const rank = ({ kind, error }: Failure) => (error.code === "unsupported_parameter" ? 9 : usefulness[kind]);
  const best = failures.toSorted((a, b) => rank(a) - rank(b))[0];
  if (best) return best;
  const error = apiError("No member of the pool can serve this request.", "server_error", "no_member");
  return { kind: "upstream_error", status: 503, retryAfterMs: null, error };
}
