// Long texts on their way to a SQLite thread. As part of the JSON they would exist twice more on either side; instead their bytes are
// transferred, and become text again one by one when they are stored.

import type { LongTextsIn, LongTextsOut, TextPlace } from "#store/database.ts";

/** A text of fewer characters stays in the JSON. */
const longFrom = 1024;

/** Collects the long texts of one message. */
export class GatheredTexts implements LongTextsOut {
  readonly #texts: string[] = [];
  #bytes = 0;

  put(text: string): string | TextPlace {
    // A value that is not text is refused by the table, and only its own call fails.
    if (typeof text !== "string" || text.length < longFrom) return text;
    const length = Buffer.byteLength(text);
    const place: TextPlace = [this.#bytes, length];
    this.#texts.push(text);
    this.#bytes += length;
    return place;
  }

  /** The bytes of all texts. Null if no text was added. */
  bytes(): Uint8Array<ArrayBuffer> | null {
    if (this.#bytes === 0) return null;
    // A buffer of its own, not part of Node's pool, because it is transferred.
    const bytes = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const text of this.#texts) at += bytes.write(text, at);
    return bytes as Uint8Array<ArrayBuffer>;
  }
}

/** The long texts of a received message. */
export const textsOf = (bytes: Uint8Array | null): LongTextsIn => {
  const from = Buffer.from(bytes?.buffer ?? new ArrayBuffer(0));
  return { get: ([at, length]) => from.toString("utf8", at, at + length) };
};
