// Bounds how many bytes of mails or files are in memory at once: a few hundred with large files, sent concurrently, would
// otherwise take gigabytes. Callers are admitted in order; one that needs more than the whole bound runs alone.

export class ByteSemaphore {
  readonly #maxBytes: number;
  #acquired = 0;
  readonly #waiting: { bytes: number; admit: () => void }[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Resolves when there is room; `release` with the same number returns it. */
  acquire(bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(bytes)) {
      this.#acquired += bytes;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, admit: resolve });
    });
  }

  release(bytes: number): void {
    this.#acquired -= bytes;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#acquired += next.bytes;
      next.admit();
    }
  }

  #fits(bytes: number): boolean {
    return this.#acquired === 0 || this.#acquired + bytes <= this.#maxBytes;
  }
}
