// How many bytes of mails may be in memory at once: a few hundred mails with large files, sent side by side, would
// otherwise be gigabytes. Whoever waits is let in in the order of asking; one that is larger than all goes alone.

export class ByteSemaphore {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: { bytes: number; acquire: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when there is room; `leave` with the same number gives it back. */
  enter(bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(bytes)) {
      this.#taken += bytes;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, acquire: resolve });
    });
  }

  release(bytes: number): void {
    this.#taken -= bytes;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.acquire();
    }
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#most;
  }
}
