// How a pool's member is doing, and whether it may be asked. Pure: time comes in, decisions go out.
//
// Closed → open on two failures in a row, or when a third of at least ten requests of the last minute failed.
// Open: nobody asks it, until a check that costs no tokens says that it is back, or, where there is no such check
// or it has lied, a time has passed that doubles with each failed probe. Then one request is risked: it goes
// well → closed, else open again. Being told to slow down, or that a key does not work, is not being down: the
// model rests that is limited, since vendors limit each model apart, or the member whose key is refused. Only what
// started after it opened can close it or count against it again. What callers do does not count, with one exception:
// a caller who leaves after waiting longer than is usual for this member, while it answered nobody at all, has seen
// its silence.

import { type ResponseKind, ResponseTimes } from "./response-times.ts";

export const healthRules = {
  consecutiveFailures: 2,
  /** Callers who left a silent member weigh as much as one failure. */
  departuresPerFailure: 2,
  windowMs: 60_000,
  buckets: 10,
  minRequestsInWindow: 10,
  failureRateThreshold: 1 / 3,
  /**
   * The wait before the first probe that no check has spoken for, doubling up to the longest. A request every 4 s
   * through an outage of 60 s then meets it at most four times, whatever its checks say.
   */
  firstProbeMs: 8_000,
  maxProbeMs: 30_000,
  /** Nobody is asked while checks find it down, but for one probe in this time: a check may be wrong for ever. */
  maxUnprobedMs: 60_000,
  /** A member that said "slow down" without saying for how long, and the longest that is believed. */
  defaultCooldownMs: 5_000,
  /** Nobody who refuses is asked again at once, not even one who says so. */
  minCooldownMs: 500,
  maxCooldownMs: 600_000,
  /** Rest of a member whose key, balance or permission is refused. */
  unauthorizedCooldownMs: 60_000,
  /** Rest of a model that a member does not have. */
  missingModelCooldownMs: 300_000,
  /** How long a recovered member gets less than its share. */
  rampMs: 10_000,
} as const;

export type FailureKind = "upstream_error" | "rate_limited" | "unauthorized";

/** One request under way. */
export interface HealthTicket {
  startedAt: number;
  /** It is the one that is risked on an open member. */
  probe: boolean;
}

/** Who waits for it, and wants to know when it opens. */
export interface CircuitListener {
  circuitOpened(now: number): void;
}

export type Availability =
  /** It may be asked. */
  | { kind: "up" }
  /** One request may be risked. */
  | { kind: "half_open" }
  /** Nobody should ask it before then (monotonic ms). */
  | { kind: "down"; until: number; why: "open" | "cooling_down" | "unauthorized" };

export class MemberHealth {
  #consecutiveFailures = 0;
  readonly #counts = Array.from({ length: healthRules.buckets }, () => ({ slot: -1, asked: 0, failed: 0 }));
  /** Set while open: when it opened (or was last probed), and when a probe may be risked without a check's word. */
  #open: { since: number; probeAt: number; probes: number; checked: boolean } | null = null;
  #probing = false;
  /** When it last opened, also after it closed again. */
  #openedAt = Number.NEGATIVE_INFINITY;
  /** A check said that it is back, and the probe found otherwise: its word alone no longer counts. */
  #checkUnreliable = false;
  #cooldown: { until: number; why: "cooling_down" | "unauthorized" } | null = null;
  /** When its key, balance or permission was first refused; null: it was not, or it answered since. */
  #unauthorizedAt: number | null = null;
  /** By model; there are no more of them than the member's settings name. */
  readonly #modelCooldowns = new Map<string, { until: number; why: "rate_limited" | "missing" }>();
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  readonly #times = new ResponseTimes();
  /** When it last said something to anybody. */
  #lastOutputAt = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Set<CircuitListener>();

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The moving average of the time to the first output, ms, of streams where it had any; null: it was not asked yet. */
  get firstOutputMs(): number | null {
    const times = this.#times;
    return times.average("stream") ?? times.average("whole") ?? times.average("embeddings");
  }

  /** How long a caller waits who waits longer than is usual, ms. `size`: of the prompt, see `sizeOf`. */
  overdueMs(kind: ResponseKind, size: number): number {
    return this.#times.overdueMs(kind, size);
  }

  /** Whether it said something to anybody after that. */
  respondedSince(at: number): boolean {
    return this.#lastOutputAt > at;
  }

  /** `watcher` is told when it opens, until `unwatch`. */
  watch(watcher: CircuitListener): void {
    this.#listeners.add(watcher);
  }

  unwatch(watcher: CircuitListener): void {
    this.#listeners.delete(watcher);
  }

  /** `model`: with the rest of this model; absent: of the member as a whole. A model that it lacks is asked for by `lacks`. */
  availability(now: number, model?: string): Availability {
    if (this.#cooldown && this.#cooldown.until > now) return { kind: "down", ...this.#cooldown };
    const own = model === undefined ? undefined : this.#modelCooldowns.get(model);
    if (own && own.why === "rate_limited" && own.until > now)
      return { kind: "down", until: own.until, why: "cooling_down" };
    if (!this.#open) return { kind: "up" };
    const { probeAt, checked } = this.#open;
    const ready = checked || probeAt <= now;
    if (ready && !this.#probing) return { kind: "half_open" };
    return { kind: "down", until: Math.max(probeAt, now + 1), why: "open" };
  }

  /** As a whole; it rests as well while each of its models does, until the first of them is back. */
  overallAvailability(now: number, models: readonly string[]): Availability {
    const own = this.availability(now);
    if (own.kind !== "up") return own;
    let first: Availability | null = null;
    for (const model of models) {
      const standing = this.availability(now, model);
      if (standing.kind !== "down") return own;
      if (first === null || (first.kind === "down" && standing.until < first.until)) first = standing;
    }
    return first ?? own;
  }

  /** Whether it does not have this model, as far as is known. */
  isModelMissing(model: string, now: number): boolean {
    const rest = this.#modelCooldowns.get(model);
    return rest !== undefined && rest.why === "missing" && rest.until > now;
  }

  /** How long it will probably take to say something, counting those that wait already: lower is better. */
  cost(now: number, kind: ResponseKind = "stream"): number {
    // Unknown members look quick, so that they get tried.
    return ((this.#times.average(kind) ?? 1) * (this.#inFlight + 1)) / this.#ramp(now);
  }

  /** 0.1 to 1: a member that just came back gets less than its share. */
  #ramp(now: number): number {
    return Math.min(1, Math.max(0.1, (now - this.#recoveredAt) / healthRules.rampMs));
  }

  begin(now: number): HealthTicket {
    const probe = this.#open !== null && this.availability(now).kind === "half_open";
    if (probe) this.#probing = true;
    this.#inFlight += 1;
    return { startedAt: now, probe };
  }

  /** It has begun to answer, `firstOutputMs` after it was asked: it is there. True when it was down until now. */
  firstOutput(
    ticket: HealthTicket,
    now: number,
    firstOutputMs: number,
    kind: ResponseKind = "stream",
    size = 1,
  ): boolean {
    if (ticket.probe) this.#probing = false;
    ticket.probe = false;
    this.#lastOutputAt = now;
    this.#times.record(kind, firstOutputMs, size);
    const allowed = this.#unauthorizedAt !== null && ticket.startedAt >= this.#unauthorizedAt;
    if (allowed) {
      this.#unauthorizedAt = null;
      if (this.#cooldown?.why === "unauthorized") this.#cooldown = null;
    }
    // What was under way before it opened says nothing about now.
    if (!this.#open || ticket.startedAt < this.#open.since) return allowed;
    this.#open = null;
    this.#consecutiveFailures = 0;
    this.#checkUnreliable = false;
    this.#recoveredAt = now;
    for (const bucket of this.#counts) bucket.slot = -1;
    return true;
  }

  /** Its answer came to its end. */
  succeeded(ticket: HealthTicket, now: number): void {
    this.#release(ticket);
    this.#countOutcome(now, false);
    if (!this.#open) this.#consecutiveFailures = 0;
  }

  /**
   * It failed; true when it went down by that. `retryAfterMs`: what it said itself. `model`: what it was asked for,
   * which alone rests where it is `rate_limited`; null: the whole member rests. `singly`: the request may be to blame, since
   * others were answered meanwhile: it counts for the share of failures, but not for those in a row.
   */
  failed(
    ticket: HealthTicket,
    now: number,
    kind: FailureKind,
    retryAfterMs: number | null,
    model: string | null = null,
    singly = false,
  ): boolean {
    this.#release(ticket);
    // What was under way before it opened says nothing about now.
    const late = ticket.startedAt < this.#openedAt;
    if (kind !== "upstream_error") {
      if (ticket.probe && !late && this.#open) this.#open.probeAt = now + healthRules.firstProbeMs;
      return this.#startCooldown(now, kind, retryAfterMs, model);
    }
    if (late) return false;
    this.#countOutcome(now, true);
    const opens = this.#addFailure(ticket, now, singly ? 0 : 1);
    return opens || (this.#open === null && this.#exceedsFailureRate(now) && this.#trip(now));
  }

  /** Weighs evidence that it is down; true when it went down by that. */
  #addFailure(ticket: HealthTicket, now: number, weight: number): boolean {
    if (this.#open) {
      // Whoever asked it for want of another does not make it longer.
      if (!ticket.probe) return false;
      const { checked, probes } = this.#open;
      if (checked) this.#checkUnreliable = true;
      const { firstProbeMs, maxProbeMs } = healthRules;
      const waitMs = checked ? maxProbeMs : Math.min(firstProbeMs * 2 ** probes, maxProbeMs);
      this.#open = { since: now, probeAt: now + waitMs, probes: probes + 1, checked: false };
      this.#openedAt = now;
      return false;
    }
    this.#consecutiveFailures += weight;
    return this.#consecutiveFailures >= healthRules.consecutiveFailures && this.#trip(now);
  }

  #trip(now: number): true {
    this.#open = { since: now, probeAt: now + healthRules.firstProbeMs, probes: 1, checked: false };
    this.#openedAt = now;
    for (const watcher of [...this.#listeners]) watcher.circuitOpened(now);
    return true;
  }

  /** The request was at fault, or its answer was cut short here: it says nothing about the member. */
  dropped(ticket: HealthTicket): void {
    this.#release(ticket);
  }

  /**
   * The caller went away before it said anything; true when it went down by that. It says something only where the
   * wait was longer than usual and the member answered nobody else in all that time, so that nobody can take
   * down a member that is well by leaving, however often.
   */
  callerLeft(ticket: HealthTicket, now: number, kind: ResponseKind, size: number): boolean {
    this.#release(ticket);
    const { startedAt } = ticket;
    if (startedAt < this.#openedAt || this.respondedSince(startedAt)) return false;
    if (now - startedAt < this.overdueMs(kind, size)) return false;
    return this.#addFailure(ticket, now, 1 / healthRules.departuresPerFailure);
  }

  /** It answered, but does not have this model. */
  modelMissing(ticket: HealthTicket, now: number, model: string): void {
    this.#release(ticket);
    this.#modelCooldowns.set(model, { until: now + healthRules.missingModelCooldownMs, why: "missing" });
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Whether a check that costs no tokens would tell something new. */
  needsCheck(now: number): boolean {
    return this.#open !== null && !this.#probing && this.availability(now).kind === "down";
  }

  /** What such a check found. */
  checked(now: number, well: boolean): void {
    if (!this.#open) return;
    if (!well) {
      // It says itself that it is down: hardly any probe is risked while it does.
      this.#open.checked = false;
      const lastAt = this.#open.since + healthRules.maxUnprobedMs;
      const laterAt = Math.min(now + healthRules.firstProbeMs, lastAt);
      this.#open.probeAt = Math.max(this.#open.probeAt, laterAt);
    } else if (!this.#checkUnreliable) this.#open.checked = true;
  }

  #release(ticket: HealthTicket): void {
    this.#inFlight -= 1;
    if (ticket.probe) this.#probing = false;
  }

  #startCooldown(
    now: number,
    kind: "rate_limited" | "unauthorized",
    retryAfterMs: number | null,
    model: string | null,
  ): boolean {
    const first = kind === "unauthorized" && this.#unauthorizedAt === null;
    if (first) this.#unauthorizedAt = now;
    const asked =
      kind === "unauthorized"
        ? healthRules.unauthorizedCooldownMs
        : (retryAfterMs ?? healthRules.defaultCooldownMs);
    const until = now + Math.min(Math.max(healthRules.minCooldownMs, asked), healthRules.maxCooldownMs);
    // A later, longer wait extends the rest; a shorter one does not cut it.
    if (kind === "rate_limited" && model !== null) {
      const rest = this.#modelCooldowns.get(model);
      if (!rest || rest.until <= until) this.#modelCooldowns.set(model, { until, why: "rate_limited" });
      return first;
    }
    if (this.#cooldown && this.#cooldown.until > until) return first;
    this.#cooldown = { until, why: kind === "unauthorized" ? "unauthorized" : "cooling_down" };
    return first;
  }

  #countOutcome(now: number, failed: boolean): void {
    const slot = Math.floor(now / (healthRules.windowMs / healthRules.buckets));
    const bucket = this.#counts[slot % healthRules.buckets]!;
    if (bucket.slot !== slot) Object.assign(bucket, { slot, asked: 0, failed: 0 });
    bucket.asked += 1;
    if (failed) bucket.failed += 1;
  }

  #exceedsFailureRate(now: number): boolean {
    const slot = Math.floor(now / (healthRules.windowMs / healthRules.buckets));
    let asked = 0;
    let failed = 0;
    for (const bucket of this.#counts) {
      if (bucket.slot <= slot - healthRules.buckets || bucket.slot > slot) continue;
      asked += bucket.asked;
      failed += bucket.failed;
    }
    return asked >= healthRules.minRequestsInWindow && failed / asked >= healthRules.failureRateThreshold;
  }
}
