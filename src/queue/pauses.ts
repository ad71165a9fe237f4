// The pauses of a lane, caused by its breaker or by a gateway that has no connection. They are stored in order, and their duration does not
// count towards any message's retry window.

import type { Clock } from "#runtime/runtime.ts";
import { Breaker } from "./breaker.ts";
import type { BreakerWork, LaneRow, LaneState } from "./lane-work.ts";

interface PausesDeps<Row extends LaneRow, Outcome> {
  /** Absent: no outcome pauses the lane. */
  breaker: BreakerWork<Row, Outcome> | undefined;
  state: LaneState["pause"];
  /** The gateway's connection is not open yet. */
  suspended: boolean;
  clock: Clock;
  /** Repeats a storage call until it succeeds. */
  retry(call: string, write: () => Promise<void>): Promise<unknown>;
}

export class Pauses<Row extends LaneRow, Outcome> {
  readonly #deps: PausesDeps<Row, Outcome>;
  readonly #breaker: Breaker;
  #totalMs: number;
  #since: number | null;
  /** The gateway has no connection: nothing is sent, without probes and without using up tries. */
  #suspended: boolean;
  /** The suspension is stored as a pause. */
  #suspensionStored: boolean;
  /** Stored in order; otherwise a late pause would outlive its end. */
  #writes: Promise<unknown> = Promise.resolve();

  constructor(deps: PausesDeps<Row, Outcome>) {
    const { clock, state, suspended } = deps;
    const { pauses = 0, until = null, since = null, totalMs = 0 } = state ?? {};
    this.#deps = deps;
    this.#totalMs = totalMs;
    // Stored by the system's clock.
    this.#since = since === null ? null : clock.steady() - Math.max(0, clock.now() - since);
    this.#suspended = suspended;
    // A pause without an end was stored by `suspend`. A lane that needs no connection any more ends it at once.
    this.#suspensionStored = since !== null && until === null;
    const pausedUntil = until === null ? null : clock.monotonic() + Math.max(0, until - clock.now());
    this.#breaker = new Breaker({ pauses, pausedUntil });
    if (this.#suspensionStored && !suspended) this.resume();
  }

  get isSuspended(): boolean {
    return this.#suspended;
  }

  /** What may be sent now. */
  permit(): ReturnType<Breaker["permit"]> {
    if (this.#suspended) return { kind: "nothing", waitMs: null };
    return this.#breaker.permit(this.#deps.clock.monotonic());
  }

  beginProbe(id: string): void {
    this.#breaker.beginProbe(id);
  }

  cancelProbe(id: string): void {
    this.#breaker.cancelProbe(id);
  }

  isSuspect(id: string): boolean {
    return this.#breaker.isSuspect(id);
  }

  /** Pauses or resumes after an outcome, as the breaker decides. Returns whether the message is at fault. */
  record(row: Row, outcome: Outcome): boolean {
    const { breaker, clock } = this.#deps;
    if (!breaker) return false;
    // What was in flight when the connection went says nothing about the next connection, which ends the suspension.
    if (this.#suspended) return false;
    const decision = this.#breaker.record(row.id, breaker.healthOf(outcome, row), clock.monotonic());
    if (decision.kind === "pause") this.#storePause(decision);
    else if (decision.kind === "resume") this.#storeResume();
    return decision.kind === "reject_message";
  }

  /** A message whose outcome was unknown was answered after all. True: what such messages had paused goes on. */
  answered(id: string): boolean {
    if (this.#suspended || !this.#breaker.answered(id)) return false;
    this.#storeResume();
    return true;
  }

  /**
   * Nothing is sent until `resume`. With a reason the suspension is stored as a pause, which may move messages to
   * another gateway; null if the interruption was short.
   */
  suspend(reason: string | null): void {
    this.#suspended = true;
    if (reason === null || this.#suspensionStored) return;
    this.#suspensionStored = true;
    this.#storePause({ forMs: null, pauses: this.#breaker.pauses, reason });
  }

  /** The connection is open: earlier reasons for a pause say nothing about the new one. */
  resume(): void {
    const paused = this.#suspensionStored || this.#breaker.paused;
    this.#suspended = false;
    this.#suspensionStored = false;
    this.#breaker.close();
    if (paused) this.#storeResume();
  }

  /**
   * The time minus all pauses, epoch ms. It is unaffected when the system clock is set; otherwise messages could be given up after hardly
   * any retries.
   */
  laneNow(): number {
    const now = this.#deps.clock.steady();
    return now - this.#totalMs - (this.#since === null ? 0 : now - this.#since);
  }

  /** Resolves when all pauses are stored. */
  async stored(): Promise<void> {
    await this.#writes;
  }

  #storePause(pause: { forMs: number | null; pauses: number; reason: string }): void {
    const { breaker, clock } = this.#deps;
    this.#since ??= clock.steady();
    if (breaker) this.#write("pause", () => breaker.pause(pause));
  }

  #storeResume(): void {
    const { breaker, clock } = this.#deps;
    if (this.#since !== null) this.#totalMs += Math.max(0, clock.steady() - this.#since);
    this.#since = null;
    if (breaker) this.#write("resume", () => breaker.resume());
  }

  #write(call: string, write: () => Promise<void>): void {
    this.#writes = this.#writes.then(() => this.#deps.retry(call, write));
  }
}
