// Parses the bytes of a stream into events by the standard (html.spec.whatwg.org, server-sent events): every form of line
// ends, characters and events split between reads, comments, a byte order mark.

import { createParser } from "eventsource-parser";
import type { VendorEvent } from "#providers/provider.ts";

/** Reads the frames of a stream. */
export interface FrameReader {
  /** The events that these bytes complete; null after one that is too long. */
  push(bytes: Buffer): VendorEvent[] | null;
  /** Whether a comment began since the last call. */
  takeComment(): boolean;
  /** The events that the end of the stream completes. */
  end(): VendorEvent[] | null;
  /** Whether a frame was damaged or truncated. Absent if this kind of frame cannot show that. */
  isDamaged?(): boolean;
}

/** Maximum size of an event, UTF-16 units: no model's answer has a longer one. */
const maxEventUnits = 16 * 1024 * 1024;
/**
 * Maximum number of lines in an event. An empty `data:` line has one unit and costs the parser a hundred times as much, so the size limit
 * by itself would admit 16 million of them.
 */
const maxLines = 16_384;

/** Pieces longer than this are fed in two parts, bytes. */
const longPiece = 4096;

export class EventReader implements FrameReader {
  /** The parser removes the byte order mark. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #events: VendorEvent[] = [];
  #overflowed = false;
  /** Lines of the incomplete event, counted in pieces that complete no event. */
  #lines = 0;
  /** The next byte begins a line. */
  #atLineStart = true;
  #hasComment = false;
  #isBetweenEvents = true;
  readonly #parser = createParser({
    maxBufferSize: maxEventUnits,
    onEvent: ({ event, data }) => this.#events.push({ event: event ?? null, data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") this.#overflowed = true;
    },
  });

  /** The events that these bytes complete; null after one that is too long. */
  push(bytes: Buffer): VendorEvent[] | null {
    const events = this.#feedBytes(bytes);
    // Most pieces complete an event and are not counted. A piece has at most 64 KiB.
    if (events === null || events.length > 0) this.#lines = 0;
    else if (this.#countLines(bytes) > maxLines) this.#overflowed = true;
    // The parser's own `onComment` would keep comments of any length.
    if (events?.length === 0)
      this.#hasComment ||= (this.#atLineStart && bytes[0] === 0x3a) || bytes.includes("\n:");
    this.#noteEnd(bytes);
    return this.#overflowed ? null : events;
  }

  /** Whole events were received that are not pushed. */
  skipped(): void {
    this.#lines = 0;
  }

  /** Whether the bytes so far are whole events, so that the next ones begin an event. */
  get isBetweenEvents(): boolean {
    return this.#isBetweenEvents;
  }

  /**
   * The same as `push`, for a part of a read that completes other events: bytes, or text between events. Its lines and comments are not
   * counted.
   */
  pushPart(part: Buffer | string): VendorEvent[] | null {
    this.#noteEnd(part);
    return typeof part === "string" ? this.#feed(part) : this.#feedBytes(part);
  }

  #noteEnd(part: Buffer | string): void {
    if (part.length === 0) return;
    const tail = typeof part === "string" ? part.slice(-2) : part.toString("latin1", part.length - 2);
    this.#atLineStart = tail.endsWith("\n") || tail.endsWith("\r");
    this.#isBetweenEvents = tail === "\n\n";
  }

  /**
   * Whether a comment began since the last call, in bytes that complete no event: vendors and proxies send them to keep a
   * connection open.
   */
  takeComment(): boolean {
    const has = this.#hasComment;
    this.#hasComment = false;
    return has;
  }

  /** The event that the end of the stream completes: the last one needs no empty line after it. */
  end(): VendorEvent[] | null {
    return this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  /**
   * The rest after the last complete line is fed separately: V8 keeps the whole text if the parser keeps a part of it, 64 KiB for each
   * stream that waits for its client.
   */
  #feedBytes(bytes: Buffer): VendorEvent[] | null {
    const wholeLines = bytes.length < longPiece ? 0 : bytes.lastIndexOf(0x0a) + 1;
    if (wholeLines === 0) return this.#feed(this.#decoder.decode(bytes, { stream: true }));
    const events = this.#feed(this.#decoder.decode(bytes.subarray(0, wholeLines), { stream: true }));
    const rest = this.#feed(this.#decoder.decode(bytes.subarray(wholeLines), { stream: true }));
    // The rest completes an event only if lines end with CR.
    if (events !== null && rest !== null) for (const event of rest) events.push(event);
    return rest === null ? null : events;
  }

  #countLines(bytes: Buffer): number {
    for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0x0a || bytes[at] === 0x0d) this.#lines += 1;
    return this.#lines;
  }

  #feed(text: string): VendorEvent[] | null {
    if (this.#overflowed) return null;
    this.#parser.feed(text);
    if (this.#overflowed) return null;
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
