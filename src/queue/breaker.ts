// The circuit breaker of a lane: it pauses the lane while its gateway fails and decides when sending resumes. Pure: the caller passes the
// time in and carries out the decisions. The breaker opens (the lane pauses) when the gateway is at fault: bad credentials, no balance,
// unreachable, three unknown outcomes in a row, or unclear refusals of messages to five recipients in a row (decision 0046). When the pause
// ends, the breaker is half open: one message is sent as a probe. A healthy probe closes it; any other outcome pauses the lane again, for
// twice as long. The probe is a message that was not refused before, if there is one. If it succeeds, the gateway works and the refused
// message is retried; if that message is refused again, the message is at fault.

const firstPauseMs = 5_000;
const maxPauseMs = 300_000;
const unknownThreshold = 3;
/**
 * After refusals for this many recipients with no message accepted in between, the gateway is at fault. The fifth message already waits, so
 * a wrong setting loses at most four. This holds at any concurrency: outcomes arrive one by one, and messages that were in flight are
 * judged after the fifth and wait as well.
 */
const unclearThreshold = 5;
const maxSuspects = 1_000;

/**
 * What an outcome says about the gateway.
 * - `healthy`: it took the message
 * - `answering`: it refused or deferred the message, for reasons of the message
 * - `unclear`: it refused the message, and the message or the gateway's settings are at fault
 * - `uncertain`: the outcome is unknown
 * - `misconfigured`: it answered and reported a fault of its own
 * - `unreachable`: it did not answer
 */
export type Health = "healthy" | "answering" | "unclear" | "uncertain" | "misconfigured" | "unreachable";

export interface HealthReport {
  health: Health;
  /** Why the lane pauses, if it does. */
  reason: string;
  /** How long the gateway asked not to be used, ms; may exceed the longest pause. Default: 0. */
  minPauseMs?: number;
  /** For an unclear refusal: further refusals of the same recipient do not count. By default, each message counts as its own recipient. */
  recipient?: string;
}

export type BreakerDecision =
  | { kind: "go_on" }
  | { kind: "pause"; forMs: number; pauses: number; reason: string }
  | { kind: "resume" }
  /** The message, not the gateway, is at fault; the lane goes on. */
  | { kind: "reject_message" };

export class Breaker {
  #pauses: number;
  /** Monotonic ms; null if the breaker is closed. */
  #pausedUntil: number | null;
  #probeId: string | null = null;
  #unknownInARow = 0;
  /** The messages with unknown outcomes in a row, and those since the pause that they caused. */
  readonly #unanswered = new Set<string>();
  /** The pause began because outcomes were unknown. */
  #pausedBySilence = false;
  /** Refused messages, each with the number of attempts and accepted messages at that time. Bounded: the oldest are dropped. */
  readonly #suspects = new Map<string, { passed: number; accepted: number }>();
  /** Recipients of unclear refusals since the gateway last accepted a message; at most `unclearThreshold`. */
  readonly #unclearRecipients = new Set<string>();
  #passed = 0;
  #accepted = 0;

  constructor(state: { pauses: number; pausedUntil: number | null }) {
    this.#pauses = state.pauses;
    this.#pausedUntil = state.pausedUntil;
  }

  /** How many pauses followed one another without a success. */
  get pauses(): number {
    return this.#pauses;
  }

  get paused(): boolean {
    return this.#pausedUntil !== null;
  }

  /**
   * Closes the breaker after the gateway's connection was reopened: earlier outcomes no longer apply. Unclear refusals are about settings,
   * which a new connection does not change, so their count is kept.
   */
  close(): void {
    this.#pausedUntil = null;
    this.#probeId = null;
    this.#pauses = 0;
    this.#forgetSilence();
  }

  /** A message whose outcome was unknown was answered after all. Returns true if that ends the pause which unknown outcomes began. */
  answered(id: string): boolean {
    if (!this.#unanswered.has(id)) return false;
    const endsPause = this.#pausedBySilence && this.#pausedUntil !== null;
    if (endsPause) this.close();
    else this.#forgetSilence();
    return endsPause;
  }

  /** What may be sent at `now`: everything, one probe, or nothing for `waitMs` (null until the probe has its outcome). */
  permit(now: number): { kind: "all" } | { kind: "probe" } | { kind: "nothing"; waitMs: number | null } {
    if (this.#pausedUntil === null) return { kind: "all" };
    if (this.#probeId !== null) return { kind: "nothing", waitMs: null };
    if (this.#pausedUntil > now) return { kind: "nothing", waitMs: this.#pausedUntil - now };
    return { kind: "probe" };
  }

  /** Whether a message was refused before, so that another one makes the better probe. */
  isSuspect(id: string): boolean {
    return this.#suspects.has(id);
  }

  beginProbe(id: string): void {
    this.#probeId = id;
  }

  /** The probe was not sent after all: its attempt could not begin. */
  cancelProbe(id: string): void {
    if (this.#probeId === id) this.#probeId = null;
  }

  /**
   * Records the outcome of a message and decides what follows for the lane. A message with an `unclear` refusal is at fault if the decision
   * is `reject_message`; otherwise it waits.
   */
  record(id: string, report: HealthReport, now: number): BreakerDecision {
    const { health, reason, minPauseMs = 0, recipient = id } = report;
    const wasProbe = this.#probeId === id;
    if (wasProbe) this.#probeId = null;
    if (health === "healthy") {
      this.#accepted += 1;
      this.#unclearRecipients.clear();
    }
    if (health === "healthy" || health === "answering") {
      this.#unknownInARow = 0;
      // Those that began a pause may still be answered.
      if (this.#pausedUntil === null || wasProbe) this.#forgetSilence();
      this.#passed += 1;
      this.#suspects.delete(id);
      // A success that was already under way when the pause began says nothing about the gateway now. After a pause that an operator ended,
      // the first one ends the row of pauses.
      if (this.#pausedUntil === null ? this.#pauses === 0 : !wasProbe) return { kind: "go_on" };
      this.#pausedUntil = null;
      this.#pauses = 0;
      return { kind: "resume" };
    }
    if (health === "uncertain") {
      this.#unknownInARow += 1;
      this.#unanswered.add(id);
      const [oldest] = this.#unanswered;
      if (this.#unanswered.size > maxSuspects && oldest !== undefined) this.#unanswered.delete(oldest);
      const isOver = this.#unknownInARow >= unknownThreshold && this.#pausedUntil === null;
      if (!wasProbe && !isOver) return { kind: "go_on" };
      this.#pausedBySilence ||= isOver;
      return this.#pause(reason, now);
    }
    if (health === "unclear") {
      this.#unknownInARow = 0;
      const isRefusedAgain = this.#accepted > (this.#suspects.get(id)?.accepted ?? this.#accepted);
      if (!isRefusedAgain && this.#unclearRecipients.size < unclearThreshold)
        this.#unclearRecipients.add(recipient);
      const isItsFault = isRefusedAgain || this.#unclearRecipients.size < unclearThreshold;
      // While the lane is paused, no message is rejected: a probe must not cost a message.
      if (isItsFault && !wasProbe && this.#pausedUntil === null) {
        this.#suspects.delete(id);
        return { kind: "reject_message" };
      }
      this.#suspect(id);
    }
    if (health === "misconfigured") {
      const passedBefore = this.#suspects.get(id)?.passed;
      this.#suspects.delete(id);
      if (passedBefore !== undefined && this.#passed > passedBefore && this.#pausedUntil === null)
        return { kind: "reject_message" };
      this.#suspect(id);
    }
    // Messages that were in flight when the pause began fail as well; they extend it only if the gateway asked for a longer wait.
    const isCovered = minPauseMs === 0 || now + minPauseMs <= (this.#pausedUntil ?? 0);
    if (this.#pausedUntil !== null && !wasProbe && isCovered) return { kind: "go_on" };
    this.#pausedBySilence = false;
    return this.#pause(reason, now, minPauseMs);
  }

  #forgetSilence(): void {
    this.#unknownInARow = 0;
    this.#unanswered.clear();
    this.#pausedBySilence = false;
  }

  #suspect(id: string): void {
    this.#suspects.set(id, { passed: this.#passed, accepted: this.#accepted });
    if (this.#suspects.size > maxSuspects)
      this.#suspects.delete(this.#suspects.keys().next().value as string);
  }

  #pause(reason: string, now: number, minPauseMs = 0): BreakerDecision {
    const forMs = Math.max(minPauseMs, Math.min(firstPauseMs * 2 ** Math.min(this.#pauses, 16), maxPauseMs));
    this.#pauses += 1;
    this.#unknownInARow = 0;
    this.#pausedUntil = now + forMs;
    return { kind: "pause", forMs, pauses: this.#pauses, reason };
  }
}
