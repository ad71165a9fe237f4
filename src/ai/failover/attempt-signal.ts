// The abort signal of one attempt, which can be abandoned while the client stays connected. When the member's circuit opens, attempts that
// have waited longer than is usual for the member are abandoned immediately and the others as soon as they are overdue, instead of each
// running into its own timeout. Nothing has reached the client yet. An attempt that is not overdue continues: a member that fails some
// requests may still answer this one.

import type { CircuitListener, MemberHealth } from "#ai/health/health.ts";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";

/** Aborts when the client disconnects or the attempt is abandoned. */
export class AttemptSignal extends LightAbortController implements CircuitListener {
  readonly #clock: Clock;
  readonly #caller: LightAbortSignal;
  readonly #health: MemberHealth;
  readonly #overdueAt: number;
  readonly #hasAlternative: () => boolean;
  #overdueTimer: LightAbortController | null = null;

  /** `overdueAt`: monotonic ms. `elsewhere`: whether another healthy member is left. */
  constructor(
    clock: Clock,
    caller: LightAbortSignal,
    health: MemberHealth,
    overdueAt: number,
    elsewhere: () => boolean,
  ) {
    super();
    this.#clock = clock;
    this.#caller = caller;
    this.#health = health;
    this.#overdueAt = overdueAt;
    this.#hasAlternative = elsewhere;
    health.watch(this);
  }

  override get aborted(): boolean {
    return super.aborted || this.#caller.aborted;
  }

  /** The attempt was abandoned because of the member; the client is still connected. */
  get abandoned(): boolean {
    return super.aborted && !this.#caller.aborted;
  }

  override addEventListener(type: "abort", listener: () => void, options: { once: true }): void {
    super.addEventListener(type, listener, options);
    this.#caller.addEventListener(type, listener, options);
  }

  override removeEventListener(type: "abort", listener: () => void): void {
    super.removeEventListener(type, listener);
    this.#caller.removeEventListener(type, listener);
  }

  circuitOpened(now: number): void {
    if (now >= this.#overdueAt) {
      if (this.#hasAlternative()) this.abort();
      return;
    }
    if (this.#overdueTimer) return;
    this.#overdueTimer = new LightAbortController();
    void this.#clock.sleep(this.#overdueAt - now, this.#overdueTimer).then(() => {
      if (this.#overdueTimer?.aborted !== false) return;
      this.#overdueTimer = null;
      // The circuit may have closed again in the meantime.
      if (this.#health.isOpen && this.#hasAlternative()) this.abort();
    });
  }

  /** The attempt has ended or has begun to answer: it can no longer be abandoned. */
  end(): void {
    this.#health.unwatch(this);
    this.#overdueTimer?.abort();
  }
}
