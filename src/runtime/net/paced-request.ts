// Requests whose bodies take turns. Node passes on everything that a socket holds, up to 2 MiB (350,000 chunks of one byte, about 1 s),
// then what the next socket holds, and only then the answers that others wait for. Here a body that has received its share is read on in a
// later turn of the event loop, one body in each.

import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ByteCollector } from "#runtime/byte-collector.ts";

/** How much of a body is read before it waits for its turn, bytes. Node adds the rest of one read, 64 KiB at most. */
export const turnBytes = 256 * 1024;
/** A piece counts as at least this many bytes: it takes Node 1 to 3 µs however short it is. */
export const minPieceBytes = 256;

/** A queue of waiting bodies and pipelined requests: one in each turn of the event loop, first come, first served. */
export class ReadingTurns {
  readonly #waiting: (() => void)[] = [];
  readonly #later: (work: () => void) => void;

  /** `later` runs something in the next turn of the event loop. */
  constructor(later: (work: () => void) => void = setImmediate) {
    this.#later = later;
  }

  wait(resume: () => void): void {
    this.#waiting.push(resume);
    if (this.#waiting.length === 1) this.#schedule();
  }

  #schedule(): void {
    this.#later(() => {
      const resume = this.#waiting.shift();
      if (this.#waiting.length > 0) this.#schedule();
      resume?.();
    });
  }
}

/** How many pieces from the wire were joined in a chunk of a body. */
const joined = new WeakMap<Buffer, number>();

/** How many pieces the sender split this chunk of a body into, as far as Node distinguishes them. */
export function piecesIn(chunk: Buffer): number {
  return joined.get(chunk) ?? 1;
}

/** A request whose body waits for its turn after each `turnBytes`; pieces that arrive meanwhile are joined in one chunk. */
export class PacedRequest extends IncomingMessage {
  readonly #turns: ReadingTurns;
  #spent = 0;
  #waits = false;
  /** The stream asked for more while it waited. */
  #readPending = false;
  /** Pieces that arrived while it waited. */
  #kept: ByteCollector | null = null;
  #keptPieces = 0;

  constructor(socket: Socket, turns: ReadingTurns) {
    super(socket);
    this.#turns = turns;
  }

  /** Node's parser calls this for each piece, and stops reading from the socket if it returns false. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#handOn();
      return super.push(null);
    }
    if (this.#waits) {
      this.#kept ??= new ByteCollector();
      this.#kept.add(piece);
      this.#keptPieces += 1;
      return false;
    }
    this.#spent += Math.max(piece.length, minPieceBytes);
    const more = super.push(piece);
    if (this.#spent < turnBytes) return more;
    this.#waits = true;
    this.#turns.wait(() => this.#resume());
    return false;
  }

  /** The stream asks for more: reads from the socket again. */
  override _read(size: number): void {
    if (this.#waits) this.#readPending = true;
    else super._read(size);
  }

  #resume(): void {
    this.#waits = false;
    this.#spent = 0;
    this.#handOn();
    if (!this.#readPending) return;
    this.#readPending = false;
    // Also after a chunk: after the first `_read`, Node asks by itself for more after each chunk.
    if (!this.complete) super._read(0);
  }

  #handOn(): void {
    if (this.#kept === null || this.#keptPieces === 0) return;
    const chunk = this.#kept.take();
    joined.set(chunk, this.#keptPieces);
    this.#keptPieces = 0;
    super.push(chunk);
  }
}
