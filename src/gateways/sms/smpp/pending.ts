// The PDUs of one connection that wait for their answers, oldest first, and those whose answers may still come late.

/** The SMSC's answer to a `submit_sm`. */
export interface SubmitAnswer {
  kind: "answered";
  status: number;
  /** Null if none was given. */
  messageId: string | null;
  /** How busy the SMSC is, 0 to 100 (SMPP 5.0); null if it does not say. */
  congestion: number | null;
}

/**
 * What became of a `submit_sm`.
 * - `silent`, `lost`: it was written, and no answer came
 * - `not_written`: the connection had ended
 */
export type Submission = SubmitAnswer | { kind: "silent" } | { kind: "lost" } | { kind: "not_written" };

interface Pending {
  /** ms, on the connection's own time. */
  deadline: number;
  messageId: string | null;
  resolve: (submission: Submission) => void;
}

/** Answers that may still arrive after their timeout. */
const maxLate = 1_000;
const maxSequence = 0x7fff_ffff;

export class PendingAnswers {
  /** By sequence number, in the order of their deadlines. */
  readonly #pending = new Map<number, Pending>();
  readonly #late = new Map<number, string>();
  #sequence: number;

  /** `sequence`: the last number that was used. */
  constructor(sequence: number) {
    this.#sequence = sequence;
  }

  /** When the oldest PDU times out; null if none waits. */
  get deadline(): number | null {
    const [oldest] = this.#pending.values();
    return oldest?.deadline ?? null;
  }

  /** A number for the next PDU, which no other one has that may still be answered. */
  nextSequence(): number {
    do this.#sequence = this.#sequence >= maxSequence ? 1 : this.#sequence + 1;
    while (this.#pending.has(this.#sequence) || this.#late.has(this.#sequence));
    return this.#sequence;
  }

  /** Resolves with the outcome of the PDU. `messageId`: the message that a late answer settles; null if none. */
  wait(sequence: number, deadline: number, messageId: string | null): Promise<Submission> {
    return new Promise((resolve) => this.#pending.set(sequence, { deadline, messageId, resolve }));
  }

  /** Passes an answer to its PDU. Returns the message that it settles late, if any. */
  settle(sequence: number, answer: SubmitAnswer): string | null {
    const pending = this.#pending.get(sequence);
    if (pending !== undefined) {
      this.#pending.delete(sequence);
      pending.resolve(answer);
      return null;
    }
    const late = this.#late.get(sequence) ?? null;
    this.#late.delete(sequence);
    return late;
  }

  /** Times out PDUs that are overdue at `now`. */
  expire(now: number): void {
    for (const [sequence, { deadline, messageId, resolve }] of this.#pending) {
      if (deadline > now) return;
      this.#pending.delete(sequence);
      if (messageId !== null) this.#late.set(sequence, messageId);
      if (this.#late.size > maxLate) {
        const [oldest] = this.#late.keys();
        if (oldest !== undefined) this.#late.delete(oldest);
      }
      resolve({ kind: "silent" });
    }
  }

  /** The connection has ended. */
  lose(): void {
    for (const { resolve } of this.#pending.values()) resolve({ kind: "lost" });
    this.#pending.clear();
  }
}
