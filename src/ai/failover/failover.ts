// From member to member until one answers. Decides, by what became of an attempt, who is asked next, whether
// somebody is asked once more, and what the members' health learns from it.

import type { Ticket } from "#ai/health/health.ts";
import { type AnswerKind, sizeOf } from "#ai/health/response-times.ts";
import { type Candidate, type Choice, order } from "#ai/pools/pool.ts";
import { collected } from "#ai/stream/buffered.ts";
import { longestAnswer } from "#ai/stream/collect.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type { ChatRequest, Chunk, Failure, Prepared, Provider, Usage } from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";
import {
  type Attempted,
  type AttemptParts,
  askStream,
  askWhole,
  type Speaking,
  type Timeouts,
} from "./attempt.ts";
import { isWell, wellElsewhere } from "./healthy-members.ts";
import type { RetryBudget } from "./retry-budget.ts";
import { isOwnFault, limitOf, wentSilent } from "./silence.ts";
import { Waiting } from "./waiting.ts";

/** A member, ready to be asked. */
export interface Member extends Candidate {
  /** The models it embeds with. */
  embeddingModels: readonly string[];
  /** Millionths of the currency unit for a million tokens. */
  price: { input: number; output: number };
  provider: Provider;
  settings: unknown;
  timeouts: Timeouts;
  /** The longest context, tokens; null: not told. */
  contextTokens: number | null;
}

export type Ask = "chat" | "stream" | "collected" | "embeddings";

export interface ChainCall {
  choices: readonly Choice<Member>[];
  ask: Ask;
  text: string;
  body: Readonly<Record<string, unknown>>;
  /** Tokens of the input, estimated: a long one takes longer. */
  promptTokens: number;
  /** Monotonic ms. */
  deadlineAt: number;
  /** For a whole answer of one member while another is left, ms; null: half of what is left of the deadline. */
  answerMs: number | null;
  signal: LightAbortSignal;
  budget: RetryBudget;
}

export interface ChainParts extends AttemptParts {
  clock: Clock;
  fraction: () => number;
  /** A member went down, and why; for the account to be told. */
  memberDown(member: Member, failure: Failure): void;
  memberUp(member: Member): void;
}

/** One request to one member, for the usage record. */
export interface Tried {
  member: string;
  model: string;
  ms: number;
  outcome: "ok" | Failure["kind"] | "untranslatable" | "aborted";
  status: number | null;
}

export type ChainResult =
  | { kind: "answer"; text: string; usage: Usage | null; won: Won; tried: Tried[] }
  | { kind: "speaking"; stream: Speaking; won: Won; tried: Tried[] }
  | { kind: "collected"; chunks: Chunk[]; won: Won; tried: Tried[] }
  | { kind: "failed"; failure: Failure; last: Choice<Member> | null; asked: number; tried: Tried[] }
  | { kind: "aborted"; tried: Tried[] };

/** Who answered; `settled` tells how its stream ended. */
export interface Won {
  choice: Choice<Member>;
  /** Members tried, this one included; a repeat on the same one does not count. */
  attempts: number;
  /** A stream's end: its member's health waits for it. */
  settled(how: "done" | "broken" | "dropped"): void;
}

/** A member that failed alone is asked once more after this. */
const repeatAfterMs = 250;
/** How often a request waits for a member that said when to come back, and how long at the most. */
const mostWaits = 2;
const longestWaitMs = 20_000;
/** Statuses of a fault that may have been a moment's. */
const momentary: readonly number[] = [500, 502];

/** What its answer's time is compared with. One that is collected is heard of when it is whole. */
const kindOf = (ask: Ask): AnswerKind => (ask === "chat" || ask === "collected" ? "whole" : ask);

/** Asks members in turn until one answers, the request itself is refused, or nobody is left. */
export async function runChain(parts: ChainParts, call: ChainCall): Promise<ChainResult> {
  const { clock } = parts;
  const run: Run = { tried: [], failures: [], out: [], asked: [], last: null, by: null };
  let repeats = 1;
  let waits = 0;
  call.budget.request();
  for (;;) {
    if (call.signal.aborted) return { kind: "aborted", tried: run.tried };
    const now = clock.monotonic();
    const left = run.out.length === 0 ? call.choices : call.choices.filter((one) => !run.out.includes(one));
    const ordered = order(left, now, parts.fraction, kindOf(call.ask));
    let choice = ordered[0];
    if (choice === undefined || now >= call.deadlineAt) break;
    const waitMs = restOf(choice, now);
    if (waitMs > 0) {
      // Everybody else is out or down. It said when to come back, and is not asked before.
      if (run.failures.length === 0) run.failures.push(resting(waitMs));
      if (waits < mostWaits && waitMs <= longestWaitMs && now + waitMs < call.deadlineAt) {
        waits += 1;
        await clock.sleep(waitMs, call.signal);
        continue;
      }
      // Too long. Somebody who is merely thought to be down is better than nobody.
      choice = ordered.find((other) => restOf(other, now) === 0);
      if (choice === undefined) break;
    }
    const beyond = run.asked.length > 1 && !run.asked.includes(choice.member.id);
    // What bounds the load of an outage must not keep anybody from a member that is well.
    if (beyond && !isWell(choice, now) && !call.budget.take()) {
      choice = ordered.find((other) => isWell(other, now));
      if (choice === undefined) break;
    }
    const outcome = await tryMember(parts, call, choice, run);
    if (outcome.kind !== "failed") return outcome;
    const { failure } = outcome;
    run.failures.push(failure);
    if (outcome.final) break;
    if (failure.kind === "context" && !largerLeft(parts, call.choices, run.out, choice)) break;
    const alone = isAlone(call.choices, run.out, choice, clock.monotonic());
    if (outcome.again && alone && repeats > 0 && call.budget.take()) {
      repeats -= 1;
      await clock.sleep(repeatAfterMs, call.signal);
    } else if (failure.kind !== "limited" || failure.retryAfterMs === null) run.out.push(choice);
    // One that said when to come back rests: the others come first, then it may be waited for.
  }
  const failure = mostUseful(run.failures);
  const last = run.by?.get(failure) ?? run.last;
  return { kind: "failed", failure, last, asked: run.asked.length, tried: run.tried };
}

/** What a request has met so far. */
interface Run {
  tried: Tried[];
  failures: Failure[];
  /** Not asked again. */
  out: Choice<Member>[];
  /** Ids of the members that were asked. */
  asked: string[];
  last: Choice<Member> | null;
  /** Who said what: the error that is told and the member that is named beside it are the same one's. */
  by: Map<Failure, Choice<Member>> | null;
}

type Outcome =
  | Exclude<ChainResult, { kind: "failed" }>
  /** `final`: the request is at fault. `again`: it may have been a moment's fault. */
  | { kind: "failed"; failure: Failure; final: boolean; again: boolean };

async function tryMember(
  parts: ChainParts,
  call: ChainCall,
  choice: Choice<Member>,
  run: Run,
): Promise<Outcome> {
  const { clock } = parts;
  const { member, model } = choice;
  const stream = call.ask === "stream" || call.ask === "collected";
  const request: ChatRequest = { text: call.text, body: call.body, model, stream };
  const prepared = prepare(member, request, call.ask);
  const startedAt = clock.monotonic();
  const note = (outcome: Tried["outcome"], status: number | null) =>
    run.tried.push({ member: member.name, model, ms: clock.monotonic() - startedAt, outcome, status });
  if (prepared.kind === "untranslatable") {
    note("untranslatable", null);
    return { kind: "failed", failure: cannot(prepared), final: false, again: false };
  }
  run.last = choice;
  if (!run.asked.includes(member.id)) run.asked.push(member.id);
  const { health } = member;
  const kind = kindOf(call.ask);
  const size = sizeOf(call.promptTokens);
  const elsewhere = () => wellElsewhere(call.choices, run.out, choice, clock.monotonic());
  const limitAt = stream ? call.deadlineAt : limitOf(call, startedAt, elsewhere);
  const ticket = health.begin(startedAt);
  const waiting =
    call.choices.length === 1
      ? null
      : new Waiting(clock, call.signal, health, startedAt + health.overdueMs(kind, size), elsewhere);
  let attempted: Attempted;
  try {
    attempted = await ask(parts, call, member, prepared, request, limitAt, waiting, false);
    // The peer may have closed an idle connection just then: that says nothing about it.
    if (attempted.kind === "failed" && attempted.reused)
      attempted = await ask(parts, call, member, prepared, request, limitAt, waiting, true);
  } catch (error) {
    // A bug in reading its answer must not leave it under way, or being probed, for ever.
    health.dropped(ticket);
    throw error;
  } finally {
    waiting?.end();
  }
  if (waiting?.givenUp && (attempted.kind === "aborted" || attempted.kind === "speaking")) {
    if (attempted.kind === "speaking") attempted.stream.cancel();
    attempted = { kind: "failed", failure: wentSilent, reused: false, timeout: true };
  }
  if (attempted.kind === "aborted") {
    if (attempted.heard) health.dropped(ticket);
    else if (health.left(ticket, clock.monotonic(), kind, size)) parts.memberDown(member, wentSilent);
    note("aborted", null);
    return { kind: "aborted", tried: run.tried };
  }
  if (attempted.kind === "failed") {
    const { failure, timeout } = attempted;
    note(failure.kind, failure.status);
    run.by ??= new Map();
    run.by.set(failure, choice);
    const now = clock.monotonic();
    if (attempted.overtime) health.dropped(ticket);
    else if (failure.kind === "broken" && isOwnFault(health, failure, timeout, startedAt, now)) {
      if (health.failed(ticket, now, "broken", null, null, true)) parts.memberDown(member, failure);
    } else learn(parts, choice, ticket, failure);
    const final = failure.kind === "caller" || failure.kind === "policy";
    return { kind: "failed", failure, final, again: !timeout && momentary.includes(failure.status) };
  }
  note("ok", 200);
  const won = winner(parts, choice, run.asked.length, ticket, startedAt, kind, size);
  if (attempted.kind !== "speaking") won.settled("done");
  return { ...attempted, won, tried: run.tried };
}

function prepare(member: Member, request: ChatRequest, ask: Ask): Prepared {
  if (ask === "embeddings") return member.provider.embeddings(request, member.settings);
  return member.provider.chat(request, member.settings);
}

function ask(
  parts: ChainParts,
  call: ChainCall,
  member: Member,
  prepared: Exclude<Prepared, { kind: "untranslatable" }>,
  request: ChatRequest,
  limitAt: number,
  waiting: Waiting | null,
  fresh: boolean,
): Promise<Attempted> {
  const signal = waiting ?? call.signal;
  const longest = longestAnswer(parts.answerBytes, call.ask === "embeddings");
  const target = { provider: member.provider, prepared, timeouts: member.timeouts, fresh, longest };
  if (request.stream) {
    const asked = askStream(parts, target, request, limitAt, signal);
    if (call.ask === "stream") return asked;
    return asked.then((spoken) => {
      waiting?.end();
      return collected(spoken, signal);
    });
  }
  const read = (text: string) =>
    call.ask === "embeddings"
      ? member.provider.embeddingsAnswer(text, request)
      : member.provider.answer(text, request);
  return askWhole(parts, target, read, limitAt, signal);
}

function winner(
  parts: ChainParts,
  choice: Choice<Member>,
  attempts: number,
  ticket: Ticket,
  startedAt: number,
  kind: AnswerKind,
  size: number,
): Won {
  const { health } = choice.member;
  const spokeAt = parts.clock.monotonic();
  if (health.spoke(ticket, spokeAt, spokeAt - startedAt, kind, size)) parts.memberUp(choice.member);
  let open = true;
  return {
    choice,
    attempts,
    settled: (how) => {
      if (!open) return;
      open = false;
      const now = parts.clock.monotonic();
      if (how === "done") health.succeeded(ticket, now);
      else if (how === "dropped") health.dropped(ticket);
      else if (health.failed(ticket, now, "broken", null)) parts.memberDown(choice.member, brokeOff);
    },
  };
}

/** Why a member is down whose answers break off. */
const brokeOff: Failure = {
  kind: "broken",
  status: 502,
  retryAfterMs: null,
  error: apiError("Its answers break off.", "server_error", "upstream_cut"),
};

/** What a member's health learns from a failure. */
function learn(parts: ChainParts, { member, model }: Choice<Member>, ticket: Ticket, failure: Failure): void {
  const now = parts.clock.monotonic();
  switch (failure.kind) {
    case "caller":
    case "context":
    case "policy":
    case "unable":
      member.health.dropped(ticket);
      return;
    case "no_model":
      member.health.lacksModel(ticket, now, model);
      return;
    case "limited":
    case "denied":
    case "broken":
      if (member.health.failed(ticket, now, failure.kind, failure.retryAfterMs, model))
        parts.memberDown(member, failure);
  }
}

/** Whether nobody else is left who could be asked now. */
function isAlone(
  choices: readonly Choice<Member>[],
  out: readonly Choice<Member>[],
  choice: Choice<Member>,
  now: number,
): boolean {
  return choices.every(
    (other) =>
      other === choice ||
      out.includes(other) ||
      other.member.health.standing(now, other.model).kind === "down",
  );
}

/** How long a member still rests that asked for it, ms; 0: it does not. */
function restOf({ member, model }: Choice<Member>, now: number): number {
  const standing = member.health.standing(now, model);
  return standing.kind === "down" && standing.why === "resting" ? standing.until - now : 0;
}

/** Too long for one: a member that is declared with a larger context may be tried; the others are out. */
function largerLeft(
  parts: ChainParts,
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
function cannot({ param, message }: Extract<Prepared, { kind: "untranslatable" }>): Failure {
  const error = apiError(message, "invalid_request_error", "unsupported_parameter", param);
  return { kind: "caller", status: 400, retryAfterMs: null, error };
}

function resting(retryAfterMs: number): Failure {
  const error = apiError("Every member of the pool is at its limit.", "requests", "rate_limit_exceeded");
  return { kind: "limited", status: 429, retryAfterMs, error };
}

/** By how much the error helps whoever reads it: what they can mend themselves, then when to come back. */
const usefulness: Record<Failure["kind"], number> = {
  policy: 0,
  context: 1,
  caller: 2,
  limited: 3,
  broken: 4,
  denied: 5,
  no_model: 6,
  unable: 7,
};

function mostUseful(failures: readonly Failure[]): Failure {
  // That a member has nothing for a parameter says least where another one has.
  const rank = ({ kind, error }: Failure) => (error.code === "unsupported_parameter" ? 9 : usefulness[kind]);
  const best = failures.toSorted((a, b) => rank(a) - rank(b))[0];
  if (best) return best;
  const error = apiError("No member of the pool can serve this request.", "server_error", "no_member");
  return { kind: "broken", status: 503, retryAfterMs: null, error };
}
