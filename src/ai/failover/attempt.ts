// One attempt: sends one request to one member and reads until the answer is known to be real. Every result is a
// value: a whole answer, a stream with its first output, or a failure.

import { type CollectResult, collect, defaultMaxAnswerBytes, outOfTime, textOf } from "#ai/stream/collect.ts";
import { EventReader } from "#ai/stream/event-reader.ts";
import { simulate } from "#ai/stream/simulate.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type {
  ChatRequest,
  Chunk,
  Failure,
  ParsedAnswer,
  PreparedRequest,
  Provider,
  StreamPiece,
  StreamReader,
  Usage,
  VendorAnswer,
} from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import {
  type BodyReader,
  isBodyError,
  type StreamingClient,
  type UpstreamResult,
} from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";
import type { MemberTimeouts } from "#store/schema/pools.ts";

export interface AttemptDeps {
  clock: Clock;
  upstreams: StreamingClient;
  /** Longest whole answer, bytes; answers other than completions may be four times as long. Absent: 16 MiB. */
  answerBytes?: number;
}

/** The member to send to, and the prepared request. */
export interface Target {
  provider: Pick<Provider, "answer" | "stream" | "failure">;
  prepared: Exclude<PreparedRequest, { kind: "unsupported_parameter" }>;
  timeouts: MemberTimeouts;
  /** More headers of the request; those of the member win. */
  passedOn?: Readonly<Record<string, string>> | null | undefined;
  /** Use a new connection. */
  fresh: boolean;
  /** Longest whole answer, bytes; absent: 16 MiB. */
  maxAnswerBytes?: number;
}

export type AttemptResult =
  | { kind: "answer"; text: string; usage: Usage | null; media?: VendorAnswer }
  | { kind: "streaming"; stream: UpstreamStream }
  | { kind: "buffered"; chunks: Chunk[] }
  /**
   * `reused`: the request went over an idle connection that the peer may just have closed. `timeout`: the
   * member was silent for too long. `overtime`: the member was sending, but exceeded the time limit of the
   * request or of the member.
   */
  | { kind: "failed"; failure: Failure; reused: boolean; timeout: boolean; overtime?: boolean }
  /** The client disconnected. `heard`: the member had produced output. */
  | { kind: "aborted"; heard?: boolean };

/** Longest error body that is read, bytes. */
const maxErrorBytes = 64 * 1024;
/** How long the connection may stay open after `[DONE]`. */
const drainMs = 1000;
/** How much a stream may send before its first output, in UTF-16 units and in chunks. */
const maxPrefaceUnits = 256 * 1024;
const maxPrefaceChunks = 2048;

/** Sends a request that is not streamed. `read` parses the body of a 2xx. */
export async function askWhole(
  deps: AttemptDeps,
  target: Target,
  read: (answer: VendorAnswer) => ParsedAnswer,
  deadlineAt: number,
  signal: LightAbortSignal,
): Promise<AttemptResult> {
  const limitAt = earlierDeadline(deps.clock, deadlineAt, target.timeouts.totalMs);
  const opened = await openAnswer(deps, target, limitAt, Number.POSITIVE_INFINITY, signal);
  if (opened.kind !== "answer") return opened;
  const body = await collect(
    deps.clock,
    opened.body,
    target.maxAnswerBytes ?? defaultMaxAnswerBytes,
    target.timeouts.idleMs,
    limitAt,
  );
  if (body.kind !== "bytes") return signal.aborted ? { kind: "aborted" } : incompleteAnswer(body);
  const answer = read({ bytes: body.bytes, contentType: opened.headers["content-type"] ?? "" });
  if (answer.kind === "failure") return failedWith(answer.failure);
  if (!answer.output) return failedAnswer("The provider's answer is empty.", "empty_answer");
  const { text, usage, media } = answer;
  return { kind: "answer", text, usage, ...(media === undefined ? {} : { media }) };
}

/**
 * Sends a streaming request and reads up to the first output: until then another member may still be
 * attempted.
 */
export async function askStream(
  deps: AttemptDeps,
  target: Target,
  request: ChatRequest,
  deadlineAt: number,
  signal: LightAbortSignal,
): Promise<AttemptResult> {
  const { timeouts, provider } = target;
  const limitAt = earlierDeadline(deps.clock, deadlineAt, timeouts.totalMs);
  const speakAt = Math.min(limitAt, deps.clock.monotonic() + timeouts.firstTokenMs);
  const opened = await openAnswer(deps, target, speakAt, timeouts.headersMs, signal);
  if (opened.kind !== "answer") return opened;
  const type = opened.headers["content-type"] ?? "";
  if (/json|html/i.test(type)) {
    const body = await collect(deps.clock, opened.body, maxErrorBytes, timeouts.idleMs, speakAt);
    if (body.kind !== "bytes") return signal.aborted ? { kind: "aborted" } : incompleteAnswer(body);
    const answer = /json/i.test(type) ? provider.answer(textOf(body.bytes), request) : null;
    if (answer?.kind === "failure") return failedWith(answer.failure);
    return badAnswer("The provider answered with something else than a stream.");
  }
  const stream = new UpstreamStream(deps.clock, opened.body, provider.stream(request), timeouts, limitAt);
  const fault = await stream.firstToken(speakAt);
  if (fault === null) return { kind: "streaming", stream };
  stream.cancel();
  return signal.aborted ? { kind: "aborted" } : { ...failedWith(fault.failure), timeout: fault.timeout };
}

const earlierDeadline = (clock: Clock, deadlineAt: number, totalMs: number | null) =>
  totalMs === null ? deadlineAt : Math.min(deadlineAt, clock.monotonic() + totalMs);

type Opened =
  | { kind: "answer"; headers: Record<string, string>; body: BodyReader }
  | Extract<AttemptResult, { kind: "failed" } | { kind: "aborted" }>;

/** Sends the request and reads the response headers; a status outside 2xx becomes a failure. */
async function openAnswer(
  { clock, upstreams }: AttemptDeps,
  { provider, prepared, timeouts, passedOn, fresh }: Target,
  limitAt: number,
  headersMs: number,
  signal: LightAbortSignal,
): Promise<Opened> {
  const leftMs = Math.max(1, limitAt - clock.monotonic());
  const result =
    prepared.kind === "simulated"
      ? await simulate(prepared.answer, clock, Math.min(headersMs, leftMs), signal)
      : await upstreams.open({
          method: prepared.request.method,
          url: prepared.request.url,
          headers: !passedOn ? prepared.request.headers : { ...passedOn, ...prepared.request.headers },
          body: prepared.request.body,
          connectMs: Math.min(timeouts.connectMs, leftMs),
          headersMs: Math.min(headersMs, leftMs),
          signal,
          fresh,
        });
  if (result.kind === "failed") {
    if (signal.aborted) return { kind: "aborted" };
    return connectFailure(result);
  }
  const { status, headers, body } = result;
  if (status >= 200 && status < 300) return { kind: "answer", headers, body };
  const read = await collect(clock, body, maxErrorBytes, timeouts.idleMs, limitAt);
  if (signal.aborted) return { kind: "aborted" };
  return failedWith(
    provider.failure(status, headers, read.kind === "bytes" ? textOf(read.bytes) : "", clock.now()),
  );
}

/** Replaces the transport's reason, which names the address: clients know members by name alone. */
const connectErrors = {
  not_allowed: { code: "url_not_allowed", message: "The provider's address is not allowed." },
  unreachable: { code: "upstream_unreachable", message: "The provider could not be reached." },
  cut: { code: "upstream_cut", message: "The provider closed the connection without an answer." },
  aborted: { code: "upstream_unreachable", message: "The request was stopped." },
  connect_timeout: { code: "upstream_timeout", message: "The provider took too long to connect." },
  headers_timeout: { code: "upstream_timeout", message: "The provider took too long to answer." },
} as const;

/** No response headers were received. */
function connectFailure({ why, reason, reused }: Extract<UpstreamResult, { kind: "failed" }>) {
  const { code, message } = connectErrors[why];
  const timeout = code === "upstream_timeout";
  const failure: Failure = { ...upstreamError(message, code, timeout ? 504 : 502), detail: reason };
  return { kind: "failed" as const, failure, reused: why === "cut" && reused, timeout };
}

function failedWith(failure: Failure): Extract<AttemptResult, { kind: "failed" }> {
  return { kind: "failed", failure, reused: false, timeout: false };
}

function upstreamError(message: string, code: string, status = 502): Failure {
  return {
    kind: "upstream_error",
    status,
    retryAfterMs: null,
    error: apiError(message, "server_error", code),
  };
}

const failedAnswer = (message: string, code: string) => failedWith(upstreamError(message, code));

/** A 2xx that is not an answer. Status 200 keeps failover from repeating it at the same member. */
const badAnswer = (message: string) => failedWith(upstreamError(message, "bad_upstream_answer", 200));

function incompleteAnswer(
  body: Exclude<CollectResult, { kind: "bytes" }>,
): Extract<AttemptResult, { kind: "failed" }> {
  if (body.kind === "too_long") return badAnswer("The provider's answer is too long.");
  const timeout = body.kind === "timeout";
  const code = timeout ? "upstream_timeout" : "upstream_cut";
  const failure = upstreamError(
    `The provider's answer was not complete: ${body.reason}.`,
    code,
    timeout ? 504 : 502,
  );
  return { kind: "failed", failure, reused: false, timeout };
}

/** The next event of a stream: chunks, its orderly end, or the failure that ended it. */
export type StreamEvent =
  | { kind: "chunks"; chunks: Chunk[] }
  | { kind: "done" }
  /** `overtime`: the stream was still active when the time for the whole answer ran out. */
  | { kind: "failed"; failure: Failure; timeout: boolean; overtime?: boolean };

/** A stream being read. A stream that was cut off never ends as complete. */
export class UpstreamStream {
  readonly #clock: Clock;
  readonly #body: BodyReader;
  readonly #reader: StreamReader;
  readonly #events = new EventReader();
  readonly #timeouts: MemberTimeouts;
  readonly #limitAt: number;
  #preface: Chunk[] = [];
  #pending: StreamPiece[] = [];
  #finished = false;
  #hasOutput = false;
  #final: StreamEvent | null = null;
  /** Monotonic ms of the last chunk. */
  #lastChunkAt: number;
  /** Monotonic ms of the end of the last read. */
  #lastReadAt: number;

  constructor(
    clock: Clock,
    body: BodyReader,
    reader: StreamReader,
    timeouts: MemberTimeouts,
    limitAt: number,
  ) {
    this.#clock = clock;
    this.#body = body;
    this.#reader = reader;
    this.#timeouts = timeouts;
    this.#limitAt = limitAt;
    this.#lastChunkAt = clock.monotonic();
    this.#lastReadAt = this.#lastChunkAt;
  }

  /** Reads up to the first output; null: there is some. The chunks before it are kept for `next`. */
  async firstToken(speakAt: number): Promise<{ failure: Failure; timeout: boolean } | null> {
    let size = 0;
    for (;;) {
      const read = await this.#read(() => speakAt - this.#clock.monotonic());
      this.#lastReadAt = this.#clock.monotonic();
      if (read.kind === "failed") return read;
      if (read.kind === "done") {
        return { failure: upstreamError("The provider's stream was empty.", "empty_answer"), timeout: false };
      }
      this.#preface.push(...read.chunks);
      if (read.chunks.some((chunk) => chunk.output)) return null;
      size += read.chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
      if (size > maxPrefaceUnits || this.#preface.length > maxPrefaceChunks) {
        const failure = upstreamError("The provider's stream said nothing at length.", "empty_answer", 200);
        return { failure, timeout: false };
      }
    }
  }

  async next(): Promise<StreamEvent> {
    if (this.#preface.length > 0) {
      const chunks = this.#preface;
      this.#preface = [];
      return { kind: "chunks", chunks };
    }
    const { idleMs, firstTokenMs } = this.#timeouts;
    // Time that a slow client took for the last chunks does not count as silence of the member.
    this.#lastChunkAt += this.#clock.monotonic() - this.#lastReadAt;
    const read = await this.#read(() => {
      const now = this.#clock.monotonic();
      // SSE comments keep the stream alive, up to the first-token timeout.
      const silentUntil = this.#lastChunkAt + Math.max(idleMs, firstTokenMs);
      return Math.min(idleMs, silentUntil - now, this.#limitAt - now);
    });
    this.#lastReadAt = this.#clock.monotonic();
    return read;
  }

  cancel(): void {
    this.#body.cancel();
  }

  /** The next chunks, all that arrived together; `timeLeft` is evaluated before each read. */
  async #read(timeLeft: () => number): Promise<StreamEvent> {
    for (;;) {
      const read = this.#take();
      if (read) return read;
      if (this.#final) return this.#final;
      const leftMs = timeLeft();
      const piece = leftMs <= 0 ? outOfTime : await this.#body.read(leftMs);
      if (piece === null) this.#onWireEnd();
      else if (isBodyError(piece)) this.#break(piece.why, piece.reason);
      else this.#understand(this.#events.push(piece));
    }
  }

  /** The pending chunks; a piece that ends the stream is delivered after them. */
  #take(): StreamEvent | null {
    if (this.#pending.length === 0) return null;
    const chunks: Chunk[] = [];
    for (const piece of this.#pending) {
      if (piece.kind === "chunk") {
        chunks.push(piece);
        if (piece.finish) this.#finished = true;
        if (piece.output) this.#hasOutput = true;
      } else if (piece.kind === "done") {
        if (this.#final) break;
        this.#final = this.#ended();
        void this.#leave();
        break;
      } else {
        this.#final ??= { kind: "failed", failure: piece.failure, timeout: false };
        break;
      }
    }
    this.#pending = [];
    if (chunks.length > 0) this.#lastChunkAt = this.#clock.monotonic();
    return chunks.length > 0 ? { kind: "chunks", chunks } : this.#final;
  }

  /** Handles `[DONE]`: without a finish reason the stream is incomplete. */
  #ended(): StreamEvent {
    if (this.#finished && !this.#reader.missing?.()) return { kind: "done" };
    const failure =
      this.#finished || this.#hasOutput
        ? upstreamError("The provider's stream ended without a finish reason.", "upstream_cut")
        : upstreamError("The provider's stream was empty.", "empty_answer");
    return { kind: "failed", failure, timeout: false };
  }

  #understand(events: ReturnType<EventReader["push"]>): void {
    if (events === null) {
      this.#final = {
        kind: "failed",
        failure: upstreamError("The provider sent a frame without end.", "malformed_frame"),
        timeout: false,
      };
      return;
    }
    for (const event of events) this.#pending.push(...this.#reader.push(event));
  }

  /** The connection ended. Some providers omit `[DONE]`; a finish reason shows that the answer is complete. */
  #onWireEnd(): void {
    this.#understand(this.#events.end());
    const finished = this.#finished || this.#pending.some((piece) => piece.kind === "chunk" && piece.finish);
    this.#pending.push(
      finished && !this.#reader.missing?.()
        ? { kind: "done" }
        : { kind: "failure", failure: upstreamError("The provider's stream was cut off.", "upstream_cut") },
    );
  }

  /**
   * Reads what follows the end, so that the connection can be reused; gives up on a peer that keeps sending.
   */
  async #leave(): Promise<void> {
    for (let pieces = 0; pieces < 16; pieces++) {
      const piece = await this.#body.read(drainMs);
      if (piece === null) return;
      if (isBodyError(piece)) break;
    }
    this.#body.cancel();
  }

  #break(why: "cut" | "timeout" | "cancelled", reason: string): void {
    const timeout = why === "timeout";
    const code = timeout ? "upstream_timeout" : "upstream_cut";
    const failure = upstreamError(`The provider's stream broke off: ${reason}.`, code, timeout ? 504 : 502);
    const overtime = timeout && this.#clock.monotonic() >= this.#limitAt;
    this.#final = { kind: "failed", failure, timeout, overtime };
  }
}
