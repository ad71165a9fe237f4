// Joins the tiny pieces of a body before they are processed: a form's reader joins what it has not read yet with each piece, so a header of
// 8 KiB that arrives byte by byte would be copied 8,000 times.

import { ByteCollector } from "#runtime/byte-collector.ts";

/** A piece of this length is passed on immediately. */
const tiny = 256;
/** Tiny pieces are passed on when their total length reaches this. */
const enough = 4 * 1024;

export class SmallPieces {
  readonly #gathered = new ByteCollector();

  /** What can be processed now; null if nothing can yet. */
  add(piece: Buffer): Buffer | null {
    if (this.#gathered.length === 0 && piece.length >= tiny) return piece;
    this.#gathered.add(piece);
    return piece.length >= tiny || this.#gathered.length >= enough ? this.#gathered.take() : null;
  }

  /** What is left when the body has ended; null if nothing is. */
  rest(): Buffer | null {
    return this.#gathered.length === 0 ? null : this.#gathered.take();
  }
}
