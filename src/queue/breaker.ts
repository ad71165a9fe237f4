// Stops a lane whose gateway refuses for reasons of its own, and finds out when it may go on.
// Pure: time comes in, decisions go out.
//
// Closed → paused when the gateway is in trouble (bad credentials, no balance, unreachable), or after three
// unknown outcomes in a row. When the pause is over, one probe goes out: well → closed, else paused again, for
// twice as long. The probe is another message than the one that was refused, if there is one: when the other
// one passes, the gateway is fine and the refused one gets its next try; refused again, it is to blame.

const firstPauseMs = 5_000;
const longestPauseMs = 300_000;
const doubtsInARow = 3;

/** How the gateway did with one message. `refused`: it answered, and blamed itself; `unreachable`: it did not. */
export type Health = "well" | "doubtful" | "refused" | "unreachable";

export type BreakerDecision =
  | { kind: "go_on" }
  | { kind: "pause"; forMs: number; pauses: number; reason: string }
  | { kind: "resume" }
  /** The message, not the gateway, is at fault. */
  | { kind: "blame" };

export class Breaker {
  #pauses: number;
  /** Monotonic ms; null: closed. */
  #pausedUntil: number | null;
  #probing: string | null = null;
  #doubts = 0;
  /** Refused messages, and how many others passed by the time they were. Bounded: the oldest are forgiven. */
  readonly #refused = new Map<string, number>();
  #passed = 0;

  constructor(state: { pauses: number; pausedUntil: number | null }) {
    this.#pauses = state.pauses;
    this.#pausedUntil = state.pausedUntil;
  }

  get paused(): boolean {
    return this.#pausedUntil !== null;
  }

  /** What may go out at `now`: everything, one probe, or nothing for `waitMs` (null: until the probe is back). */
  permit(now: number): { kind: "open" } | { kind: "probe" } | { kind: "shut"; waitMs: number | null } {
    if (this.#pausedUntil === null) return { kind: "open" };
    if (this.#probing !== null) return { kind: "shut", waitMs: null };
    if (this.#pausedUntil > now) return { kind: "shut", waitMs: this.#pausedUntil - now };
    return { kind: "probe" };
  }

  /** Whether a message was refused before, so that another one makes the better probe. */
  isSuspect(id: string): boolean {
    return this.#refused.has(id);
  }

  beginProbe(id: string): void {
    this.#probing = id;
  }

  /** The probe did not go out after all (its stamp failed). */
  cancelProbe(id: string): void {
    if (this.#probing === id) this.#probing = null;
  }

  record(id: string, health: Health, reason: string, now: number): BreakerDecision {
    const wasProbe = this.#probing === id;
    if (wasProbe) this.#probing = null;
    if (health === "well") {
      this.#doubts = 0;
      this.#passed += 1;
      this.#refused.delete(id);
      // A success that was already under way when the pause began says nothing about now.
      if (!wasProbe || this.#pausedUntil === null) return { kind: "go_on" };
      this.#pausedUntil = null;
      this.#pauses = 0;
      return { kind: "resume" };
    }
    if (health === "doubtful") {
      this.#doubts += 1;
      if (wasProbe) return this.#pause(reason, now);
      if (this.#doubts < doubtsInARow || this.#pausedUntil !== null) return { kind: "go_on" };
      return this.#pause(reason, now);
    }
    const passedBefore = this.#refused.get(id);
    if (health === "refused") {
      if (passedBefore !== undefined && this.#passed > passedBefore && this.#pausedUntil === null) {
        this.#refused.delete(id);
        return { kind: "blame" };
      }
      this.#refused.delete(id);
      this.#refused.set(id, this.#passed);
      if (this.#refused.size > 1000) this.#refused.delete(this.#refused.keys().next().value as string);
    }
    // Others that were on the wire when the pause began fail as well; they do not make it longer.
    if (this.#pausedUntil !== null && !wasProbe) return { kind: "go_on" };
    return this.#pause(reason, now);
  }

  #pause(reason: string, now: number): BreakerDecision {
    const forMs = Math.min(firstPauseMs * 2 ** Math.min(this.#pauses, 16), longestPauseMs);
    this.#pauses += 1;
    this.#doubts = 0;
    this.#pausedUntil = now + forMs;
    return { kind: "pause", forMs, pauses: this.#pauses, reason };
  }
}
