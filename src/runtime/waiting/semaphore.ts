// Limits concurrent work. A list of 200 messages takes 13 MB as rows, as much again on its way from the store, and as much again as text:
// if 100 clients request one at once, the data that was read waits in memory for what is being written. A few hundred mails with large
// files, sent concurrently, would take gigabytes.

export class Semaphore {
  readonly #max: number;
  #taken = 0;
  readonly #waiting: { amount: number; admit: () => void }[] = [];

  /** `max`: pieces of work, or the unit in which they are counted, such as bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Runs the work when there is room for its `amount`, first come, first served; work that needs more than the limit runs alone. Rejects if
   * the work does.
   */
  async run<T>(work: () => Promise<T>, amount = 1): Promise<T> {
    if (this.#waiting.length === 0 && this.#fits(amount)) this.#taken += amount;
    else await new Promise<void>((admit) => this.#waiting.push({ amount, admit }));
    try {
      return await work();
    } finally {
      this.#taken -= amount;
      for (
        let next = this.#waiting[0];
        next !== undefined && this.#fits(next.amount);
        next = this.#waiting[0]
      ) {
        this.#waiting.shift();
        this.#taken += next.amount;
        next.admit();
      }
    }
  }

  #fits(amount: number): boolean {
    return this.#taken === 0 || this.#taken + amount <= this.#max;
  }
}
