// Attempts members one after another until one answers. The result of each attempt decides which member is next,
// whether one is repeated, and what the member's health records.

import type { HealthTicket } from "#ai/health/health.ts";
import { promptSizeFactor, type ResponseKind } from "#ai/health/response-times.ts";
import type { Member } from "#ai/pools/member.ts";
import { type Choice, order } from "#ai/pools/pool.ts";
import { bufferStream } from "#ai/stream/buffered.ts";
import { maxAnswerBytes } from "#ai/stream/collect.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { ChatRequest, Chunk, Failure, PreparedRequest, Usage } from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type AttemptDeps, type AttemptResult, askStream, askWhole, type UpstreamStream } from "./attempt.ts";
import { AttemptSignal } from "./attempt-signal.ts";
import { hasHealthyAlternative, isHealthy } from "./healthy-members.ts";
import type { RetryBudget } from "./retry-budget.ts";
import { answerDeadline, mayBeRequestFault, silenceFailure } from "./silence.ts";

export type AnswerMode = "chat" | "stream" | "buffered" | "embeddings";

export interface FailoverCall {
  choices: readonly Choice<Member>[];
  mode: AnswerMode;
  text: string;
  body: Readonly<Record<string, unknown>>;
  /** Estimated tokens of the input: long prompts take longer. */
  promptTokens: number;
  /** Monotonic ms. */
  deadlineAt: number;
  /**
   * Limit for a member's whole answer while another member is left, ms; null: half of the remaining deadline.
   */
  answerMs: number | null;
  signal: LightAbortSignal;
  retryBudget: RetryBudget;
}

export interface FailoverDeps extends AttemptDeps {
  clock: Clock;
  fraction: () => number;
  /** A member's circuit opened or its credentials were refused, and why; reported to the account. */
  memberDown(member: Member, failure: Failure): void;
  memberUp(member: Member): void;
}

/** One attempt, for the usage record. */
export interface AttemptRecord {
  member: string;
  model: string;
  ms: number;
  outcome: "ok" | Failure["kind"] | "unsupported_parameter" | "aborted";
  status: number | null;
}

/** `attempts` of a failure: the members that were attempted, as in `Winner`. */
export type FailoverResult = { tried: AttemptRecord[] } & (
  | { kind: "answer"; text: string; usage: Usage | null; won: Winner }
  | { kind: "streaming"; stream: UpstreamStream; won: Winner }
  | { kind: "buffered"; chunks: Chunk[]; won: Winner }
  | { kind: "failed"; failure: Failure; last: Choice<Member> | null; attempts: number }
  | { kind: "aborted" }
);

/** The member that answered. */
export interface Winner {
  choice: Choice<Member>;
  /** Members attempted, including this one; a repeat at the same member does not count. */
  attempts: number;
  /** Reports how the stream ended; the member's health needs it. */
  settle(how: "completed" | "failed" | "dropped"): void;
}

/** The only available member is attempted once more after this. */
const repeatAfterMs = 250;
/** How often, and for how long at most, a request waits for a member that is cooling down. */
const maxWaits = 2;
const maxWaitMs = 20_000;
/** Statuses of faults that may be transient. */
const retryableStatuses: readonly number[] = [500, 502];

/** The moving average to compare with. A buffered stream is judged like a whole answer. */
const responseKindOf = (ask: AnswerMode): ResponseKind =>
  ask === "chat" || ask === "buffered" ? "whole" : ask;

/** Attempts members in turn until one answers, the request itself is refused, or no member is left. */
export async function runFailover(deps: FailoverDeps, call: FailoverCall): Promise<FailoverResult> {
  const { clock } = deps;
  const run: Run = { tried: [], failures: [], excluded: [], attemptedIds: [], last: null, failedBy: null };
  let repeats = 1;
  let waits = 0;
  call.retryBudget.deposit();
  for (;;) {
    if (call.signal.aborted) return { kind: "aborted", tried: run.tried };
    const now = clock.monotonic();
    const { excluded } = run;
    const left =
      excluded.length === 0 ? call.choices : call.choices.filter((choice) => !excluded.includes(choice));
    const ordered = order(left, now, deps.fraction, responseKindOf(call.mode));
    let choice = ordered[0];
    if (choice === undefined || now >= call.deadlineAt) break;
    const waitMs = cooldownLeft(choice, now);
    if (waitMs > 0) {
      // All others are excluded or down. A cooling member is not attempted before its time.
      if (run.failures.length === 0) run.failures.push(allRateLimited(waitMs));
      if (waits < maxWaits && waitMs <= maxWaitMs && now + waitMs < call.deadlineAt) {
        waits += 1;
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
    run.failures.push(failure);
    if (outcome.final) break;
    if (failure.kind === "context_length" && !keepLargerContext(deps, call.choices, run.excluded, choice))
      break;
    const alone = noneElseAvailable(call.choices, run.excluded, choice, clock.monotonic());
    if (outcome.again && alone && repeats > 0 && call.retryBudget.tryWithdraw()) {
      repeats -= 1;
      await clock.sleep(repeatAfterMs, call.signal);
    } else if (failure.kind !== "rate_limited" || failure.retryAfterMs === null) run.excluded.push(choice);
    // A member with a known cooldown stays: the others come first, then the request may wait for it.
  }
  const failure = mostUsefulFailure(run.failures);
  const last = run.failedBy?.get(failure) ?? run.last;
  return { kind: "failed", failure, last, attempts: run.attemptedIds.length, tried: run.tried };
}

/** What one request has met so far. */
interface Run {
  tried: AttemptRecord[];
  failures: Failure[];
  /** Not attempted again in this request. */
  excluded: Choice<Member>[];
  /** Ids of the attempted members. */
  attemptedIds: string[];
  last: Choice<Member> | null;
  /** The member of each failure, so that the reported error and the reported member belong together. */
  failedBy: Map<Failure, Choice<Member>> | null;
}

type Outcome =
  | Exclude<FailoverResult, { kind: "failed" }>
  /** `final`: the request is at fault. `again`: the fault may be transient. */
  | { kind: "failed"; failure: Failure; final: boolean; again: boolean };

async function tryMember(
  deps: FailoverDeps,
  call: FailoverCall,
  choice: Choice<Member>,
  run: Run,
): Promise<Outcome> {
  const { clock } = deps;
  const { member, model } = choice;
  const stream = call.mode === "stream" || call.mode === "buffered";
  const request: ChatRequest = { text: call.text, body: call.body, model, stream };
  const prepared = prepare(member, request, call.mode);
  const startedAt = clock.monotonic();
  const note = (outcome: AttemptRecord["outcome"], status: number | null) =>
    run.tried.push({ member: member.name, model, ms: clock.monotonic() - startedAt, outcome, status });
  if (prepared.kind === "unsupported_parameter") {
    note("unsupported_parameter", null);
    return { kind: "failed", failure: unsupportedParameter(prepared), final: false, again: false };
  }
  run.last = choice;
  if (!run.attemptedIds.includes(member.id)) run.attemptedIds.push(member.id);
  const { health } = member;
  const kind = responseKindOf(call.mode);
  const size = promptSizeFactor(call.promptTokens);
  const elsewhere = () => hasHealthyAlternative(call.choices, run.excluded, choice, clock.monotonic());
  const limitAt = stream ? call.deadlineAt : answerDeadline(call, startedAt, elsewhere);
  const ticket = health.begin(startedAt);
  const waiting =
    call.choices.length === 1
      ? null
      : new AttemptSignal(clock, call.signal, health, startedAt + health.overdueMs(kind, size), elsewhere);
  let attempted: AttemptResult;
  try {
    attempted = await sendAttempt(deps, call, member, prepared, request, limitAt, waiting, false);
    // The peer may have closed the idle connection at that moment, which says nothing about its health.
    if (attempted.kind === "failed" && attempted.reused)
      attempted = await sendAttempt(deps, call, member, prepared, request, limitAt, waiting, true);
  } catch (error) {
    // A bug in the adapter must not leave the ticket open, or the probe pending, forever.
    health.dropped(ticket);
    throw error;
  } finally {
    waiting?.end();
  }
  if (waiting?.abandoned && (attempted.kind === "aborted" || attempted.kind === "streaming")) {
    if (attempted.kind === "streaming") attempted.stream.cancel();
    attempted = { kind: "failed", failure: silenceFailure, reused: false, timeout: true };
  }
  if (attempted.kind === "aborted") {
    if (attempted.heard) health.dropped(ticket);
    else if (health.callerLeft(ticket, clock.monotonic(), kind, size))
      deps.memberDown(member, silenceFailure);
    note("aborted", null);
    return { kind: "aborted", tried: run.tried };
  }
  if (attempted.kind === "failed") {
    const { failure, timeout } = attempted;
    note(failure.kind, failure.status);
    run.failedBy ??= new Map();
    run.failedBy.set(failure, choice);
    const now = clock.monotonic();
    if (attempted.overtime) health.dropped(ticket);
    else if (
      failure.kind === "upstream_error" &&
      mayBeRequestFault(health, failure, timeout, startedAt, now)
    ) {
      if (health.failed(ticket, now, "upstream_error", null, null, true)) deps.memberDown(member, failure);
    } else updateHealth(deps, choice, ticket, failure);
    const final = failure.kind === "invalid_request" || failure.kind === "content_policy";
    return { kind: "failed", failure, final, again: !timeout && retryableStatuses.includes(failure.status) };
  }
  note("ok", 200);
  const won = winner(deps, choice, run.attemptedIds.length, ticket, startedAt, kind, size);
  if (attempted.kind !== "streaming") won.settle("completed");
  return { ...attempted, won, tried: run.tried };
}

function prepare(member: Member, request: ChatRequest, ask: AnswerMode): PreparedRequest {
  if (ask === "embeddings") return member.provider.embeddings(request, member.settings);
  return member.provider.chat(request, member.settings);
}

function sendAttempt(
  deps: FailoverDeps,
  call: FailoverCall,
  member: Member,
  prepared: Exclude<PreparedRequest, { kind: "unsupported_parameter" }>,
  request: ChatRequest,
  limitAt: number,
  waiting: AttemptSignal | null,
  fresh: boolean,
): Promise<AttemptResult> {
  const signal = waiting ?? call.signal;
  const longest = maxAnswerBytes(deps.answerBytes, call.mode === "embeddings");
  const target = { provider: member.provider, prepared, timeouts: member.timeouts, fresh, longest };
  if (request.stream) {
    const opening = askStream(deps, target, request, limitAt, signal);
    if (call.mode === "stream") return opening;
    return opening.then((spoken) => {
      waiting?.end();
      return bufferStream(spoken, signal);
    });
  }
  const read = (text: string) =>
    call.mode === "embeddings"
      ? member.provider.embeddingsAnswer(text, request)
      : member.provider.answer(text, request);
  return askWhole(deps, target, read, limitAt, signal);
}

function winner(
  deps: FailoverDeps,
  choice: Choice<Member>,
  attempts: number,
  ticket: HealthTicket,
  startedAt: number,
  kind: ResponseKind,
  size: number,
): Winner {
  const { health } = choice.member;
  const spokeAt = deps.clock.monotonic();
  if (health.firstOutput(ticket, spokeAt, spokeAt - startedAt, kind, size)) deps.memberUp(choice.member);
  let open = true;
  return {
    choice,
    attempts,
    settle: (how) => {
      if (!open) return;
      open = false;
      const now = deps.clock.monotonic();
      if (how === "completed") health.succeeded(ticket, now);
      else if (how === "dropped") health.dropped(ticket);
      else if (health.failed(ticket, now, "upstream_error", null)) deps.memberDown(choice.member, cutStreams);
    },
  };
}

/** The reason reported for a member whose streams are cut off. */
const cutStreams: Failure = {
  kind: "upstream_error",
  status: 502,
  retryAfterMs: null,
  error: apiError("Its answers break off.", "server_error", "upstream_cut"),
};

/** Records a failure in the member's health. */
function updateHealth(
  deps: FailoverDeps,
  { member, model }: Choice<Member>,
  ticket: HealthTicket,
  failure: Failure,
): void {
  const now = deps.clock.monotonic();
  switch (failure.kind) {
    case "invalid_request":
    case "context_length":
    case "content_policy":
    case "unsupported":
      member.health.dropped(ticket);
      return;
    case "model_not_found":
      member.health.modelMissing(ticket, now, model);
      return;
    case "rate_limited":
    case "unauthorized":
    case "upstream_error":
      if (member.health.failed(ticket, now, failure.kind, failure.retryAfterMs, model))
        deps.memberDown(member, failure);
  }
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

/** The vendor lacks a parameter. Another member may have it; if none has, the client gets this error. */
function unsupportedParameter({
  param,
  message,
}: Extract<PreparedRequest, { kind: "unsupported_parameter" }>): Failure {
  const error = apiError(message, "invalid_request_error", "unsupported_parameter", param);
  return { kind: "invalid_request", status: 400, retryAfterMs: null, error };
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
