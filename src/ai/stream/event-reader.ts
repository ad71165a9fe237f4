// Parses the bytes of a stream into events by the standard (html.spec.whatwg.org, server-sent events): every form of line
// ends, characters and events split between reads, comments, a byte order mark.

import { createParser } from "eventsource-parser";
import type { VendorEvent } from "#providers/provider.ts";

/** The longest event, UTF-16 units: no model's answer has a longer one. */
const maxEventUnits = 16 * 1024 * 1024;
/**
 * The most lines of an event. An empty `data:` line has one unit and costs the parser a hundred times as
 * much, so that the length alone would admit 16 million of them.
 */
const maxLines = 16_384;

export class EventReader {
  readonly #decoder = new TextDecoder();
  #events: VendorEvent[] = [];
  #overflowed = false;
  /** Lines of the incomplete event, counted in pieces that complete no event. */
  #lines = 0;
  readonly #parser = createParser({
    maxBufferSize: maxEventUnits,
    onEvent: ({ event, data }) => this.#events.push({ event: event ?? null, data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") this.#overflowed = true;
    },
  });

  /** The events that these bytes complete; null after one that is too long. */
  push(bytes: Buffer): VendorEvent[] | null {
    const events = this.#feed(this.#decoder.decode(bytes, { stream: true }));
    // Most pieces complete an event and are not counted. A piece has at most 64 KiB.
    if (events === null || events.length > 0) this.#lines = 0;
    else if (this.#countLines(bytes) > maxLines) this.#overflowed = true;
    return this.#overflowed ? null : events;
  }

  /** The event that the end of the stream completes: the last one needs no empty line after it. */
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
