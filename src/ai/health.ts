// How a pool's member is doing, and whether it may be asked. Pure: time comes in, decisions go out.
//
// Closed → open on two failures in a row, or when a third of at least ten requests of the last minute failed.
// Open: nobody asks it, until a check that costs no tokens says that it is back, or, where there is no such check
// or it has lied, a time has passed that doubles with each failed probe. Then one request is risked: it goes
// well → closed, else open again. Being told to slow down, or that a key does not work, is not being down: the
// member rests. Only what started after it opened can close it or count against it again, and what its callers
// did never counts.

export const healthRules = {
  failuresInARow: 2,
  windowMs: 60_000,
  buckets: 10,
  leastInWindow: 10,
  failingShare: 1 / 3,
  /**
   * The wait before the first probe that no check has spoken for, doubling up to the longest. A request every 4 s
   * through an outage of 60 s then meets it at most four times, whatever its checks say.
   */
  firstProbeMs: 8_000,
  longestProbeMs: 30_000,
  /** Nobody is asked while checks find it down, but for one probe in this time: a check may be wrong for ever. */
  longestUncheckedMs: 60_000,
  /** A member that said "slow down" without saying for how long, and the longest that is believed. */
  usualRestMs: 5_000,
  /** Nobody who refuses is asked again at once, not even one who says so. */
  leastRestMs: 500,
  longestRestMs: 600_000,
  /** Rest of a member whose key, balance or permission is refused. */
  deniedRestMs: 60_000,
  /** Rest of a model that a member does not have. */
  modelRestMs: 300_000,
  /** How long a recovered member gets less than its share. */
  rampMs: 10_000,
  /** Weight of the newest time to first token in the moving average, when it is lower than the average. */
  decay: 0.2,
} as const;

export type FailureKind = "broken" | "limited" | "denied";

/** One request under way. */
export interface Ticket {
  startedAt: number;
  /** It is the one that is risked on an open member. */
  probe: boolean;
}

export type Standing =
  /** It may be asked. */
  | { kind: "up" }
  /** One request may be risked. */
  | { kind: "probe" }
  /** Nobody should ask it before then (monotonic ms). */
  | { kind: "down"; until: number; why: "open" | "resting" | "denied" };

export class MemberHealth {
  #row = 0;
  readonly #counts = Array.from({ length: healthRules.buckets }, () => ({ slot: -1, asked: 0, failed: 0 }));
  /** Set while open: when it opened (or was last probed), and when a probe may be risked without a check's word. */
  #open: { since: number; probeAt: number; probes: number; checked: boolean } | null = null;
  #probing = false;
  /** When it last opened, also after it closed again. */
  #openedAt = Number.NEGATIVE_INFINITY;
  /** A check said that it is back, and the probe found otherwise: its word alone no longer counts. */
  #checkLied = false;
  #rest: { until: number; why: "resting" | "denied" } | null = null;
  /** When its key, balance or permission was first refused; null: it was not, or it answered since. */
  #deniedAt: number | null = null;
  readonly #modelRests = new Map<string, number>();
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  /** Moving average of the time to the first output, ms; null: never asked. */
  #firstOutputMs: number | null = null;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The moving average of the time to the first output, ms; null: it was not asked yet. */
  get firstOutputMs(): number | null {
    return this.#firstOutputMs;
  }

  standing(now: number): Standing {
    if (this.#rest && this.#rest.until > now) return { kind: "down", ...this.#rest };
    if (!this.#open) return { kind: "up" };
    const { probeAt, checked } = this.#open;
    const ready = checked || probeAt <= now;
    if (ready && !this.#probing) return { kind: "probe" };
    return { kind: "down", until: Math.max(probeAt, now + 1), why: "open" };
  }

  /** Whether it does not have this model, as far as is known. */
  lacks(model: string, now: number): boolean {
    return (this.#modelRests.get(model) ?? 0) > now;
  }

  /** How long it will probably take to say something, counting those that wait already: lower is better. */
  cost(now: number): number {
    // Unknown members look quick, so that they get tried.
    return ((this.#firstOutputMs ?? 1) * (this.#inFlight + 1)) / this.#ramp(now);
  }

  /** 0.1 to 1: a member that just came back gets less than its share. */
  #ramp(now: number): number {
    return Math.min(1, Math.max(0.1, (now - this.#recoveredAt) / healthRules.rampMs));
  }

  begin(now: number): Ticket {
    const probe = this.#open !== null && this.standing(now).kind === "probe";
    if (probe) this.#probing = true;
    this.#inFlight += 1;
    return { startedAt: now, probe };
  }

  /** It has begun to answer, `firstOutputMs` after it was asked: it is there. True when it was down until now. */
  spoke(ticket: Ticket, now: number, firstOutputMs: number): boolean {
    if (ticket.probe) this.#probing = false;
    ticket.probe = false;
    const before = this.#firstOutputMs;
    // Peaks are believed at once, improvements slowly.
    this.#firstOutputMs =
      before === null || firstOutputMs > before
        ? firstOutputMs
        : before + healthRules.decay * (firstOutputMs - before);
    const allowed = this.#deniedAt !== null && ticket.startedAt >= this.#deniedAt;
    if (allowed) {
      this.#deniedAt = null;
      if (this.#rest?.why === "denied") this.#rest = null;
    }
    // What was under way before it opened says nothing about now.
    if (!this.#open || ticket.startedAt < this.#open.since) return allowed;
    this.#open = null;
    this.#row = 0;
    this.#checkLied = false;
    this.#recoveredAt = now;
    for (const bucket of this.#counts) bucket.slot = -1;
    return true;
  }

  /** Its answer came to its end. */
  succeeded(ticket: Ticket, now: number): void {
    this.#end(ticket);
    this.#count(now, false);
    if (!this.#open) this.#row = 0;
  }

  /** It failed; true when it went down by that. `retryAfterMs`: what it said itself. */
  failed(ticket: Ticket, now: number, kind: FailureKind, retryAfterMs: number | null): boolean {
    this.#end(ticket);
    // What was under way before it opened says nothing about now.
    const late = ticket.startedAt < this.#openedAt;
    if (kind !== "broken") {
      if (ticket.probe && !late && this.#open) this.#open.probeAt = now + healthRules.firstProbeMs;
      return this.#restFor(now, kind, retryAfterMs);
    }
    if (late) return false;
    this.#count(now, true);
    if (this.#open) {
      // Whoever asked it for want of another does not make it longer.
      if (!ticket.probe) return false;
      const { checked, probes } = this.#open;
      if (checked) this.#checkLied = true;
      const { firstProbeMs, longestProbeMs } = healthRules;
      const waitMs = checked ? longestProbeMs : Math.min(firstProbeMs * 2 ** probes, longestProbeMs);
      this.#opens(now, waitMs, probes + 1);
      return false;
    }
    this.#row += 1;
    if (this.#row < healthRules.failuresInARow && !this.#failsOften(now)) return false;
    this.#opens(now, healthRules.firstProbeMs, 1);
    return true;
  }

  #opens(now: number, waitMs: number, probes: number): void {
    this.#open = { since: now, probeAt: now + waitMs, probes, checked: false };
    this.#openedAt = now;
  }

  /** The caller went away, or the request was at fault: it says nothing about the member. */
  dropped(ticket: Ticket): void {
    this.#end(ticket);
  }

  /** It answered, but does not have this model. */
  lacksModel(ticket: Ticket, now: number, model: string): void {
    this.#end(ticket);
    this.#modelRests.set(model, now + healthRules.modelRestMs);
    for (const [name, until] of this.#modelRests) if (until <= now) this.#modelRests.delete(name);
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Whether a check that costs no tokens would tell something new. */
  wantsCheck(now: number): boolean {
    return this.#open !== null && !this.#probing && this.standing(now).kind === "down";
  }

  /** What such a check found. */
  checked(now: number, well: boolean): void {
    if (!this.#open) return;
    if (!well) {
      // It says itself that it is down: hardly any probe is risked while it does.
      this.#open.checked = false;
      const lastAt = this.#open.since + healthRules.longestUncheckedMs;
      const laterAt = Math.min(now + healthRules.firstProbeMs, lastAt);
      this.#open.probeAt = Math.max(this.#open.probeAt, laterAt);
    } else if (!this.#checkLied) this.#open.checked = true;
  }

  #end(ticket: Ticket): void {
    this.#inFlight -= 1;
    if (ticket.probe) this.#probing = false;
  }

  #restFor(now: number, kind: "limited" | "denied", retryAfterMs: number | null): boolean {
    const first = kind === "denied" && this.#deniedAt === null;
    if (first) this.#deniedAt = now;
    const asked = kind === "denied" ? healthRules.deniedRestMs : (retryAfterMs ?? healthRules.usualRestMs);
    const until = now + Math.min(Math.max(healthRules.leastRestMs, asked), healthRules.longestRestMs);
    // A later, longer wait extends the rest; a shorter one does not cut it.
    if (this.#rest && this.#rest.until > until) return first;
    this.#rest = { until, why: kind === "denied" ? "denied" : "resting" };
    return first;
  }

  #count(now: number, failed: boolean): void {
    const slot = Math.floor(now / (healthRules.windowMs / healthRules.buckets));
    const bucket = this.#counts[slot % healthRules.buckets]!;
    if (bucket.slot !== slot) Object.assign(bucket, { slot, asked: 0, failed: 0 });
    bucket.asked += 1;
    if (failed) bucket.failed += 1;
  }

  #failsOften(now: number): boolean {
    const slot = Math.floor(now / (healthRules.windowMs / healthRules.buckets));
    let asked = 0;
    let failed = 0;
    for (const bucket of this.#counts) {
      if (bucket.slot <= slot - healthRules.buckets || bucket.slot > slot) continue;
      asked += bucket.asked;
      failed += bucket.failed;
    }
    return asked >= healthRules.leastInWindow && failed / asked >= healthRules.failingShare;
  }
}
