// How much memory the bodies of all requests may take together. Each body has a limit of its own, but 100 connections
// that each hold a body of 31 MiB took 3.3 GB. A body is counted from its first piece until its request is answered,
// since the values that it was parsed into live as long. Counting is integer arithmetic: an ordinary send pays nothing.

/** What one value costs beside the bytes of its text: an empty object in a list takes 64 bytes of heap. */
export const valueCost = 64;

/** A body that costs no more than this may use the reserve: large bodies must not keep ordinary sends out. */
const smallBody = 64 * 1024;

/** The memory that all bodies share. All numbers are bytes. */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #maxAnonymousBytes: number;
  readonly #reserve: number;
  #held = 0;
  #anonymousBytes = 0;

  /**
   * Bodies hold `maxBytes` together. Small ones may go half of that beyond it. Bodies whose sender is not known yet hold a
   * quarter of it at most, so that anonymous clients keep out one another and not the holders of keys.
   */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxAnonymousBytes = Math.floor(maxBytes / 4);
    this.#reserve = Math.floor(maxBytes / 2);
  }

  /** What all bodies hold now. */
  get held(): number {
    return this.#held;
  }

  /** Reserves `more` for a body that holds `own`; false, and nothing is taken, when there is no room. */
  reserve(own: number, more: number, anonymous: boolean): boolean {
    const reserve = own + more <= smallBody ? this.#reserve : 0;
    const held = this.#held + more;
    // A body that is alone always has room: whether a body may be so large is not decided here.
    if (held > this.#maxBytes + reserve && this.#held > own) return false;
    if (anonymous) {
      const anonymousBytes = this.#anonymousBytes + more;
      if (anonymousBytes > this.#maxAnonymousBytes + reserve && this.#anonymousBytes > own) return false;
      this.#anonymousBytes = anonymousBytes;
    }
    this.#held = held;
    return true;
  }

  release(bytes: number, anonymous: boolean): void {
    this.#held -= bytes;
    if (anonymous) this.#anonymousBytes -= bytes;
  }

  /** A sender proved a key: its bytes are no longer counted as anonymous. */
  promote(bytes: number): void {
    this.#anonymousBytes -= bytes;
  }
}

/** What the body of one request holds of the budget. It is anonymous at first. */
export class BodyShare {
  readonly #budget: BodyBudget;
  #held = 0;
  #isAnonymous = true;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Takes so many bytes more; false: there is no room for them, and the request is to be answered 503. */
  grow(bytes: number): boolean {
    if (!this.#budget.reserve(this.#held, bytes, this.#isAnonymous)) return false;
    this.#held += bytes;
    return true;
  }

  /** Takes what is missing to `bytes`; gives nothing back when it holds more. */
  growTo(bytes: number): boolean {
    return bytes <= this.#held || this.grow(bytes - this.#held);
  }

  /** The sender's key is right: what is held counts among the bodies of holders of keys from here on. */
  markAuthenticated(): void {
    if (!this.#isAnonymous) return;
    this.#isAnonymous = false;
    this.#budget.promote(this.#held);
  }

  /** The request is answered. */
  release(): void {
    this.#budget.release(this.#held, this.#isAnonymous);
    this.#held = 0;
  }
}
