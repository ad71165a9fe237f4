// Bounds how much is at work at once. A list of 200 messages takes 13 MB as rows, as much on its way from the store, and as
// much again as text: when 100 clients ask for one at once, what is read waits in memory for what is being written. A few
// hundred mails with large files, sent concurrently, would take gigabytes.

export class Semaphore {
  readonly #max: number;
  #taken = 0;
  readonly #waiting: { amount: number; admit: () => void }[] = [];

  /** `max`: pieces of work, or what they are counted in, such as bytes. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Does the work when there is room for its `amount`, in the order of asking; what needs more than the whole bound runs
   * alone. Rejects when the work does.
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
