// Attempts members one after another until one answers. The result of each attempt decides which member is next, whether one is retried,
// and what is recorded about the member's health.

import { Learned } from "#ai/failover/adaptations/learned.ts";
import { makerIn } from "#ai/failover/adaptations/sealed-reasoning.ts";
import type { Member } from "#ai/pools/member.ts";
import { type Choice, order, type Ties } from "#ai/pools/pool.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Failure } from "#providers/provider.ts";
import { ableMembers } from "./able-members.ts";
import type { AnswerMode, FailoverCall, FailoverDeps, FailoverResult, Run } from "./call.ts";
import { isHealthy } from "./healthy-members.ts";
import { tryHedged } from "./hedge.ts";
import { pretendedDown } from "./own-failures.ts";
import { restingLast } from "./request-kind.ts";
import { type Outcome, responseKindOf, tryMember } from "./try-member.ts";

/** Calling twice costs twice, so images, sound and the like are not retried. */
const hedgedModes: readonly AnswerMode[] = ["chat", "stream", "buffered", "folded", "embeddings"];
/** A failure within this time is quick: a retry adds no delay that the caller notices. */
const quickMs = 1_000;
/**
 * The longest time that a request waits, once, for a member that is cooling down while no other can serve it. Clients with their own time
 * limit still see the 429.
 */
const maxWaitMs = 5_000;

/** Attempts members in turn until one answers, the request itself is refused, or no member is left. */
export function runFailover(deps: FailoverDeps, call: FailoverCall): Promise<FailoverResult> {
  return new Failover(deps, call).run();
}

/** Which member to call next, or how long to wait before that is decided; null if no member is left. */
type Next =
  | { kind: "ask"; choice: Choice<Member>; ordered: readonly Choice<Member>[] }
  | { kind: "wait"; ms: number }
  | null;

class Failover {
  readonly #deps: FailoverDeps;
  readonly #call: FailoverCall;
  /** The members that can serve the request. */
  #choices: readonly Choice<Member>[] = [];
  readonly #run: Run;
  /** How often each member was retried immediately, by member id. */
  readonly #repeats = new Map<string, number>();
  /** It has waited for the end of a cooldown, which happens once. */
  #hasWaited = false;
  /** Members whose `Retry-After` was waited for. */
  readonly #cooledDownMembers = new Set<Choice<Member>>();
  #failedLast: { choice: Choice<Member>; failure: Failure } | null = null;
  /** The member to call once more. */
  #retryMember: Choice<Member> | null = null;
  readonly #ties: Ties<Member>;

  constructor(deps: FailoverDeps, call: FailoverCall) {
    this.#deps = deps;
    this.#call = call;
    this.#run = {
      startedAt: deps.clock.monotonic(),
      attempts: [],
      failures: [],
      excluded: [],
      attemptedIds: [],
      last: null,
      learned: new Learned(),
      failedBy: null,
    };
    this.#ties = { affinity: call.affinity, isMaker: makerIn(deps.origins, call) };
  }

  async run(): Promise<FailoverResult> {
    const { clock } = this.#deps;
    const { choices, api, mode, pool, signal } = this.#call;
    this.#choices = ableMembers(choices, api.parameters, pool.params, clock.monotonic());
    pool.retryBudget.deposit();
    pool.hedgeBudget?.deposit();
    const hedges = pool.hedgeBudget !== null && this.#choices.length > 1 && hedgedModes.includes(mode);
    for (;;) {
      if (signal.aborted) return { kind: "aborted", attempts: this.#run.attempts };
      const next = this.#next(clock.monotonic());
      if (next === null) return this.#failed(false);
      if (next.kind === "wait") {
        await clock.sleep(next.ms, signal);
        continue;
      }
      const { choice, ordered } = next;
      const last = this.#failedLast;
      if (last !== null && last.choice !== choice && last.failure !== pretendedDown)
        this.#deps.failedOver(last.choice, choice, last.failure, this.#run.attemptedIds.length);
      const isRepeat = this.#repeats.has(choice.member.id);
      const startedAt = clock.monotonic();
      const outcome: Outcome = hedges
        ? await tryHedged(this.#deps, this.#call, choice, ordered, this.#run, isRepeat)
        : await tryMember(this.#deps, this.#call, choice, this.#run, isRepeat);
      if (outcome.kind !== "failed") return outcome;
      const then = this.#afterFailure(choice, outcome, startedAt);
      if (then === "over") return this.#failed(true);
      if (then !== "next") await clock.sleep(then, signal);
    }
  }

  #next(now: number): Next {
    const { deadlineAt, pool } = this.#call;
    const { attemptedIds, failures } = this.#run;
    const ordered = this.#ordered(now);
    let choice = ordered[0];
    if (choice === undefined || now >= deadlineAt) return null;
    const ms = cooldownLeft(choice, now);
    if (ms > 0) {
      // All others are excluded or down. A cooling member is not attempted early.
      if (failures.length === 0) failures.push(allRateLimited(ms));
      if (!this.#hasWaited && ms <= maxWaitMs && now + ms < deadlineAt) {
        this.#hasWaited = true;
        return { kind: "wait", ms };
      }
      // Too long a wait. A member whose circuit is open is better than none.
      choice = ordered.find((other) => cooldownLeft(other, now) === 0);
      if (choice === undefined) return null;
    }
    const beyond = attemptedIds.length > 1 && !attemptedIds.includes(choice.member.id);
    // The retry budget limits the load of an outage; it must not block a healthy member.
    if (beyond && !isHealthy(choice, now) && !pool.retryBudget.tryWithdraw())
      choice = ordered.find((other) => isHealthy(other, now));
    return choice === undefined ? null : { kind: "ask", choice, ordered };
  }

  /** The remaining members in the order in which they will be called; if one is to be called once more, only that one. */
  #ordered(now: number): readonly Choice<Member>[] {
    const again = this.#retryMember;
    this.#retryMember = null;
    if (again !== null) return [again];
    const { excluded } = this.#run;
    const choices = this.#choices;
    const left = excluded.length === 0 ? choices : choices.filter((choice) => !excluded.includes(choice));
    const ordered = order(left, now, this.#deps.random, responseKindOf(this.#call.mode), this.#ties);
    return restingLast(ordered, this.#call, now);
  }

  /** Decides which member may be called next. A number: after waiting this long, ms. `over`: none, because the request is at fault. */
  #afterFailure(
    choice: Choice<Member>,
    { failure, final, transient, adaptable }: Extract<Outcome, { kind: "failed" }>,
    startedAt: number,
  ): "next" | "over" | number {
    const { pool, deadlineAt } = this.#call;
    this.#failedLast = { choice, failure };
    if (adaptable) {
      this.#retryMember = choice;
      return "next";
    }
    this.#run.failures.push(failure);
    if (final || (failure.kind === "context_length" && !this.#keepLargerContext(choice))) return "over";
    const now = this.#deps.clock.monotonic();
    const repeated = this.#repeats.get(choice.member.id) ?? 0;
    const isQuick = transient && now - startedAt < quickMs;
    if (isQuick && repeated < pool.repeat && pool.retryBudget.tryWithdraw()) {
      this.#repeats.set(choice.member.id, repeated + 1);
      this.#retryMember = choice;
      return "next";
    }
    const restMs = failure.retryAfterMs ?? Number.POSITIVE_INFINITY;
    const isShort = pool.wait_ms > 0 && restMs <= pool.wait_ms && now + restMs < deadlineAt;
    if (isShort && !this.#cooledDownMembers.has(choice)) {
      this.#cooledDownMembers.add(choice);
      this.#retryMember = choice;
      return Math.max(restMs, cooldownLeft(choice, now));
    }
    // A member with a known cooldown stays: the others are tried first, then the request may wait for it.
    if (failure.kind !== "rate_limited" || failure.retryAfterMs === null) this.#run.excluded.push(choice);
    return "next";
  }

  /**
   * The prompt is too long for this member: keeps one member and excludes the others. A member that declares a larger context is preferred
   * to one that declares none; if the failed member declares none itself, its context is assumed to be the estimated size of the prompt.
   * False if there is no such member or it was the one that was kept.
   */
  #keepLargerContext(choice: Choice<Member>): boolean {
    const { excluded } = this.#run;
    const size = choice.member.context_tokens ?? this.#call.promptTokens;
    const left = this.#choices.filter((other) => other !== choice && !excluded.includes(other));
    const larger = left.filter(({ member }) => (member.context_tokens ?? 0) > size);
    const candidates =
      larger.length > 0 ? larger : left.filter(({ member }) => member.context_tokens === null);
    const now = this.#deps.clock.monotonic();
    const next = order(candidates, now, this.#deps.random, responseKindOf(this.#call.mode), this.#ties)[0];
    for (const other of left) if (other !== next) excluded.push(other);
    return next !== undefined;
  }

  /** `isFinal`: the request is at fault, and no member would have served it. */
  #failed(isFinal: boolean): FailoverResult {
    const { attemptedIds, attempts, failedBy, failures, last: lastAsked } = this.#run;
    const failure = mostUsefulFailure(failures);
    const last = failedBy?.get(failure) ?? lastAsked;
    const restMs =
      failure.kind === "rate_limited" ? soonest(this.#choices, this.#deps.clock.monotonic()) : null;
    if (!isFinal) this.#deps.exhausted(last, failure, attemptedIds.length);
    return {
      kind: "failed",
      failure: restMs === null ? failure : { ...failure, retryAfterMs: restMs },
      last,
      memberCount: attemptedIds.length,
      attempts,
    };
  }
}

/** Remaining cooldown of the member, ms; 0 if there is none. */
function cooldownLeft({ member, model }: Choice<Member>, now: number): number {
  const standing = member.health.availability(now, model);
  return standing.kind === "down" && standing.why === "cooling_down" ? standing.until - now : 0;
}

/** Time until the first cooling member is back, ms; null if none is cooling down. */
function soonest(choices: readonly Choice<Member>[], now: number): number | null {
  const left = choices.map((choice) => cooldownLeft(choice, now)).filter((ms) => ms > 0);
  return left.length === 0 ? null : Math.min(...left);
}

function allRateLimited(retryAfterMs: number): Failure {
  const error = apiError("Every member of the pool is at its limit.", "requests", "rate_limit_exceeded");
  return { kind: "rate_limited", status: 429, retryAfterMs, error };
}

/** How useful an error is to the client: first what it can fix itself, then when to come back. */
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
  // A parameter that one member lacks is the least useful error if another member has the parameter.
  const rank = ({ kind, error }: Failure) => (error.code === "unsupported_parameter" ? 9 : usefulness[kind]);
  const best = failures.toSorted((a, b) => rank(a) - rank(b))[0];
  if (best) return best;
  const error = apiError("No member of the pool can serve this request.", "server_error", "no_member");
  return { kind: "upstream_error", status: 503, retryAfterMs: null, error };
}
