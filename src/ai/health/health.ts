// The health of a pool's member: a circuit breaker and cooldowns. Pure: the caller passes the time in and carries out the decisions. Closed
// to open: two consecutive failures, or a third of at least ten requests in the last minute failed. Open: the member receives no requests
// until a check that costs no tokens succeeds, or, if the provider has no check or its check proved unreliable, until a delay has passed
// that doubles with each failed probe. Half-open: one probe is sent; success closes the circuit, failure opens it again. A 429 or a refused
// key does not open the circuit. A 429 puts the model into a cooldown, since vendors limit models separately; a refused key puts the whole
// member into one. Only requests that started after the circuit opened can close it or count against it again. Client disconnects do not
// count, with one exception: a client that disconnects after waiting longer than is usual for this member, while the member answered no
// other request, is evidence of a silent member; so are several clients that waited as long one after another.

import { cooldownMs, cooldownRules } from "./cooldown.ts";
import { FailingKinds } from "./failing-kinds.ts";
import { MissingApis } from "./missing-apis.ts";
import { ModelLimits } from "./model-limits.ts";
import { RefusedParameters } from "./refused-parameters.ts";
import { type ResponseKind, ResponseTimes } from "./response-times.ts";

export const healthRules = {
  consecutiveFailures: 2,
  /** This many clients that left a silent member count as one failure. */
  departuresPerFailure: 2,
  windowMs: 60_000,
  buckets: 10,
  minRequestsInWindow: 10,
  failureRateThreshold: 1 / 3,
  /**
   * Delay before the first probe without a successful check; it doubles up to `maxProbeMs`. With a request every 4 s, an outage of 60 s
   * then causes at most four requests to the member, or six if its checks are wrong.
   */
  firstProbeMs: 8_000,
  maxProbeMs: 30_000,
  /** Interval between probes of a member whose check succeeded while it failed: only probes show when it is back. */
  unreliableProbeMs: 15_000,
  /** While checks fail, one probe is sent per interval: a check may be wrong permanently. */
  maxUnprobedMs: 60_000,
  ...cooldownRules,
  /** The longest `Retry-After` of a server without capacity (503, 529) that is honoured: it may be back sooner. */
  maxUnavailableMs: 60_000,
  /** Cooldown of a model that the member does not have. */
  missingModelCooldownMs: 300_000,
  /** How long a recovered member gets less than its share. */
  rampMs: 10_000,
} as const;

type FailureKind = "upstream_error" | "rate_limited" | "unauthorized";

/** A request in progress. */
export interface HealthTicket {
  startedAt: number;
  /** This request is the probe of an open circuit. */
  probe: boolean;
}

/** Is notified when the circuit opens. */
export interface CircuitListener {
  circuitOpened(now: number): void;
}

type Availability =
  /** The member may receive requests. */
  | { kind: "up" }
  /** The circuit is open, and one probe may be sent. */
  | { kind: "half_open" }
  /** The member should receive no requests until then (monotonic ms). */
  | { kind: "down"; until: number; why: "open" | "cooling_down" | "unauthorized" };

export class MemberHealth {
  /** What its models refused as unsupported. It does not affect the member's health. */
  readonly refused = new RefusedParameters();
  /** The maximum answer lengths of its models, and the kinds of requests that they fail at. They do not affect its health either. */
  readonly limits = new ModelLimits();
  readonly failing = new FailingKinds();
  /** Client APIs that its models turned out to lack. */
  readonly missingApis = new MissingApis();
  #consecutiveFailures = 0;
  readonly #counts = Array.from({ length: healthRules.buckets }, () => ({
    slot: -1,
    requests: 0,
    failed: 0,
  }));
  /** Set while the circuit is open: since when (or since the last probe), and when a probe may be sent without a check. */
  #open: { since: number; probeAt: number; probes: number; checked: boolean } | null = null;
  #probing = false;
  /** When the circuit last opened; kept after it closes. */
  #openedAt = Number.NEGATIVE_INFINITY;
  /** A check succeeded but the probe after it failed: checks by themselves no longer allow a probe. */
  #checkUnreliable = false;
  /** `open`: it requested a pause but set no limit: it is called if no other member is left; one at its limit is not. */
  #cooldown: { since: number; until: number; why: "cooling_down" | "unauthorized" | "open" } | null = null;
  /** When the key, balance or permission was first refused; null if never, or if the member has answered since. */
  #unauthorizedAt: number | null = null;
  /** By model; limited to the models in the member's settings. */
  readonly #modelCooldowns = new Map<string, { until: number; why: "rate_limited" | "missing" }>();
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  readonly #times = new ResponseTimes();
  /** When the member last produced output for any request. */
  #lastOutputAt = Number.NEGATIVE_INFINITY;
  /** How long clients that disconnected have waited since the last output, with overlapping waits counted once, ms, and until when. */
  #unansweredMs = 0;
  #unansweredUntil = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Set<CircuitListener>();

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Moving average of the time to the first output, ms, of streams if there were any; null if there was no answer yet. */
  get firstOutputMs(): number | null {
    const times = this.#times;
    return times.average("stream") ?? times.average("whole") ?? times.average("embeddings");
  }

  /** The 95th percentile of its times to first output, ms; null if too few are known. */
  lateMs(kind: ResponseKind, size: number): number | null {
    return this.#times.lateMs(kind, size);
  }

  /** After how long a wait is overdue, ms. `size`: that of the prompt, see `promptSizeFactor`. */
  overdueMs(kind: ResponseKind, size: number): number {
    return this.#times.overdueMs(kind, size);
  }

  /** The longest wait for a whole answer while another member is left, ms; null if too few of its times are known. */
  answerMs(kind: ResponseKind, size: number): number | null {
    return this.#times.answerMs(kind, size);
  }

  /** Whether the member produced output for any request after that time. */
  respondedSince(at: number): boolean {
    return this.#lastOutputAt > at;
  }

  /** Notifies `watcher` when the circuit opens, until `unwatch`. */
  watch(watcher: CircuitListener): void {
    this.#listeners.add(watcher);
  }

  unwatch(watcher: CircuitListener): void {
    this.#listeners.delete(watcher);
  }

  /** With `model`: includes the model's cooldown. A missing model is reported by `isModelMissing` instead. */
  availability(now: number, model?: string): Availability {
    if (this.#cooldown && this.#cooldown.until > now)
      return { kind: "down", until: this.#cooldown.until, why: this.#cooldown.why };
    const cooldown = model === undefined ? undefined : this.#modelCooldowns.get(model);
    if (cooldown && cooldown.why === "rate_limited" && cooldown.until > now)
      return { kind: "down", until: cooldown.until, why: "cooling_down" };
    if (!this.#open) return { kind: "up" };
    const { probeAt, checked } = this.#open;
    const ready = checked || probeAt <= now;
    if (ready && !this.#probing) return { kind: "half_open" };
    return { kind: "down", until: Math.max(probeAt, now + 1), why: "open" };
  }

  /** For the member as a whole; it is cooling down while all of its models are, until the first is back. */
  overallAvailability(now: number, models: readonly string[]): Availability {
    const availability = this.availability(now);
    if (availability.kind !== "up") return availability;
    let first: Availability | null = null;
    for (const model of models) {
      const standing = this.availability(now, model);
      if (standing.kind !== "down") return availability;
      if (first === null || (first.kind === "down" && standing.until < first.until)) first = standing;
    }
    return first ?? availability;
  }

  /** Whether the member is known not to have this model. */
  isModelMissing(model: string, now: number): boolean {
    const rest = this.#modelCooldowns.get(model);
    return rest !== undefined && rest.why === "missing" && rest.until > now;
  }

  /** Expected time to the first output, including the load of requests in progress: lower is better. */
  cost(now: number, kind: ResponseKind = "stream"): number {
    // Members without an average appear fast, so that they are tried.
    return ((this.#times.average(kind) ?? 1) * (this.#inFlight + 1)) / this.#ramp(now);
  }

  /** Whether it has answered such a request, so that its response time is known. */
  isMeasured(kind: ResponseKind): boolean {
    return this.#times.average(kind) !== null;
  }

  /** 0.1 to 1: a member that has just recovered gets less than its share. */
  #ramp(now: number): number {
    return Math.min(1, Math.max(0.1, (now - this.#recoveredAt) / healthRules.rampMs));
  }

  begin(now: number): HealthTicket {
    const probe = this.#open !== null && this.availability(now).kind === "half_open";
    if (probe) this.#probing = true;
    this.#inFlight += 1;
    return { startedAt: now, probe };
  }

  /** The member began to answer `firstOutputMs` after the request. True if it was down until now. */
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
    if (this.#cooldown?.why === "open" && ticket.startedAt >= this.#cooldown.since) this.#cooldown = null;
    const allowed = this.#unauthorizedAt !== null && ticket.startedAt >= this.#unauthorizedAt;
    if (allowed) {
      this.#unauthorizedAt = null;
      if (this.#cooldown?.why === "unauthorized") this.#cooldown = null;
    }
    // Requests that started before the circuit opened say nothing about the present.
    if (!this.#open || ticket.startedAt < this.#open.since) return allowed;
    this.#open = null;
    this.#consecutiveFailures = 0;
    this.#checkUnreliable = false;
    this.#recoveredAt = now;
    for (const bucket of this.#counts) bucket.slot = -1;
    return true;
  }

  /** The answer is complete. */
  succeeded(ticket: HealthTicket, now: number): void {
    this.#release(ticket);
    this.#countOutcome(now, false);
    if (!this.#open) this.#consecutiveFailures = 0;
  }

  /**
   * The request failed; true if that took the member down. `retryAfterMs`: from the vendor. `model`: the requested model, the only one to
   * cool down after `rate_limited`; null if the whole member does. `singly`: the request may be the cause, since others were answered in
   * the meantime; it counts towards the failure rate but not as consecutive.
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
    if (kind !== "upstream_error")
      return this.#startCooldown(ticket, now, kind, cooldownMs(kind, retryAfterMs), model);
    // Requests that started before the circuit opened say nothing about the present.
    if (ticket.startedAt < this.#openedAt) return false;
    if (retryAfterMs !== null)
      this.#rest(now, now + Math.min(retryAfterMs, healthRules.maxUnavailableMs), "open");
    this.#countOutcome(now, true);
    const opens = this.#addFailure(ticket, now, singly ? 0 : 1);
    return opens || (this.#open === null && this.#exceedsFailureRate(now) && this.#trip(now));
  }

  /** All of its keys are refused, and the first may be used again after `ms`; true if that took the member down. */
  keysRefused(ticket: HealthTicket, now: number, ms: number): boolean {
    this.#release(ticket);
    return this.#startCooldown(ticket, now, "unauthorized", ms, null);
  }

  /** Adds evidence of an outage; true if that opened the circuit. */
  #addFailure(ticket: HealthTicket, now: number, weight: number): boolean {
    if (this.#open) {
      // A last-resort request that is not the probe must not extend the open period.
      if (!ticket.probe) return false;
      const { checked, probes } = this.#open;
      if (checked) this.#checkUnreliable = true;
      const { firstProbeMs, maxProbeMs, unreliableProbeMs } = healthRules;
      const waitMs = this.#checkUnreliable
        ? unreliableProbeMs
        : Math.min(firstProbeMs * 2 ** probes, maxProbeMs);
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

  /** The request was at fault, or was ended here: it does not affect the member's health. */
  dropped(ticket: HealthTicket): void {
    this.#release(ticket);
  }

  /**
   * The client disconnected before the first output; true if that took the member down. It counts only if the
   * wait was longer than usual and the member answered no other request in that time, so that clients cannot
   * take down a healthy member by disconnecting, however often. Shorter waits count once they add up.
   */
  clientDisconnected(ticket: HealthTicket, now: number, kind: ResponseKind, size: number): boolean {
    this.#release(ticket);
    const { startedAt } = ticket;
    if (startedAt < this.#openedAt || this.respondedSince(startedAt)) return false;
    const { ms, isKnown } = this.#times.unusual(kind, size);
    if (now - startedAt < ms) return false;
    const since = Math.max(startedAt, this.#unansweredUntil);
    const before = this.respondedSince(this.#unansweredUntil) ? 0 : this.#unansweredMs;
    this.#unansweredMs = before + Math.max(0, now - since);
    this.#unansweredUntil = now;
    if (!isKnown && this.#unansweredMs < this.overdueMs(kind, size)) return false;
    return this.#addFailure(ticket, now, 1 / healthRules.departuresPerFailure);
  }

  /** The member answered that it does not have this model. */
  modelMissing(ticket: HealthTicket, now: number, model: string): void {
    this.#release(ticket);
    this.#modelCooldowns.set(model, { until: now + healthRules.missingModelCooldownMs, why: "missing" });
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Whether a check that costs no tokens would be informative. */
  needsCheck(now: number): boolean {
    return this.#open !== null && !this.#probing && this.availability(now).kind === "down";
  }

  /** The result of such a check. */
  checked(now: number, well: boolean): void {
    if (!this.#open) return;
    if (!well) {
      // The check failed: probes become rare while it does.
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

  /** True if that took the member down. A refused probe says nothing about the outage, so the next one is delayed. */
  #startCooldown(
    ticket: HealthTicket,
    now: number,
    kind: "rate_limited" | "unauthorized",
    ms: number,
    model: string | null,
  ): boolean {
    if (ticket.probe && ticket.startedAt >= this.#openedAt && this.#open)
      this.#open.probeAt = now + healthRules.firstProbeMs;
    const first = kind === "unauthorized" && this.#unauthorizedAt === null;
    if (first) this.#unauthorizedAt = now;
    const until = now + ms;
    // A later, longer cooldown extends the current one; a shorter one does not shorten it.
    if (kind === "rate_limited" && model !== null) {
      const rest = this.#modelCooldowns.get(model);
      if (!rest || rest.until <= until) this.#modelCooldowns.set(model, { until, why: "rate_limited" });
      return first;
    }
    this.#rest(now, until, kind === "unauthorized" ? "unauthorized" : "cooling_down");
    return first;
  }

  #rest(since: number, until: number, why: "cooling_down" | "unauthorized" | "open"): void {
    if (!this.#cooldown || this.#cooldown.until <= until) this.#cooldown = { since, until, why };
  }

  #countOutcome(now: number, failed: boolean): void {
    const slot = Math.floor(now / (healthRules.windowMs / healthRules.buckets));
    const bucket = this.#counts[slot % healthRules.buckets]!;
    if (bucket.slot !== slot) Object.assign(bucket, { slot, requests: 0, failed: 0 });
    bucket.requests += 1;
    if (failed) bucket.failed += 1;
  }

  #exceedsFailureRate(now: number): boolean {
    const slot = Math.floor(now / (healthRules.windowMs / healthRules.buckets));
    let requests = 0;
    let failed = 0;
    for (const bucket of this.#counts) {
      if (bucket.slot <= slot - healthRules.buckets || bucket.slot > slot) continue;
      requests += bucket.requests;
      failed += bucket.failed;
    }
    return (
      requests >= healthRules.minRequestsInWindow && failed / requests >= healthRules.failureRateThreshold
    );
  }
}
