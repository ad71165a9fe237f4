// Limits how much received data is passed on in one turn of the event loop, all answers together. Node reads each socket until it is empty,
// up to 2 MiB, and a read of events (64 KiB) takes 0.5 to 4 ms on its way to the client: a hundred answers with much data at once would
// delay everything else for seconds.

/** Bytes passed on in a turn; exceeded by at most the last piece, 64 KiB. */
export const turnBudgetBytes = 256 * 1024;

/** The budget of each turn. Work that finds it spent waits for a later turn, first come, first served. */
export class TurnBudget {
  readonly #waiting: (() => void)[] = [];
  readonly #later: (work: () => void) => void;
  #spent = 0;
  #scheduled = false;

  /** `later` runs something in the next turn of the event loop. */
  constructor(later: (work: () => void) => void = setImmediate) {
    this.#later = later;
  }

  /** Takes bytes from this turn's budget; false if it is spent. */
  take(bytes: number): boolean {
    if (this.#spent >= turnBudgetBytes) return false;
    this.#spend(bytes);
    return true;
  }

  /** Calls `resume` in a later turn with budget left, and takes this many bytes from it. */
  wait(bytes: number, resume: () => void): void {
    this.#waiting.push(() => {
      this.#spend(bytes);
      resume();
    });
    this.#schedule();
  }

  #spend(bytes: number): void {
    this.#spent += bytes;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#later(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#scheduled = false;
    this.#spent = 0;
    while (this.#spent < turnBudgetBytes) {
      const resume = this.#waiting.shift();
      if (resume === undefined) return;
      resume();
    }
    this.#schedule();
  }
}
