// A few at a time: a list of 200 messages takes 13 MB as rows, as much on its way from the store, and as much again as
// text. When 100 clients ask for one at once, what is read waits in memory for what is being written.

export class Semaphore {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Does something when it is its turn, in the order of asking. Rejects when it does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken === this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      // The turn goes on to the next that waits, if there is one.
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }
}
