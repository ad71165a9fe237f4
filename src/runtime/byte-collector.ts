// Collects the bytes of a body whose sender decides how they are split. Keeping a piece as it came keeps the socket's whole read buffer (64
// KiB) in memory, so a body of single bytes would take thousands of times its length. Pieces are therefore copied together into blocks.

import { freeBytes } from "./memory/free-bytes.ts";

const firstBlock = 8 * 1024;
const largestBlock = 1024 * 1024;

/** The bytes added so far. Memory stays below twice their length plus one block, however they are split. */
export class ByteCollector {
  /** The only piece so far, which is not copied: most bodies arrive in one. */
  #only: Buffer | null = null;
  /** Full blocks, in order. */
  #blocks: Buffer[] = [];
  /** The block that is being filled. */
  #block: Buffer | null = null;
  #filled = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    const first = this.#length === 0;
    this.#length += piece.length;
    if (first) {
      this.#only = piece;
      return;
    }
    if (this.#only !== null) {
      this.#copy(this.#only);
      this.#only = null;
    }
    this.#copy(piece);
  }

  /** All of it in one buffer, which shares memory with the piece if only one was added. The collector is empty afterwards. */
  take(): Buffer {
    if (this.#block !== null) this.#blocks.push(this.#block.subarray(0, this.#filled));
    const bytes = this.#only ?? Buffer.concat(this.#blocks, this.#length);
    for (const block of this.#blocks) freeBytes(block);
    this.clear();
    return bytes;
  }

  /** Drops what was added. */
  clear(): void {
    this.#only = null;
    this.#blocks = [];
    this.#block = null;
    this.#filled = 0;
    this.#length = 0;
  }

  #copy(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      // Each block is as long as all before it, within bounds.
      this.#block ??= Buffer.allocUnsafeSlow(Math.min(largestBlock, Math.max(firstBlock, this.#length)));
      const copied = piece.copy(this.#block, this.#filled, at);
      at += copied;
      this.#filled += copied;
      if (this.#filled < this.#block.length) return;
      this.#blocks.push(this.#block);
      this.#block = null;
      this.#filled = 0;
    }
  }
}
