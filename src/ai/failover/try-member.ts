// One member's turn in a call: its request, and what its health records about the result.

import type { Plan } from "#ai/failover/adaptations/adaptation.ts";
import { adapt, planFor } from "#ai/failover/adaptations/adaptations.ts";
import { rememberMissingApi } from "#ai/failover/adaptations/native-api.ts";
import { type AnswerReader, recordingReader } from "#ai/failover/adaptations/sealed-reasoning.ts";
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
import type { ChatRequest, Failure, ParsedAnswer, StreamReader, VendorAnswer } from "#providers/provider.ts";
import { fold } from "#providers/translate/fold.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { type AttemptResult, askStream, askWhole, type Target } from "./attempt.ts";
import { AttemptSignal } from "./attempt-signal.ts";
import type {
  AnswerMode,
  AttemptRecord,
  FailoverCall,
  FailoverDeps,
  FailoverResult,
  Run,
  Trial,
  Winner,
} from "./call.ts";
import { hasHealthyAlternative } from "./healthy-members.ts";
import { cutStreams, pretendedDown, unsupportedParameter } from "./own-failures.ts";
import { prepareAttempt } from "./prepare-attempt.ts";
import { isTransient, restMs, updateHealth } from "./record-failure.ts";
import { answeredKind, failedAtKind } from "./request-kind.ts";
import { answerDeadline, mayBeRequestFault, silenceFailure } from "./silence.ts";

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
export function tryMember(
  deps: FailoverDeps,
  call: FailoverCall,
  choice: Choice<Member>,
  run: Run,
  isRepeat: boolean,
): Promise<Outcome> {
  return new Turn(deps, call, choice, run).take(isRepeat);
}

const isStreamed = (mode: AnswerMode) => mode === "stream" || mode === "buffered" || mode === "folded";
const noAlternative = () => false;

/** A member's turn: the request to it, how its answer is read, and, when it answers, the winner of the call. */
class Turn implements Target, Winner {
  readonly choice: Choice<Member>;
  readonly timeouts: Target["timeouts"];
  readonly takesRuns: boolean;
  prepared!: Target["prepared"];
  extraHeaders: Target["extraHeaders"];
  fresh = false;
  memberCount = 0;
  adapted: readonly string[] = [];
  span: AttemptSpan | null = null;
  readonly #deps: FailoverDeps;
  readonly #call: FailoverCall;
  readonly #run: Run;
  /** Monotonic ms. */
  readonly #startedAt: number;
  readonly #kind: ResponseKind;
  /** The size factor of the prompt, see `promptSizeFactor`. */
  readonly #size: number;
  readonly #tell: ReturnType<Trial["asked"]> | null;
  #plan!: Plan;
  #request!: ChatRequest;
  #reader!: AnswerReader;
  #ticket!: HealthTicket;
  #isSettled = false;

  constructor(deps: FailoverDeps, call: FailoverCall, choice: Choice<Member>, run: Run) {
    this.#deps = deps;
    this.#call = call;
    this.#run = run;
    this.choice = choice;
    this.timeouts = choice.member.timeouts;
    this.takesRuns = call.mode === "stream";
    this.extraHeaders = call.extraHeaders;
    this.#startedAt = deps.clock.monotonic();
    this.#kind = responseKindOf(call.mode);
    this.#size = promptSizeFactor(call.promptTokens);
    this.#tell = call.trial?.asked(choice) ?? null;
  }

  async take(isRepeat: boolean): Promise<Outcome> {
    const deps = this.#deps;
    const call = this.#call;
    const run = this.#run;
    const { choice } = this;
    const { member } = choice;
    if (call.trial?.pretendDown.includes(member.id)) {
      this.#record("pretended_down", null, pretendedDown);
      return { kind: "failed", failure: pretendedDown, final: false, transient: false };
    }
    const plan = planFor(deps, call, choice, run, this.#startedAt);
    const streamed = isStreamed(call.mode);
    const { prepared, request, refused, adapted } = prepareAttempt(call, plan, streamed, this.#startedAt);
    if (prepared.kind === "unsupported_parameter") {
      const failure = unsupportedParameter(prepared);
      this.#record("unsupported_parameter", null, failure);
      return { kind: "failed", failure, final: false, transient: false };
    }
    this.#plan = plan;
    this.#request = request;
    this.prepared = prepared;
    this.adapted = adapted;
    if (call.span !== undefined) {
      this.span = call.span.attempt(choice, { prepared, stream: streamed, isGivenUp: call.isGivenUp });
      this.extraHeaders = this.span.headers;
    }
    run.last = choice;
    if (!run.attemptedIds.includes(member.id)) run.attemptedIds.push(member.id);
    const attempted = await this.#attempt(streamed);
    if (attempted.kind === "failed") return this.#failed(attempted, isRepeat, refused);
    if (attempted.kind === "aborted") return this.#aborted(attempted.heard === true);
    return this.#answered(attempted);
  }

  /** Calls the member; twice if an idle connection was just being closed. */
  async #attempt(streamed: boolean): Promise<AttemptResult> {
    const deps = this.#deps;
    const call = this.#call;
    const { clock } = deps;
    const { choice } = this;
    const { health } = choice.member;
    const isOnly = call.choices.length === 1;
    const elsewhere = isOnly
      ? noAlternative
      : () => hasHealthyAlternative(call.choices, this.#run.excluded, choice, clock.monotonic());
    const ownLimitMs = health.answerMs(this.#kind, this.#size);
    const limitAt = streamed ? call.deadlineAt : answerDeadline(call, this.#startedAt, ownLimitMs, elsewhere);
    this.#ticket = health.begin(this.#startedAt);
    const overdueAt = this.#startedAt + (isOnly ? 0 : health.overdueMs(this.#kind, this.#size));
    const waiting = isOnly ? null : new AttemptSignal(clock, call.signal, health, overdueAt, elsewhere);
    let attempted: AttemptResult;
    try {
      attempted = await this.#send(limitAt, waiting);
      // The peer may have closed the idle connection at that moment, which says nothing about its health.
      if (attempted.kind === "failed" && attempted.reused) {
        this.fresh = true;
        attempted = await this.#send(limitAt, waiting);
      }
    } catch (error) {
      // A bug in the adapter must not leave the ticket open, or the probe pending, forever.
      health.dropped(this.#ticket);
      this.span?.ended("failed");
      throw error;
    } finally {
      waiting?.end();
    }
    if (!waiting?.abandoned || (attempted.kind !== "aborted" && attempted.kind !== "streaming"))
      return attempted;
    if (attempted.kind === "streaming") attempted.stream.cancel();
    return { kind: "failed", failure: silenceFailure, reused: false, timeout: true };
  }

  /** Sends the request and reads the answer as the mode of the call requires. */
  #send(limitAt: number, waiting: AttemptSignal | null): Promise<AttemptResult> {
    const deps = this.#deps;
    const { mode, pool, signal: caller } = this.#call;
    const { native, tools, asked } = this.#plan;
    const { member } = this.choice;
    const request = this.#request;
    const signal = waiting ?? caller;
    const own = native ?? tools ?? member.provider;
    this.#reader = pool.members.length > 1 ? recordingReader(deps.origins, member, native, own) : own;
    if (request.stream) {
      const opening = askStream(deps, this, limitAt, signal);
      return mode === "stream" ? opening : opening.then((spoken) => this.#whole(spoken, waiting, signal));
    }
    const parts = mode === "embeddings" ? embeddingParts(request, member.provider.maxEmbedded) : null;
    if (parts === null) return askWhole(deps, this, limitAt, signal);
    return askParts(parts, (part) => {
      const ready = member.provider.embeddings(part, asked.member.settings);
      if (ready.kind === "unsupported_parameter") throw new Error(ready.message);
      this.prepared = ready;
      this.#request = part;
      return askWhole(deps, this, limitAt, signal);
    });
  }

  /** The whole answer, or all chunks, of a stream that is held back. */
  async #whole(
    spoken: AttemptResult,
    waiting: AttemptSignal | null,
    signal: LightAbortSignal,
  ): Promise<AttemptResult> {
    waiting?.end();
    const whole = await bufferStream(spoken, signal);
    if (this.#call.mode === "buffered" || whole.kind !== "buffered") return whole;
    const { native } = this.#plan;
    return { kind: "answer", ...(native === null ? fold(whole.chunks) : native.fold(whole.chunks)) };
  }

  get maxAnswerBytes(): number {
    return maxAnswerBytes(this.#deps.answerBytes, this.#kind === this.#call.mode && !this.#request.stream);
  }

  answer(text: string): ParsedAnswer {
    return this.#reader.answer(text, this.#request);
  }

  stream(): StreamReader {
    return this.#reader.stream(this.#request);
  }

  failure(...[status, headers, text, now]: Parameters<Target["failure"]>): Failure {
    return (this.#plan.tools ?? this.choice.member.provider).failure(status, headers, text, now);
  }

  read(answer: VendorAnswer): ParsedAnswer {
    const { provider } = this.choice.member;
    const { mode } = this.#call;
    switch (mode) {
      case "chat":
      case "stream":
      case "buffered":
      case "folded":
        return this.answer(textOf(answer.bytes));
      case "embeddings":
        return provider.embeddingsAnswer(textOf(answer.bytes), this.#request);
      default:
        return provider.forwardAnswer(mode, answer);
    }
  }

  unfold(): ReturnType<NonNullable<Target["unfold"]>> {
    const request = this.#request;
    const { native } = this.#plan;
    return native === null
      ? { events: (text) => unfold(text, request.body), stream: () => openaiStream(request) }
      : { events: native.unfold, stream: native.stream };
  }

  get forwarded(): boolean {
    return this.#plan.native !== null;
  }

  settle(how: "completed" | "failed" | "dropped"): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.span?.settled(how);
    const { member } = this.choice;
    const now = this.#deps.clock.monotonic();
    if (how === "completed") member.health.succeeded(this.#ticket, now);
    else if (how === "dropped") member.health.dropped(this.#ticket);
    else if (member.health.failed(this.#ticket, now, "upstream_error", null))
      this.#deps.memberDown(member, cutStreams);
  }

  #record(outcome: AttemptRecord["outcome"], status: number | null, failure?: Failure): void {
    const { member, model } = this.choice;
    const ms = this.#deps.clock.monotonic() - this.#startedAt;
    const started_ms = this.#startedAt - this.#run.startedAt;
    this.#run.attempts.push({ member: member.name, model, started_ms, ms, outcome, status });
    this.#tell?.({ outcome, status, reason: failure ? (failure.detail ?? failure.error.message) : null });
    if (outcome === "aborted" || failure) this.span?.ended(failure?.kind ?? "aborted", failure);
  }

  /** `heard`: the member had produced output or shown that it was working. */
  #aborted(heard: boolean): Outcome {
    const { clock, memberDown } = this.#deps;
    const { member } = this.choice;
    if (heard) member.health.dropped(this.#ticket);
    else if (member.health.clientDisconnected(this.#ticket, clock.monotonic(), this.#kind, this.#size))
      memberDown(member, silenceFailure);
    this.#record("aborted", null);
    return { kind: "aborted", attempts: this.#run.attempts };
  }

  #failed(
    attempted: Extract<AttemptResult, { kind: "failed" }>,
    isRepeat: boolean,
    refused: readonly string[],
  ): Outcome {
    const deps = this.#deps;
    const call = this.#call;
    const run = this.#run;
    const { choice } = this;
    const { member } = choice;
    const { failure: rawFailure, timeout } = attempted;
    this.#record(rawFailure.kind, rawFailure.status, rawFailure);
    const now = deps.clock.monotonic();
    const failed = { deps, call, run, choice, plan: this.#plan, request: this.#request, refused, now };
    const { failure, keysRestMs = null, adaptation } = adapt(failed, rawFailure);
    run.failedBy ??= new Map();
    run.failedBy.set(failure, choice);
    const isIgnored = attempted.overtime || failure.ignoredByHealth || adaptation?.ignoredByHealth;
    if (isIgnored || failedAtKind(choice, call, failure, isRepeat, now)) member.health.dropped(this.#ticket);
    else if (
      failure.kind === "upstream_error" &&
      (isRepeat || mayBeRequestFault(member.health, failure, timeout, this.#startedAt, now))
    ) {
      if (member.health.failed(this.#ticket, now, "upstream_error", restMs(failure), null, true))
        deps.memberDown(member, failure);
    } else updateHealth(deps, choice, this.#ticket, failure, keysRestMs);
    const final = failure.kind === "invalid_request" || failure.kind === "content_policy";
    const transient = !timeout && isTransient(failure);
    return { kind: "failed", failure, final, transient, adaptable: adaptation !== null };
  }

  /** The member has begun to answer. */
  #answered(attempted: Exclude<AttemptResult, { kind: "failed" } | { kind: "aborted" }>): Outcome {
    const deps = this.#deps;
    const { choice } = this;
    const { member, model } = choice;
    const { health } = member;
    this.#record("ok", 200);
    answeredKind(choice, this.#call);
    const spokeAt = deps.clock.monotonic();
    const ms = spokeAt - this.#startedAt;
    this.span?.answered(attempted, ms);
    rememberMissingApi(choice, this.#call, this.#run, spokeAt);
    if (this.#plan.key !== null) member.keys?.answered(this.#plan.key, model);
    this.memberCount = this.#run.attemptedIds.length;
    if (health.firstOutput(this.#ticket, spokeAt, ms, this.#kind, this.#size)) deps.memberUp(member);
    if (attempted.kind !== "streaming") this.settle("completed");
    const { attempts } = this.#run;
    switch (attempted.kind) {
      case "answer": {
        const { text, usage, media } = attempted;
        return {
          kind: "answer",
          text,
          usage,
          won: this,
          attempts,
          ...(media === undefined ? {} : { media }),
        };
      }
      case "streaming":
        return { kind: "streaming", stream: attempted.stream, won: this, attempts };
      case "buffered":
        return { kind: "buffered", chunks: attempted.chunks, won: this, attempts };
    }
  }
}
