// How much memory the bodies of all requests may use together. Each body has its own limit, but 100 connections with a body of 31 MiB each
// used 3.3 GB. A body is counted from its first piece until its request is answered, since the values parsed from it live as long. Counting
// is integer arithmetic: an ordinary send pays nothing.

/** The cost of one value besides the bytes of its text: an empty object in a list uses 64 bytes of heap. */
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
   * Limits all bodies to `maxBytes` together. Small ones may exceed it by half. Bodies of unknown senders may use at most a quarter of it,
   * so that anonymous clients block only one another and not the holders of keys.
   */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxAnonymousBytes = Math.floor(maxBytes / 4);
    this.#reserve = Math.floor(maxBytes / 2);
  }

  /** The current total of all bodies. */
  get held(): number {
    return this.#held;
  }

  /** Reserves `more` for a body that uses `own`; false, with nothing reserved, if there is no room. */
  reserve(own: number, more: number, anonymous: boolean): boolean {
    const reserve = own + more <= smallBody ? this.#reserve : 0;
    const held = this.#held + more;
    // A single body always has room: its maximum size is not decided here.
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

  /** A sender presented a valid key: its bytes are no longer counted as anonymous. */
  promote(bytes: number): void {
    this.#anonymousBytes -= bytes;
  }
}

/** The share of the budget that the body of one request uses. It is anonymous at first. */
export class BodyShare {
  readonly #budget: BodyBudget;
  #held = 0;
  #isAnonymous = true;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Reserves this many more bytes; false if there is no room for them and the request must be answered 503. */
  grow(bytes: number): boolean {
    if (!this.#budget.reserve(this.#held, bytes, this.#isAnonymous)) return false;
    this.#held += bytes;
    return true;
  }

  /** Reserves what is missing to `bytes`; returns nothing if it already has more. */
  growTo(bytes: number): boolean {
    return bytes <= this.#held || this.grow(bytes - this.#held);
  }

  /** The sender's key is valid: from now on its bytes count among those of key holders. */
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
