// From member to member until one answers. Decides, by what became of an attempt, who is asked next, whether
// somebody is asked once more, and what the members' health learns from it.

import type { HealthTicket } from "#ai/health/health.ts";
import { promptSizeFactor, type ResponseKind } from "#ai/health/response-times.ts";
import type { Member } from "#ai/pools/member.ts";
import { type Choice, order } from "#ai/pools/pool.ts";
import { bufferStream } from "#ai/stream/buffered.ts";
import { maxAnswerBytes } from "#ai/stream/collect.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { ChatRequest, Chunk, Failure, PreparedRequest, Usage } from "#providers/provider.ts";
import type { StopSignal } from "#runtime/light-abort-controller.ts";
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
  /** Tokens of the input, estimated: a long one takes longer. */
  promptTokens: number;
  /** Monotonic ms. */
  deadlineAt: number;
  /** For a whole answer of one member while another is left, ms; null: half of what is left of the deadline. */
  answerMs: number | null;
  signal: StopSignal;
  retryBudget: RetryBudget;
}

export interface FailoverDeps extends AttemptDeps {
  clock: Clock;
  fraction: () => number;
  /** A member went down, and why; for the account to be told. */
  memberDown(member: Member, failure: Failure): void;
  memberUp(member: Member): void;
}

/** One request to one member, for the usage record. */
export interface AttemptRecord {
  member: string;
  model: string;
  ms: number;
  outcome: "ok" | Failure["kind"] | "unsupported_parameter" | "aborted";
  status: number | null;
}

export type FailoverResult =
  | { kind: "answer"; text: string; usage: Usage | null; won: Winner; tried: AttemptRecord[] }
  | { kind: "streaming"; stream: UpstreamStream; won: Winner; tried: AttemptRecord[] }
  | { kind: "buffered"; chunks: Chunk[]; won: Winner; tried: AttemptRecord[] }
  | { kind: "failed"; failure: Failure; last: Choice<Member> | null; asked: number; tried: AttemptRecord[] }
  | { kind: "aborted"; tried: AttemptRecord[] };

/** Who answered; `settled` tells how its stream ended. */
export interface Winner {
  choice: Choice<Member>;
  /** Members tried, this one included; a repeat on the same one does not count. */
  attempts: number;
  /** A stream's end: its member's health waits for it. */
  settle(how: "completed" | "failed" | "dropped"): void;
}

/** A member that failed alone is asked once more after this. */
const repeatAfterMs = 250;
/** How often a request waits for a member that said when to come back, and how long at the most. */
const maxWaits = 2;
const maxWaitMs = 20_000;
/** Statuses of a fault that may have been a moment's. */
const retryableStatuses: readonly number[] = [500, 502];

/** What its answer's time is compared with. One that is collected is heard of when it is whole. */
const responseKindOf = (ask: AnswerMode): ResponseKind =>
  ask === "chat" || ask === "buffered" ? "whole" : ask;

/** Asks members in turn until one answers, the request itself is refused, or nobody is left. */
export async function runFailover(parts: FailoverDeps, call: FailoverCall): Promise<FailoverResult> {
  const { clock } = parts;
  const run: Run = { tried: [], failures: [], excluded: [], attemptedIds: [], last: null, failedBy: null };
  let repeats = 1;
  let waits = 0;
  call.retryBudget.deposit();
  for (;;) {
    if (call.signal.aborted) return { kind: "aborted", tried: run.tried };
    const now = clock.monotonic();
    const left =
      run.excluded.length === 0 ? call.choices : call.choices.filter((one) => !run.excluded.includes(one));
    const ordered = order(left, now, parts.fraction, responseKindOf(call.mode));
    let choice = ordered[0];
    if (choice === undefined || now >= call.deadlineAt) break;
    const waitMs = cooldownLeft(choice, now);
    if (waitMs > 0) {
      // Everybody else is out or down. It said when to come back, and is not asked before.
      if (run.failures.length === 0) run.failures.push(allRateLimited(waitMs));
      if (waits < maxWaits && waitMs <= maxWaitMs && now + waitMs < call.deadlineAt) {
        waits += 1;
        await clock.sleep(waitMs, call.signal);
        continue;
      }
      // Too long. Somebody who is merely thought to be down is better than nobody.
      choice = ordered.find((other) => cooldownLeft(other, now) === 0);
      if (choice === undefined) break;
    }
    const beyond = run.attemptedIds.length > 1 && !run.attemptedIds.includes(choice.member.id);
    // What bounds the load of an outage must not keep anybody from a member that is well.
    if (beyond && !isHealthy(choice, now) && !call.retryBudget.tryWithdraw()) {
      choice = ordered.find((other) => isHealthy(other, now));
      if (choice === undefined) break;
    }
    const outcome = await tryMember(parts, call, choice, run);
    if (outcome.kind !== "failed") return outcome;
    const { failure } = outcome;
    run.failures.push(failure);
    if (outcome.final) break;
    if (failure.kind === "context_length" && !keepLargerContext(parts, call.choices, run.excluded, choice))
      break;
    const alone = noneElseAvailable(call.choices, run.excluded, choice, clock.monotonic());
    if (outcome.again && alone && repeats > 0 && call.retryBudget.tryWithdraw()) {
      repeats -= 1;
      await clock.sleep(repeatAfterMs, call.signal);
    } else if (failure.kind !== "rate_limited" || failure.retryAfterMs === null) run.excluded.push(choice);
    // One that said when to come back rests: the others come first, then it may be waited for.
  }
  const failure = mostUsefulFailure(run.failures);
  const last = run.failedBy?.get(failure) ?? run.last;
  return { kind: "failed", failure, last, asked: run.attemptedIds.length, tried: run.tried };
}

/** What a request has met so far. */
interface Run {
  tried: AttemptRecord[];
  failures: Failure[];
  /** Not asked again. */
  excluded: Choice<Member>[];
  /** Ids of the members that were asked. */
  attemptedIds: string[];
  last: Choice<Member> | null;
  /** Who said what: the error that is told and the member that is named beside it are the same one's. */
  failedBy: Map<Failure, Choice<Member>> | null;
}

type Outcome =
  | Exclude<FailoverResult, { kind: "failed" }>
  /** `final`: the request is at fault. `again`: it may have been a moment's fault. */
  | { kind: "failed"; failure: Failure; final: boolean; again: boolean };

async function tryMember(
  parts: FailoverDeps,
  call: FailoverCall,
  choice: Choice<Member>,
  run: Run,
): Promise<Outcome> {
  const { clock } = parts;
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
    attempted = await sendAttempt(parts, call, member, prepared, request, limitAt, waiting, false);
    // The peer may have closed an idle connection just then: that says nothing about it.
    if (attempted.kind === "failed" && attempted.reused)
      attempted = await sendAttempt(parts, call, member, prepared, request, limitAt, waiting, true);
  } catch (error) {
    // A bug in reading its answer must not leave it under way, or being probed, for ever.
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
      parts.memberDown(member, silenceFailure);
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
      if (health.failed(ticket, now, "upstream_error", null, null, true)) parts.memberDown(member, failure);
    } else updateHealth(parts, choice, ticket, failure);
    const final = failure.kind === "invalid_request" || failure.kind === "content_policy";
    return { kind: "failed", failure, final, again: !timeout && retryableStatuses.includes(failure.status) };
  }
  note("ok", 200);
  const won = winner(parts, choice, run.attemptedIds.length, ticket, startedAt, kind, size);
  if (attempted.kind !== "streaming") won.settle("completed");
  return { ...attempted, won, tried: run.tried };
}

function prepare(member: Member, request: ChatRequest, ask: AnswerMode): PreparedRequest {
  if (ask === "embeddings") return member.provider.embeddings(request, member.settings);
  return member.provider.chat(request, member.settings);
}

function sendAttempt(
  parts: FailoverDeps,
  call: FailoverCall,
  member: Member,
  prepared: Exclude<PreparedRequest, { kind: "unsupported_parameter" }>,
  request: ChatRequest,
  limitAt: number,
  waiting: AttemptSignal | null,
  fresh: boolean,
): Promise<AttemptResult> {
  const signal = waiting ?? call.signal;
  const longest = maxAnswerBytes(parts.answerBytes, call.mode === "embeddings");
  const target = { provider: member.provider, prepared, timeouts: member.timeouts, fresh, longest };
  if (request.stream) {
    const asked = askStream(parts, target, request, limitAt, signal);
    if (call.mode === "stream") return asked;
    return asked.then((spoken) => {
      waiting?.end();
      return bufferStream(spoken, signal);
    });
  }
  const read = (text: string) =>
    call.mode === "embeddings"
      ? member.provider.embeddingsAnswer(text, request)
      : member.provider.answer(text, request);
  return askWhole(parts, target, read, limitAt, signal);
}

function winner(
  parts: FailoverDeps,
  choice: Choice<Member>,
  attempts: number,
  ticket: HealthTicket,
  startedAt: number,
  kind: ResponseKind,
  size: number,
): Winner {
  const { health } = choice.member;
  const spokeAt = parts.clock.monotonic();
  if (health.firstOutput(ticket, spokeAt, spokeAt - startedAt, kind, size)) parts.memberUp(choice.member);
  let open = true;
  return {
    choice,
    attempts,
    settle: (how) => {
      if (!open) return;
      open = false;
      const now = parts.clock.monotonic();
      if (how === "completed") health.succeeded(ticket, now);
      else if (how === "dropped") health.dropped(ticket);
      else if (health.failed(ticket, now, "upstream_error", null))
        parts.memberDown(choice.member, cutStreams);
    },
  };
}

/** Why a member is down whose answers break off. */
const cutStreams: Failure = {
  kind: "upstream_error",
  status: 502,
  retryAfterMs: null,
  error: apiError("Its answers break off.", "server_error", "upstream_cut"),
};

/** What a member's health learns from a failure. */
function updateHealth(
  parts: FailoverDeps,
  { member, model }: Choice<Member>,
  ticket: HealthTicket,
  failure: Failure,
): void {
  const now = parts.clock.monotonic();
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
        parts.memberDown(member, failure);
  }
}

/** Whether nobody else is left who could be asked now. */
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

/** How long a member still rests that asked for it, ms; 0: it does not. */
function cooldownLeft({ member, model }: Choice<Member>, now: number): number {
  const standing = member.health.availability(now, model);
  return standing.kind === "down" && standing.why === "cooling_down" ? standing.until - now : 0;
}

/** Too long for one: a member that is declared with a larger context may be tried; the others are out. */
function keepLargerContext(
  parts: FailoverDeps,
  choices: readonly Choice<Member>[],
  out: Choice<Member>[],
  choice: Choice<Member>,
): boolean {
  const size = choice.member.contextTokens;
  const left = choices.filter((other) => other !== choice && !out.includes(other));
  const larger = size === null ? [] : left.filter(({ member }) => (member.contextTokens ?? 0) > size);
  const next = order(larger, parts.clock.monotonic(), parts.fraction)[0];
  for (const other of left) if (other !== next) out.push(other);
  return next !== undefined;
}

/** The vendor has nothing for a parameter: somebody else's may, and if nobody's does, this is what the caller hears. */
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

/** By how much the error helps whoever reads it: what they can mend themselves, then when to come back. */
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
  // That a member has nothing for a parameter says least where another one has.
  const rank = ({ kind, error }: Failure) => (error.code === "unsupported_parameter" ? 9 : usefulness[kind]);
  const best = failures.toSorted((a, b) => rank(a) - rank(b))[0];
  if (best) return best;
  const error = apiError("No member of the pool can serve this request.", "server_error", "no_member");
  return { kind: "upstream_error", status: 503, retryAfterMs: null, error };
}
