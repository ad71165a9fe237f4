// Reads a member's stream: its first output, its chunks, its silences and its end. A member that reasons may be silent for minutes; only
// its keep-alives or its open reasoning item distinguish it from one that hangs.

import { timedOut } from "#ai/stream/collect.ts";
import { EventReader, type FrameReader } from "#ai/stream/event-reader.ts";
import { asChunk, PlainFrames } from "#ai/stream/plain-frames.ts";
import type { MemberTimeouts } from "#contract/manage/pools/members.ts";
import { ignoredByHealth, unreadable, vendorFailure } from "#providers/failure/vendor-failure.ts";
import type { Chunk, Failure, StreamPiece, StreamReader } from "#providers/provider.ts";
import { append } from "#providers/translate/append.ts";
import { type BodyReader, isBodyError } from "#runtime/net/streaming-client.ts";
import type { Clock } from "#runtime/runtime.ts";

/** How long the connection may stay open after `[DONE]`. */
const drainMs = 1000;
/** Maximum size of a stream before its first output, in UTF-16 units and in chunks. */
const maxPrefaceUnits = 256 * 1024;
const maxPrefaceChunks = 2048;

/** A failure of the member that the gateway inferred from what arrived or did not arrive, with its own code. */
export const upstreamError = (message: string, code: string, status = 502): Failure =>
  vendorFailure("upstream_error", status, message, { code });

/** Why there was no first output. `overtime`: the member showed signs of reasoning until its time was over. */
interface FirstTokenFault {
  failure: Failure;
  timeout: boolean;
  overtime: boolean;
}

/** The next event of a stream: chunks, its orderly end, or the failure that ended it. */
export type StreamEvent =
  | { kind: "chunks"; chunks: Chunk[] }
  | { kind: "done" }
  /** `overtime`: the member was sending or reasoning when its time ran out. */
  | { kind: "failed"; failure: Failure; timeout: boolean; overtime?: boolean };

/** A stream being read. A truncated stream never ends as complete. */
export class UpstreamStream {
  readonly #clock: Clock;
  readonly #body: BodyReader;
  readonly #reader: StreamReader;
  readonly #events: FrameReader;
  readonly #timeouts: MemberTimeouts;
  readonly #limitAt: number;
  /** Absent if each frame is parsed. */
  readonly #plain: { frames: PlainFrames; events: EventReader } | null;
  #preface: Chunk[] = [];
  #pending: StreamPiece[] = [];
  #finished = false;
  #hasOutput = false;
  #final: StreamEvent | null = null;
  /** Monotonic ms of the last chunk. */
  #lastChunkAt: number;
  /** Monotonic ms of the end of the last read. */
  #lastReadAt: number;
  /** Monotonic ms of the last sign of work without output: a keep-alive or an open reasoning item. Null if there was none. */
  #lastSignAt: number | null = null;

  /** `takesRuns`: its caller accepts runs of frames. */
  constructor(
    clock: Clock,
    body: BodyReader,
    reader: StreamReader,
    timeouts: MemberTimeouts,
    limitAt: number,
    events: FrameReader = new EventReader(),
    takesRuns = false,
  ) {
    const isPlain = takesRuns && reader.allowsRuns === true && events instanceof EventReader;
    this.#plain = isPlain ? { frames: new PlainFrames(), events } : null;
    this.#clock = clock;
    this.#events = events;
    this.#body = body;
    this.#reader = reader;
    this.#timeouts = timeouts;
    this.#limitAt = limitAt;
    this.#lastChunkAt = clock.monotonic();
    this.#lastReadAt = this.#lastChunkAt;
  }

  /**
   * Reads up to the first output; null if there is some. The chunks before it are kept for `next`. `askedAt`: when the request was sent,
   * monotonic ms. A member that shows signs of reasoning gets `thinking_ms` from then on, any other `first_token_ms`.
   */
  async firstToken(askedAt: number): Promise<FirstTokenFault | null> {
    const { first_token_ms: firstTokenMs, idle_ms: idleMs, thinking_ms: thinkingMs } = this.#timeouts;
    const speakAt = Math.min(this.#limitAt, askedAt + firstTokenMs);
    const thinkAt = Math.min(this.#limitAt, askedAt + thinkingMs);
    let size = 0;
    for (;;) {
      const read = await this.#read(() => {
        const now = this.#clock.monotonic();
        if (this.#lastSignAt === null) return speakAt - now;
        if (this.#isThinking) return thinkAt - now;
        // A vendor may send one ping with the headers and then hang, so pings count only while they continue.
        const silentAt = Math.max(speakAt, this.#lastSignAt + Math.max(firstTokenMs, idleMs));
        return Math.min(thinkAt, silentAt) - now;
      });
      this.#lastReadAt = this.#clock.monotonic();
      if (read.kind === "failed") {
        const overtime = read.timeout && this.#lastSignAt !== null && this.#lastReadAt >= thinkAt;
        return { failure: read.failure, timeout: read.timeout, overtime };
      }
      if (read.kind === "done") {
        if (this.#reader.mayBeEmpty?.()) return null;
        const failure = upstreamError("The provider's stream was empty.", "empty_answer");
        return { failure, timeout: false, overtime: false };
      }
      append(this.#preface, read.chunks);
      if (read.chunks.some((chunk) => chunk.output)) return null;
      size += read.chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
      if (size > maxPrefaceUnits || this.#preface.length > maxPrefaceChunks) {
        const failure = upstreamError(
          "The provider's stream is long and has no output.",
          "empty_answer",
          200,
        );
        return { failure, timeout: false, overtime: false };
      }
    }
  }

  async next(): Promise<StreamEvent> {
    if (this.#preface.length > 0) {
      const chunks = this.#preface;
      this.#preface = [];
      return { kind: "chunks", chunks };
    }
    const { idle_ms: idleMs, first_token_ms: firstTokenMs, thinking_ms: thinkingMs } = this.#timeouts;
    // The time that a slow client took for the last chunks does not count as silence of the member.
    this.#lastChunkAt += this.#clock.monotonic() - this.#lastReadAt;
    const read = await this.#read(() => {
      const now = this.#clock.monotonic();
      if (this.#isThinking) return Math.min(this.#lastChunkAt + thinkingMs, this.#limitAt) - now;
      // Keep-alives keep the stream open, up to the first-token timeout.
      const silentUntil = this.#lastChunkAt + Math.max(idleMs, firstTokenMs);
      return Math.min(idleMs, silentUntil - now, this.#limitAt - now);
    });
    this.#lastReadAt = this.#clock.monotonic();
    return read;
  }

  /** Whether the member shows that it is working on its answer: it reasons, or sent a keep-alive recently. */
  get isAtWork(): boolean {
    if (this.#lastSignAt === null) return false;
    return this.#isThinking || this.#clock.monotonic() - this.#lastSignAt <= this.#timeouts.idle_ms;
  }

  /** Whether the next event is the end and is known. */
  get hasEnded(): boolean {
    return this.#final !== null && this.#preface.length === 0 && this.#pending.length === 0;
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
      const piece = leftMs <= 0 ? timedOut : await this.#body.read(leftMs);
      if (piece === null) this.#onWireEnd();
      else if (isBodyError(piece)) this.#break(piece.why, piece.reason);
      else this.#onBytes(piece);
    }
  }

  #onBytes(bytes: Buffer): void {
    const plain = this.#plain;
    const parts = plain?.frames.split(bytes, plain.events.isBetweenEvents) ?? null;
    if (plain === null || parts === null) {
      this.#understand(this.#events.push(bytes));
      return;
    }
    plain.events.skipped();
    for (const part of parts) {
      if (this.#final) return;
      if (typeof part === "object" && "form" in part) this.#pending.push(asChunk(part));
      else this.#understand(plain.events.pushPart(part));
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

  #understand(events: ReturnType<FrameReader["push"]>): void {
    if (events === null) {
      this.#final = {
        kind: "failed",
        failure: ignoredByHealth(upstreamError("The provider sent a frame without end.", "malformed_frame")),
        timeout: false,
      };
      return;
    }
    // A comment, or an event without content such as a ping, shows that the peer keeps the connection open.
    let isSign = this.#events.takeComment() || this.#isThinking;
    for (const event of events) {
      const pieces = this.#reader.push(event);
      if (pieces.length === 0 || this.#isThinking) isSign = true;
      const last = pieces.at(-1);
      if (last?.kind === "failure")
        pieces[pieces.length - 1] = { ...last, failure: unreadable(last.failure, event.data) };
      append(this.#pending, pieces);
    }
    if (this.#events.isDamaged?.())
      this.#pending.push({
        kind: "failure",
        failure: upstreamError("The provider's stream broke off: a frame is damaged.", "upstream_cut"),
      });
    if (isSign) this.#lastSignAt = this.#clock.monotonic();
  }

  get #isThinking(): boolean {
    return this.#reader.thinking?.() === true;
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
    const overtime = timeout && (this.#isThinking || this.#clock.monotonic() >= this.#limitAt);
    this.#final = { kind: "failed", failure, timeout, overtime };
  }
}
