// Attempts members one after another until one answers. The result of each attempt decides which member is next,
// whether one is repeated, and what the member's health records.

import type { Member } from "#ai/pools/member.ts";
import { type Choice, order } from "#ai/pools/pool.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { Failure } from "#providers/provider.ts";
import { ableMembers } from "./able-members.ts";
import type { FailoverCall, FailoverDeps, FailoverResult, Run } from "./call.ts";
import { isHealthy } from "./healthy-members.ts";
import { responseKindOf, tryMember } from "./try-member.ts";

/** The only available member is attempted once more after this. */
const repeatAfterMs = 250;
/**
 * How long at most a request waits for a member that is cooling down, once, while no other can serve it.
 * Clients with a time limit of their own then still see the 429.
 */
const maxWaitMs = 5_000;

/** Attempts members in turn until one answers, the request itself is refused, or no member is left. */
export async function runFailover(deps: FailoverDeps, call: FailoverCall): Promise<FailoverResult> {
  const { clock } = deps;
  const run: Run = { tried: [], failures: [], excluded: [], attemptedIds: [], last: null, failedBy: null };
  const choices = ableMembers(call.choices, call.body, clock.monotonic());
  let repeats = 1;
  let waited = false;
  /** The member to ask once more, at once. */
  let same: Choice<Member> | null = null;
  call.retryBudget.deposit();
  for (;;) {
    if (call.signal.aborted) return { kind: "aborted", tried: run.tried };
    const now = clock.monotonic();
    const { excluded } = run;
    const left = excluded.length === 0 ? choices : choices.filter((choice) => !excluded.includes(choice));
    const ordered: readonly Choice<Member>[] = same
      ? [same]
      : order(left, now, deps.fraction, responseKindOf(call.mode));
    same = null;
    let choice = ordered[0];
    if (choice === undefined || now >= call.deadlineAt) break;
    const waitMs = cooldownLeft(choice, now);
    if (waitMs > 0) {
      // All others are excluded or down. A cooling member is not attempted before its time.
      if (run.failures.length === 0) run.failures.push(allRateLimited(waitMs));
      if (!waited && waitMs <= maxWaitMs && now + waitMs < call.deadlineAt) {
        waited = true;
        await clock.sleep(waitMs, call.signal);
        continue;
      }
      // Too long. A member whose circuit is open is better than none.
      choice = ordered.find((other) => cooldownLeft(other, now) === 0);
      if (choice === undefined) break;
    }
    const beyond = run.attemptedIds.length > 1 && !run.attemptedIds.includes(choice.member.id);
    // The retry budget bounds the load of an outage; it must not block a healthy member.
    if (beyond && !isHealthy(choice, now) && !call.retryBudget.tryWithdraw()) {
      choice = ordered.find((other) => isHealthy(other, now));
      if (choice === undefined) break;
    }
    const outcome = await tryMember(deps, call, choice, run);
    if (outcome.kind !== "failed") return outcome;
    const { failure } = outcome;
    if (outcome.adaptable) {
      same = choice;
      continue;
    }
    run.failures.push(failure);
    if (outcome.final) break;
    if (failure.kind === "context_length" && !keepLargerContext(deps, choices, run.excluded, choice)) break;
    const alone = noneElseAvailable(choices, run.excluded, choice, clock.monotonic());
    if (outcome.again && alone && repeats > 0 && call.retryBudget.tryWithdraw()) {
      repeats -= 1;
      await clock.sleep(repeatAfterMs, call.signal);
    } else if (failure.kind !== "rate_limited" || failure.retryAfterMs === null) run.excluded.push(choice);
    // A member with a known cooldown stays: the others come first, then the request may wait for it.
  }
  const failure = mostUsefulFailure(run.failures);
  const last = run.failedBy?.get(failure) ?? run.last;
  const restMs = failure.kind === "rate_limited" ? soonest(choices, clock.monotonic()) : null;
  return {
    kind: "failed",
    failure: restMs === null ? failure : { ...failure, retryAfterMs: restMs },
    last,
    attempts: run.attemptedIds.length,
    tried: run.tried,
  };
}

/** Whether no other member is available now. */
function noneElseAvailable(
  choices: readonly Choice<Member>[],
  out: readonly Choice<Member>[],
  choice: Choice<Member>,
  now: number,
): boolean {
  return choices.every(
    (other) =>
      other === choice ||
      out.includes(other) ||
      other.member.health.availability(now, other.model).kind === "down",
  );
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
 * The prompt is too long for this member: keeps one member with a larger declared context, excludes the
 * others.
 */
function keepLargerContext(
  deps: FailoverDeps,
  choices: readonly Choice<Member>[],
  out: Choice<Member>[],
  choice: Choice<Member>,
): boolean {
  const size = choice.member.contextTokens;
  const left = choices.filter((other) => other !== choice && !out.includes(other));
  const larger = size === null ? [] : left.filter(({ member }) => (member.contextTokens ?? 0) > size);
  const next = order(larger, deps.clock.monotonic(), deps.fraction)[0];
  for (const other of left) if (other !== next) out.push(other);
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
