// From the bytes of a stream to its events, by the standard (html.spec.whatwg.org, server-sent events): any line
// ends, characters and events split anywhere between reads, comments, a byte order mark.

import { createParser } from "eventsource-parser";
import type { VendorEvent } from "#providers/provider.ts";

/** An event longer than this is no answer of a model. UTF-16 units. */
const longestEvent = 16 * 1024 * 1024;

export class EventReader {
  readonly #decoder = new TextDecoder();
  #events: VendorEvent[] = [];
  #overflowed = false;
  readonly #parser = createParser({
    maxBufferSize: longestEvent,
    onEvent: ({ event, data }) => this.#events.push({ event: event ?? null, data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") this.#overflowed = true;
    },
  });

  /** The events that these bytes complete; null once one is too long. */
  push(bytes: Buffer): VendorEvent[] | null {
    return this.#feed(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What the end of the stream completes: a last event needs no empty line behind it. */
  end(): VendorEvent[] | null {
    return this.#feed(`${this.#decoder.decode()}\n\n`);
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
