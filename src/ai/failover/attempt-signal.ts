// A request that waits for a member, which can be given up without its caller leaving: when the member opens
// meanwhile, whoever has waited longer than is usual for it leaves at once, and the others as soon as they have,
// instead of each serving out its own limit. Nothing has reached the caller yet, so it costs nothing but the wait.
// What is not overdue stays: a member that fails some requests may be about to answer this one.

import type { CircuitListener, MemberHealth } from "#ai/health/health.ts";
import { LightAbortController, type LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Clock } from "#runtime/runtime.ts";

/** The signal of one attempt: the caller's, and its own. */
export class AttemptSignal extends LightAbortController implements CircuitListener {
  readonly #clock: Clock;
  readonly #caller: LightAbortSignal;
  readonly #health: MemberHealth;
  readonly #overdueAt: number;
  readonly #hasAlternative: () => boolean;
  #overdueTimer: LightAbortController | null = null;

  /** `overdueAt`: monotonic ms. `elsewhere`: whether a member that is up is left to be asked. */
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

  /** Given up because of the member; the caller is still there. */
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
      // It may be back.
      if (this.#health.isOpen && this.#hasAlternative()) this.abort();
    });
  }

  /** The attempt is over, or has begun to answer: it is not given up any more. */
  end(): void {
    this.#health.unwatch(this);
    this.#overdueTimer?.abort();
  }
}
