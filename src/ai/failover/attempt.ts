// One request to one member: sent, and read up to the moment at which it is known to be an answer. Whatever
// happens comes back as a value: a whole answer, a stream that has begun to speak, or a failure.

import { type Collected, collect, late, usualAnswerBytes } from "#ai/stream/collect.ts";
import { EventReader } from "#ai/stream/event-reader.ts";
import { play } from "#ai/stream/simulate.ts";
import { apiError } from "#providers/failure/api-error.ts";
import type {
  Answer,
  ChatRequest,
  Chunk,
  Failure,
  Prepared,
  Provider,
  StreamPiece,
  StreamReader,
  Usage,
} from "#providers/provider.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import {
  type BodyReader,
  isBodyError,
  type StreamingClient,
  type UpstreamResult,
} from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";

export interface Timeouts {
  connectMs: number;
  /** Of a stream: until the head of the answer. Otherwise the head comes when all is done. */
  headersMs: number;
  /** Of a stream: from the start until something is said. */
  firstTokenMs: number;
  /** The longest silence inside an answer. */
  idleMs: number;
  /** For the whole answer; null: the deadline of the request alone. */
  totalMs: number | null;
}

export interface AttemptParts {
  clock: Clock;
  upstreams: StreamingClient;
  /** Longest whole answer, bytes; that of embeddings is four times as long. Absent: 16 MiB. */
  answerBytes?: number;
}

/** Whom to ask, and how. */
export interface Target {
  provider: Provider;
  prepared: Exclude<Prepared, { kind: "untranslatable" }>;
  timeouts: Timeouts;
  /** On a connection of its own. */
  fresh: boolean;
  /** Longest whole answer, bytes; absent: 16 MiB. */
  longest?: number;
}

export type Attempted =
  | { kind: "answer"; text: string; usage: Usage | null }
  | { kind: "speaking"; stream: Speaking }
  | { kind: "collected"; chunks: Chunk[] }
  /**
   * `reused`: on a connection that its peer may just have closed. `timeout`: it was silent for too long. `overtime`:
   * it was not silent, but took longer than the request, or the member, may take.
   */
  | { kind: "failed"; failure: Failure; reused: boolean; timeout: boolean; overtime?: boolean }
  /** The caller went away. `heard`: the member had said something. */
  | { kind: "aborted"; heard?: boolean };

/** Longest error that is read, bytes. */
const longestError = 64 * 1024;
/** How long the wire may stay open behind `[DONE]`. */
const farewellMs = 1000;
/** How much a stream may send before it says something, UTF-16 units and chunks. */
const longestHold = 256 * 1024;
const mostHeld = 2048;

/** Asks for a completion that is not streamed. `read`: how the provider reads the body of a 2xx. */
export async function askWhole(
  parts: AttemptParts,
  target: Target,
  read: (text: string) => Answer,
  deadlineAt: number,
  signal: LightAbortSignal,
): Promise<Attempted> {
  const limitAt = within(parts.clock, deadlineAt, target.timeouts.totalMs);
  const opened = await openAnswer(parts, target, limitAt, Number.POSITIVE_INFINITY, signal);
  if (opened.kind !== "answer") return opened;
  const body = await collect(
    parts.clock,
    opened.body,
    target.longest ?? usualAnswerBytes,
    target.timeouts.idleMs,
    limitAt,
  );
  if (body.kind !== "text") return signal.aborted ? { kind: "aborted" } : cutShort(body);
  const answer = read(body.text);
  if (answer.kind === "failure") return failedWith(answer.failure);
  if (!answer.output) return brokenAnswer("The provider's answer is empty.", "empty_answer");
  return { kind: "answer", text: answer.text, usage: answer.usage };
}

/** Asks for a stream, and reads until it has said something: until then another member may still be asked. */
export async function askStream(
  parts: AttemptParts,
  target: Target,
  request: ChatRequest,
  deadlineAt: number,
  signal: LightAbortSignal,
): Promise<Attempted> {
  const { timeouts, provider } = target;
  const limitAt = within(parts.clock, deadlineAt, timeouts.totalMs);
  const speakAt = Math.min(limitAt, parts.clock.monotonic() + timeouts.firstTokenMs);
  const opened = await openAnswer(parts, target, speakAt, timeouts.headersMs, signal);
  if (opened.kind !== "answer") return opened;
  const type = opened.headers["content-type"] ?? "";
  if (/json|html/i.test(type)) {
    const body = await collect(parts.clock, opened.body, longestError, timeouts.idleMs, speakAt);
    if (body.kind !== "text") return signal.aborted ? { kind: "aborted" } : cutShort(body);
    const answer = /json/i.test(type) ? provider.answer(body.text, request) : null;
    if (answer?.kind === "failure") return failedWith(answer.failure);
    return badAnswer("The provider answered with something else than a stream.");
  }
  const stream = new Speaking(parts.clock, opened.body, provider.stream(request), timeouts, limitAt);
  const said = await stream.firstWord(speakAt);
  if (said === null) return { kind: "speaking", stream };
  stream.cancel();
  return signal.aborted ? { kind: "aborted" } : { ...failedWith(said.failure), timeout: said.timeout };
}

const within = (clock: Clock, deadlineAt: number, totalMs: number | null) =>
  totalMs === null ? deadlineAt : Math.min(deadlineAt, clock.monotonic() + totalMs);

type Opened =
  | { kind: "answer"; headers: Record<string, string>; body: BodyReader }
  | Extract<Attempted, { kind: "failed" } | { kind: "aborted" }>;

/** Sends the request and reads the head of the answer; a status that is no success becomes a failure here. */
async function openAnswer(
  { clock, upstreams }: AttemptParts,
  { provider, prepared, timeouts, fresh }: Target,
  limitAt: number,
  headersMs: number,
  signal: LightAbortSignal,
): Promise<Opened> {
  const leftMs = Math.max(1, limitAt - clock.monotonic());
  const result =
    prepared.kind === "played"
      ? await play(prepared.answer, clock, Math.min(headersMs, leftMs), signal)
      : await upstreams.open({
          method: prepared.request.method,
          url: prepared.request.url,
          headers: prepared.request.headers,
          body: prepared.request.body,
          connectMs: Math.min(timeouts.connectMs, leftMs),
          headersMs: Math.min(headersMs, leftMs),
          signal,
          fresh,
        });
  if (result.kind === "failed") {
    if (signal.aborted) return { kind: "aborted" };
    return unopened(result);
  }
  const { status, headers, body } = result;
  if (status >= 200 && status < 300) return { kind: "answer", headers, body };
  const read = await collect(clock, body, longestError, timeouts.idleMs, limitAt);
  if (signal.aborted) return { kind: "aborted" };
  return failedWith(provider.failure(status, headers, read.kind === "text" ? read.text : "", clock.now()));
}

/** In place of the reason, which names the address: callers know a member by its name alone. */
const unopenedWords = {
  not_allowed: { code: "url_not_allowed", message: "The provider's address is not allowed." },
  unreachable: { code: "upstream_unreachable", message: "The provider could not be reached." },
  cut: { code: "upstream_unreachable", message: "The provider closed the connection without an answer." },
  aborted: { code: "upstream_unreachable", message: "The request was stopped." },
  connect_timeout: { code: "upstream_timeout", message: "The provider took too long to connect." },
  headers_timeout: { code: "upstream_timeout", message: "The provider took too long to answer." },
} as const;

/** There was no answer at all. */
function unopened({ why, reason, reused }: Extract<UpstreamResult, { kind: "failed" }>) {
  const { code, message } = unopenedWords[why];
  const timeout = code === "upstream_timeout";
  const failure: Failure = { ...broken(message, code, timeout ? 504 : 502), detail: reason };
  return { kind: "failed" as const, failure, reused: why === "cut" && reused, timeout };
}

function failedWith(failure: Failure): Extract<Attempted, { kind: "failed" }> {
  return { kind: "failed", failure, reused: false, timeout: false };
}

function broken(message: string, code: string, status = 502): Failure {
  return { kind: "broken", status, retryAfterMs: null, error: apiError(message, "server_error", code) };
}

const brokenAnswer = (message: string, code: string) => failedWith(broken(message, code));

/** A 2xx that is no answer: its status keeps the chain from asking for the same at once. */
const badAnswer = (message: string) => failedWith(broken(message, "bad_upstream_answer", 200));

function cutShort(body: Exclude<Collected, { kind: "text" }>): Extract<Attempted, { kind: "failed" }> {
  if (body.kind === "too_long") return badAnswer("The provider's answer is too long.");
  const timeout = body.kind === "timeout";
  const code = timeout ? "upstream_timeout" : "upstream_cut";
  const failure = broken(
    `The provider's answer was not complete: ${body.reason}.`,
    code,
    timeout ? 504 : 502,
  );
  return { kind: "failed", failure, reused: false, timeout };
}

/** What a stream says next: chunks, its orderly end, or why there will be no more. */
export type Said =
  | { kind: "chunks"; chunks: Chunk[] }
  | { kind: "done" }
  /** `overtime`: it was still speaking when the time for the whole answer was over. */
  | { kind: "failed"; failure: Failure; timeout: boolean; overtime?: boolean };

/** A stream that is being read. An answer that was cut off never looks complete. */
export class Speaking {
  readonly #clock: Clock;
  readonly #body: BodyReader;
  readonly #reader: StreamReader;
  readonly #events = new EventReader();
  readonly #timeouts: Timeouts;
  readonly #limitAt: number;
  #held: Chunk[] = [];
  #pending: StreamPiece[] = [];
  #finished = false;
  #spoke = false;
  #over: Said | null = null;
  /** Monotonic ms of the last chunk. */
  #spokeAt: number;
  /** When the last reading ended, monotonic ms. */
  #readAt: number;

  constructor(clock: Clock, body: BodyReader, reader: StreamReader, timeouts: Timeouts, limitAt: number) {
    this.#clock = clock;
    this.#body = body;
    this.#reader = reader;
    this.#timeouts = timeouts;
    this.#limitAt = limitAt;
    this.#spokeAt = clock.monotonic();
    this.#readAt = this.#spokeAt;
  }

  /** Reads until something was said; null: it was. What came before is kept for `next`. */
  async firstWord(speakAt: number): Promise<{ failure: Failure; timeout: boolean } | null> {
    let size = 0;
    for (;;) {
      const said = await this.#read(() => speakAt - this.#clock.monotonic());
      this.#readAt = this.#clock.monotonic();
      if (said.kind === "failed") return said;
      if (said.kind === "done") {
        return { failure: broken("The provider's stream was empty.", "empty_answer"), timeout: false };
      }
      this.#held.push(...said.chunks);
      if (said.chunks.some((chunk) => chunk.output)) return null;
      size += said.chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
      if (size > longestHold || this.#held.length > mostHeld) {
        const failure = broken("The provider's stream said nothing at length.", "empty_answer", 200);
        return { failure, timeout: false };
      }
    }
  }

  async next(): Promise<Said> {
    if (this.#held.length > 0) {
      const chunks = this.#held;
      this.#held = [];
      return { kind: "chunks", chunks };
    }
    const { idleMs, firstTokenMs } = this.#timeouts;
    // While a slow caller took what was said, nobody listened: that is no silence of the member.
    this.#spokeAt += this.#clock.monotonic() - this.#readAt;
    const said = await this.#read(() => {
      const now = this.#clock.monotonic();
      // Comments and pings are life, but not for longer than a model may think.
      const silentUntil = this.#spokeAt + Math.max(idleMs, firstTokenMs);
      return Math.min(idleMs, silentUntil - now, this.#limitAt - now);
    });
    this.#readAt = this.#clock.monotonic();
    return said;
  }

  cancel(): void {
    this.#body.cancel();
  }

  /** The next chunks, as many as came together; `patience` is asked before each read of the wire. */
  async #read(patience: () => number): Promise<Said> {
    for (;;) {
      const said = this.#take();
      if (said) return said;
      if (this.#over) return this.#over;
      const leftMs = patience();
      const piece = leftMs <= 0 ? late : await this.#body.read(leftMs);
      if (piece === null) this.#end();
      else if (isBodyError(piece)) this.#break(piece.why, piece.reason);
      else this.#understand(this.#events.push(piece));
    }
  }

  /** The chunks that are there; a piece that ends the stream comes after them. */
  #take(): Said | null {
    if (this.#pending.length === 0) return null;
    const chunks: Chunk[] = [];
    for (const piece of this.#pending) {
      if (piece.kind === "chunk") {
        chunks.push(piece);
        if (piece.finish) this.#finished = true;
        if (piece.output) this.#spoke = true;
      } else if (piece.kind === "done") {
        if (this.#over) break;
        this.#over = this.#ended();
        void this.#leave();
        break;
      } else {
        this.#over ??= { kind: "failed", failure: piece.failure, timeout: false };
        break;
      }
    }
    this.#pending = [];
    if (chunks.length > 0) this.#spokeAt = this.#clock.monotonic();
    return chunks.length > 0 ? { kind: "chunks", chunks } : this.#over;
  }

  /** What `[DONE]` means: without a finish reason it is no end, something is missing. */
  #ended(): Said {
    if (this.#finished && !this.#reader.missing?.()) return { kind: "done" };
    const failure =
      this.#finished || this.#spoke
        ? broken("The provider's stream ended without a finish reason.", "upstream_cut")
        : broken("The provider's stream was empty.", "empty_answer");
    return { kind: "failed", failure, timeout: false };
  }

  #understand(events: ReturnType<EventReader["push"]>): void {
    if (events === null) {
      this.#over = {
        kind: "failed",
        failure: broken("The provider sent a frame without end.", "malformed_frame"),
        timeout: false,
      };
      return;
    }
    for (const event of events) this.#pending.push(...this.#reader.push(event));
  }

  /** The wire ended. Some providers leave `[DONE]` out; a finish reason says that nothing is missing. */
  #end(): void {
    this.#understand(this.#events.end());
    const finished = this.#finished || this.#pending.some((piece) => piece.kind === "chunk" && piece.finish);
    this.#pending.push(
      finished && !this.#reader.missing?.()
        ? { kind: "done" }
        : { kind: "failure", failure: broken("The provider's stream was cut off.", "upstream_cut") },
    );
  }

  /** Reads what is left behind the end, so that the connection can be used again; a peer that goes on is left. */
  async #leave(): Promise<void> {
    for (let pieces = 0; pieces < 16; pieces++) {
      const piece = await this.#body.read(farewellMs);
      if (piece === null) return;
      if (isBodyError(piece)) break;
    }
    this.#body.cancel();
  }

  #break(why: "cut" | "timeout" | "cancelled", reason: string): void {
    const timeout = why === "timeout";
    const code = timeout ? "upstream_timeout" : "upstream_cut";
    const failure = broken(`The provider's stream broke off: ${reason}.`, code, timeout ? 504 : 502);
    const overtime = timeout && this.#clock.monotonic() >= this.#limitAt;
    this.#over = { kind: "failed", failure, timeout, overtime };
  }
}
