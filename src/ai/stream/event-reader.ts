// From the bytes of a stream to its events, by the standard (html.spec.whatwg.org, server-sent events): any line
// ends, characters and events split anywhere between reads, comments, a byte order mark.

import { createParser } from "eventsource-parser";
import type { VendorEvent } from "#providers/provider.ts";

/** An event longer than this is no answer of a model. UTF-16 units. */
const maxEventUnits = 16 * 1024 * 1024;
/**
 * Nor is one of so many lines. An empty `data:` line counts one unit and costs the parser a hundred times that, so
 * that the length alone would let 16 million of them through.
 */
const maxLines = 16_384;

export class EventReader {
  readonly #decoder = new TextDecoder();
  #events: VendorEvent[] = [];
  #overflowed = false;
  /** Of the event that has begun, as far as they came in pieces that completed no event. */
  #lines = 0;
  readonly #parser = createParser({
    maxBufferSize: maxEventUnits,
    onEvent: ({ event, data }) => this.#events.push({ event: event ?? null, data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") this.#overflowed = true;
    },
  });

  /** The events that these bytes complete; null once one is too long. */
  push(bytes: Buffer): VendorEvent[] | null {
    const events = this.#feed(this.#decoder.decode(bytes, { stream: true }));
    // Most pieces complete an event: their lines are not counted. A piece has 64 KiB at the most.
    if (events === null || events.length > 0) this.#lines = 0;
    else if (this.#countLines(bytes) > maxLines) this.#overflowed = true;
    return this.#overflowed ? null : events;
  }

  /** What the end of the stream completes: a last event needs no empty line behind it. */
  end(): VendorEvent[] | null {
    return this.#feed(`${this.#decoder.decode()}\n\n`);
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
