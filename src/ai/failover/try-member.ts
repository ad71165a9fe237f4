// One member's turn in a call: its request, and what its health records about the result.

import { adapt, planFor } from "#ai/failover/adaptations/adaptations.ts";
import { rememberMissingApi } from "#ai/failover/adaptations/native-api.ts";
import { type AnswerReader, recordingReader } from "#ai/failover/adaptations/sealed-reasoning.ts";
import { thoughtMaker } from "#ai/failover/adaptations/unsealed-reasoning.ts";
import type { HealthTicket } from "#ai/health/health.ts";
import { promptSizeFactor, type ResponseKind } from "#ai/health/response-times.ts";
import type { Member } from "#ai/pools/member.ts";
import type { Choice } from "#ai/pools/pool.ts";
import { bufferStream } from "#ai/stream/buffered.ts";
import { maxAnswerBytes, textOf } from "#ai/stream/collect.ts";
import { askParts, embeddingParts } from "#ai/stream/embedding-parts.ts";
import { unfold } from "#ai/stream/unfold.ts";
import type { AttemptSpan } from "#ai/tracing/attempt-span.ts";
import { openaiStream } from "#providers/openai/stream.ts";
import type {
  ChatRequest,
  Failure,
  NativeApi,
  ParsedAnswer,
  ToolsApi,
  VendorAnswer,
} from "#providers/provider.ts";
import { fold } from "#providers/translate/fold.ts";
import { type AttemptResult, askStream, askWhole, type Target } from "./attempt.ts";
import { AttemptSignal } from "./attempt-signal.ts";
import type {
  AnswerMode,
  AttemptRecord,
  FailoverCall,
  FailoverDeps,
  FailoverResult,
  Run,
  Winner,
} from "./call.ts";
import { hasHealthyAlternative } from "./healthy-members.ts";
import { cutStreams, pretendedDown, unsupportedParameter } from "./own-failures.ts";
import { prepareAttempt } from "./prepare-attempt.ts";
import { answeredKind, failedAtKind, ownCodes } from "./request-kind.ts";
import { answerDeadline, mayBeRequestFault, silenceFailure } from "./silence.ts";

const isTransient = ({ kind, status, retryAfterMs, error }: Failure) =>
  kind === "upstream_error" &&
  retryAfterMs === null &&
  (status === 500 || status === 502 || status === 503) &&
  !ownCodes.includes(error.code ?? "");

/** The moving average to compare with. A buffered stream is treated like a whole answer. */
export const responseKindOf = (ask: AnswerMode): ResponseKind =>
  ask === "chat" || ask === "buffered" || ask === "folded" ? "whole" : ask;

export type Outcome =
  | Exclude<FailoverResult, { kind: "failed" }>
  /**
   * `final`: the request is at fault. `transient`: the vendor itself answered 500, 502 or 503 without a requested wait, or the connection
   * was reset, before any output.
   */
  | {
      kind: "failed";
      failure: Failure;
      final: boolean;
      transient: boolean;
      /** The member refused a parameter or sealed reasoning that can be left out or lowered. */
      adaptable?: boolean;
    };

/** Calls one member. `isRepeat`: it is an immediate retry, so that its failure is not a second consecutive one. */
export async function tryMember(
  deps: FailoverDeps,
  call: FailoverCall,
  choice: Choice<Member>,
  run: Run,
  isRepeat: boolean,
): Promise<Outcome> {
  const { clock } = deps;
  const { member, model } = choice;
  const startedAt = clock.monotonic();
  const tell = call.trial?.asked(choice);
  let span: AttemptSpan | null = null;
  const recordAttempt = (outcome: AttemptRecord["outcome"], status: number | null, failure?: Failure) => {
    const ms = clock.monotonic() - startedAt;
    const started_ms = startedAt - run.startedAt;
    run.attempts.push({ member: member.name, model, started_ms, ms, outcome, status });
    tell?.({ outcome, status, reason: failure ? (failure.detail ?? failure.error.message) : null });
    if (outcome === "aborted" || failure) span?.ended(failure?.kind ?? "aborted", failure);
  };
  if (call.trial?.pretendDown.includes(member.id)) {
    recordAttempt("pretended_down", null, pretendedDown);
    return { kind: "failed", failure: pretendedDown, final: false, transient: false };
  }
  const plan = planFor(deps, call, choice, run, startedAt);
  const { asked, key, native, tools } = plan;
  const stream = call.mode === "stream" || call.mode === "buffered" || call.mode === "folded";
  const attempt = prepareAttempt(call, plan, stream, startedAt);
  const { prepared, request, refused } = attempt;
  if (prepared.kind === "unsupported_parameter") {
    const failure = unsupportedParameter(prepared);
    recordAttempt("unsupported_parameter", null, failure);
    return { kind: "failed", failure, final: false, transient: false };
  }
  span = call.span?.attempt(choice, { prepared, stream, isGivenUp: call.isGivenUp }) ?? null;
  run.last = choice;
  if (!run.attemptedIds.includes(member.id)) run.attemptedIds.push(member.id);
  const { health } = member;
  const kind = responseKindOf(call.mode);
  const size = promptSizeFactor(call.promptTokens);
  const elsewhere = () => hasHealthyAlternative(call.choices, run.excluded, choice, clock.monotonic());
  const limitAt = stream
    ? call.deadlineAt
    : answerDeadline(call, startedAt, health.answerMs(kind, size), elsewhere);
  const ticket = health.begin(startedAt);
  const waiting =
    call.choices.length === 1
      ? null
      : new AttemptSignal(clock, call.signal, health, startedAt + health.overdueMs(kind, size), elsewhere);
  let attempted: AttemptResult;
  try {
    const { settings } = asked.member;
    const sending = { call, member, settings, native, tools, prepared, request, limitAt, waiting, span };
    attempted = await sendAttempt(deps, sending, false);
    // The peer may have closed the idle connection at that moment, which says nothing about its health.
    if (attempted.kind === "failed" && attempted.reused) attempted = await sendAttempt(deps, sending, true);
  } catch (error) {
    // A bug in the adapter must not leave the ticket open, or the probe pending, forever.
    health.dropped(ticket);
    span?.ended("failed");
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
    else if (health.clientDisconnected(ticket, clock.monotonic(), kind, size))
      deps.memberDown(member, silenceFailure);
    recordAttempt("aborted", null);
    return { kind: "aborted", attempts: run.attempts };
  }
  if (attempted.kind === "failed") {
    const { failure: rawFailure, timeout } = attempted;
    recordAttempt(rawFailure.kind, rawFailure.status, rawFailure);
    const now = clock.monotonic();
    const failed = { deps, call, run, choice, plan, request, refused, now };
    const { failure, keysRestMs = null, adaptation } = adapt(failed, rawFailure);
    run.failedBy ??= new Map();
    run.failedBy.set(failure, choice);
    const isIgnored = attempted.overtime || failure.ignoredByHealth || adaptation?.ignoredByHealth;
    if (isIgnored || failedAtKind(choice, call, failure, isRepeat, now)) health.dropped(ticket);
    else if (
      failure.kind === "upstream_error" &&
      (isRepeat || mayBeRequestFault(health, failure, timeout, startedAt, now))
    ) {
      if (health.failed(ticket, now, "upstream_error", restMs(failure), null, true))
        deps.memberDown(member, failure);
    } else updateHealth(deps, choice, ticket, failure, keysRestMs);
    const final = failure.kind === "invalid_request" || failure.kind === "content_policy";
    const transient = !timeout && isTransient(failure);
    return { kind: "failed", failure, final, transient, adaptable: adaptation !== null };
  }
  recordAttempt("ok", 200);
  answeredKind(choice, call);
  span?.answered(attempted, clock.monotonic() - startedAt);
  rememberMissingApi(choice, call, run, clock.monotonic());
  if (key !== null) member.keys?.answered(key, model);
  const won: Winner = {
    choice,
    memberCount: run.attemptedIds.length,
    forwarded: native !== null,
    adapted: attempt.adapted,
    span,
    settle: settler({ deps, choice, ticket, startedAt, kind, size, span }),
  };
  if (attempted.kind !== "streaming") won.settle("completed");
  return { ...attempted, won, attempts: run.attempts };
}

/** How a whole answer in this mode is parsed; `reader`: for chat completions or for the vendor's own format. */
function read(
  { provider }: Member,
  reader: AnswerReader,
  request: ChatRequest,
  mode: AnswerMode,
): (answer: VendorAnswer) => ParsedAnswer {
  switch (mode) {
    case "chat":
    case "stream":
    case "buffered":
    case "folded":
      return ({ bytes }) => reader.answer(textOf(bytes), request);
    case "embeddings":
      return ({ bytes }) => provider.embeddingsAnswer(textOf(bytes), request);
    default:
      return (answer) => provider.forwardAnswer(mode, answer);
  }
}

/** What is sent to one member. */
interface Sending {
  call: FailoverCall;
  member: Member;
  /** The settings of the member, with the key in use. */
  settings: unknown;
  native: NativeApi | null;
  /** The API that is used instead of chat completions. */
  tools: ToolsApi | null;
  prepared: Target["prepared"];
  request: ChatRequest;
  /** Monotonic ms. */
  limitAt: number;
  /** Abandons a wait that is longer than usual; null if the member is the only one. */
  waiting: AttemptSignal | null;
  span: AttemptSpan | null;
}

/** Sends the request and reads the answer as the mode of the call requires. `fresh`: over a new connection. */
function sendAttempt(
  deps: FailoverDeps,
  { call, member, settings, native, tools, prepared, request, limitAt, waiting, span }: Sending,
  fresh: boolean,
): Promise<AttemptResult> {
  const signal = waiting ?? call.signal;
  const asked = native === null ? { ...request, maker: thoughtMaker(member) } : request;
  const own = native ?? tools ?? member.provider;
  const reader = call.pool.members.length > 1 ? recordingReader(deps.origins, member, native, own) : own;
  const target: Target = {
    provider: {
      answer: (text) => reader.answer(text, asked),
      stream: () => reader.stream(asked),
      failure: (tools ?? member.provider).failure,
    },
    prepared,
    timeouts: member.timeouts,
    extraHeaders: span === null ? call.extraHeaders : span.headers,
    fresh,
    unfold:
      native === null
        ? { events: (text) => unfold(text, request.body), stream: () => openaiStream(request) }
        : { events: native.unfold, stream: native.stream },
    takesRuns: call.mode === "stream",
    maxAnswerBytes: maxAnswerBytes(
      deps.answerBytes,
      responseKindOf(call.mode) === call.mode && !request.stream,
    ),
  };
  if (request.stream) {
    const opening = askStream(deps, target, request, limitAt, signal);
    if (call.mode === "stream") return opening;
    return opening.then(async (spoken) => {
      waiting?.end();
      const whole = await bufferStream(spoken, signal);
      if (call.mode === "buffered" || whole.kind !== "buffered") return whole;
      return { kind: "answer", ...(native === null ? fold(whole.chunks) : native.fold(whole.chunks)) };
    });
  }
  const ask = (ready: Target["prepared"], part: ChatRequest) =>
    askWhole(deps, { ...target, prepared: ready }, read(member, reader, part, call.mode), limitAt, signal);
  const parts = call.mode === "embeddings" ? embeddingParts(request, member.provider.maxEmbedded) : null;
  if (parts === null) return ask(prepared, asked);
  return askParts(parts, (part) => {
    const ready = member.provider.embeddings(part, settings);
    if (ready.kind === "unsupported_parameter") throw new Error(ready.message);
    return ask(ready, part);
  });
}

/** A member that has begun to answer. */
interface Answering {
  deps: FailoverDeps;
  choice: Choice<Member>;
  ticket: HealthTicket;
  /** Monotonic ms. */
  startedAt: number;
  kind: ResponseKind;
  /** The size factor of the prompt, see `promptSizeFactor`. */
  size: number;
  span: AttemptSpan | null;
}

/** The member has begun to answer; the result reports how the answer ended. */
function settler({ deps, choice, ticket, startedAt, kind, size, span }: Answering): Winner["settle"] {
  const { health } = choice.member;
  const spokeAt = deps.clock.monotonic();
  if (health.firstOutput(ticket, spokeAt, spokeAt - startedAt, kind, size)) deps.memberUp(choice.member);
  let open = true;
  return (how) => {
    if (!open) return;
    open = false;
    span?.settled(how);
    const now = deps.clock.monotonic();
    if (how === "completed") health.succeeded(ticket, now);
    else if (how === "dropped") health.dropped(ticket);
    else if (health.failed(ticket, now, "upstream_error", null)) deps.memberDown(choice.member, cutStreams);
  };
}

/** How long the vendor asked not to be called, ms; null if it did not. Other server errors may concern a single request. */
const restMs = ({ kind, status, retryAfterMs }: Failure): number | null =>
  kind !== "upstream_error" || status === 503 || status === 529 ? retryAfterMs : null;

/**
 * Faults of the request do not count against the member; a missing model counts only against that model. `keysRestMs`: all of several keys
 * are refused, the first one for that long.
 */
function updateHealth(
  deps: FailoverDeps,
  { member, model }: Choice<Member>,
  ticket: HealthTicket,
  failure: Failure,
  keysRestMs: number | null,
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
    case "upstream_error": {
      const isDown =
        keysRestMs === null
          ? member.health.failed(ticket, now, failure.kind, restMs(failure), model)
          : member.health.keysRefused(ticket, now, keysRestMs);
      if (isDown) deps.memberDown(member, failure);
    }
  }
}
