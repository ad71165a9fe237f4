// How much memory the bodies of all requests may take together. Each body has a limit of its own, but 100 connections
// that each hold a body of 31 MiB took 3.3 GB. A body is counted from its first piece until its request is answered,
// since the values that it was parsed into live as long. Counting is integer arithmetic: an ordinary send pays nothing.

/** What one value costs beside the bytes of its text: an empty object in a list takes 64 bytes of heap. */
export const valueCost = 64;

/** A body that costs no more than this may use the reserve: large bodies must not keep ordinary sends out. */
const smallBody = 64 * 1024;

/** The memory that all bodies share. All numbers are bytes. */
export class BodyBudget {
  readonly #most: number;
  readonly #mostOfStrangers: number;
  readonly #reserve: number;
  #held = 0;
  #heldByStrangers = 0;

  /**
   * Bodies hold `most` together. Small ones may go half of that beyond it. Bodies whose sender is not known yet hold a
   * quarter of it at most, so that strangers keep out one another and not the holders of keys.
   */
  constructor(most: number) {
    this.#most = most;
    this.#mostOfStrangers = Math.floor(most / 4);
    this.#reserve = Math.floor(most / 2);
  }

  /** What all bodies hold now. */
  get held(): number {
    return this.#held;
  }

  /** Takes `more` for a body that holds `own`; false, and nothing is taken, when there is no room. */
  take(own: number, more: number, stranger: boolean): boolean {
    const reserve = own + more <= smallBody ? this.#reserve : 0;
    const held = this.#held + more;
    // A body that is alone always has room: whether a body may be so large is not decided here.
    if (held > this.#most + reserve && this.#held > own) return false;
    if (stranger) {
      const byStrangers = this.#heldByStrangers + more;
      if (byStrangers > this.#mostOfStrangers + reserve && this.#heldByStrangers > own) return false;
      this.#heldByStrangers = byStrangers;
    }
    this.#held = held;
    return true;
  }

  give(bytes: number, stranger: boolean): void {
    this.#held -= bytes;
    if (stranger) this.#heldByStrangers -= bytes;
  }

  /** So many bytes of a stranger are those of a holder of a key. */
  admit(bytes: number): void {
    this.#heldByStrangers -= bytes;
  }
}

/** What the body of one request holds of the budget. Begins as a stranger's. */
export class BodyShare {
  readonly #budget: BodyBudget;
  #held = 0;
  #stranger = true;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Takes so many bytes more; false: there is no room for them, and the request is to be answered 503. */
  grow(bytes: number): boolean {
    if (!this.#budget.take(this.#held, bytes, this.#stranger)) return false;
    this.#held += bytes;
    return true;
  }

  /** Takes what is missing to `bytes`; gives nothing back when it holds more. */
  growTo(bytes: number): boolean {
    return bytes <= this.#held || this.grow(bytes - this.#held);
  }

  /** The sender's key is right: what is held counts among the bodies of holders of keys from here on. */
  markAuthenticated(): void {
    if (!this.#stranger) return;
    this.#stranger = false;
    this.#budget.admit(this.#held);
  }

  /** The request is answered. */
  release(): void {
    this.#budget.give(this.#held, this.#stranger);
    this.#held = 0;
  }
}
