// A lane: everything waiting for one gateway, driven by the one process that owns it. It reads ahead, and,
// as the pace allows, stamps messages durably, hands them over outside any transaction, and settles them.
// It knows nothing about messages but when they are due; what they are is its work's business.
// What would break it: handing over what was not stamped under this fence, or losing an outcome before it is settled.

import type { Clock, Log } from "#runtime/runtime.ts";
import { AutoResetEvent } from "./auto-reset-event.ts";
import { Breaker, type Health } from "./breaker.ts";
import { Pacer } from "./pace.ts";
import { type Priority, priorities, priorityOrder } from "./priority.ts";

export interface LaneRow {
  id: string;
  band: number;
  due_at: number;
}

/** The outcome of one hand-over, and what it says about the gateway. */
export interface SendResult<Outcome> {
  outcome: Outcome;
  health: Health;
  reason: string;
}

/** What a lane drives. Everything but `send` is storage, and may throw when storage does. */
export interface LaneWork<Row extends LaneRow, Outcome> {
  /** Writes nothing. Due at `now`, in order of (due_at, id), after a place in it. */
  readDue(query: {
    band: Priority;
    now: number;
    after: { dueAt: number; id: string } | null;
    limit: number;
  }): Promise<Row[]>;
  nextDue(now: number): Promise<number | null>;
  /** Makes it durable that these are about to be handed over; says which, and as which attempt. */
  beginAttempts(
    rows: readonly Row[],
    day: string | null,
  ): Promise<{ kind: "stamped"; attempts: ReadonlyMap<string, number> } | { kind: "fenced" }>;
  /** Takes back stamps of messages that were certainly not handed over. */
  revertAttempts(ids: readonly string[]): Promise<void>;
  /** Classifies what an earlier owner left stamped; resolves when none is left. */
  recover(): Promise<void>;
  /** Hands one over. Never throws. */
  send(row: Row, attempt: number, signal: AbortSignal): Promise<SendResult<Outcome>>;
  /**
   * Makes the outcome durable; returns when the row is due again, or null when it waits no more.
   * `laneNow`: the time less all pauses, epoch ms.
   */
  settle(
    row: Row,
    attempt: number,
    outcome: Outcome,
    judged: { blamed: boolean; laneNow: number },
  ): Promise<number | null>;
  pause(pause: { forMs: number; pauses: number; reason: string }): Promise<void>;
  resume(): Promise<void>;
  /** The lane has stopped, and nothing of it is under way any more. */
  close?(): void;
}

export interface LaneRules {
  perSecond: number | null;
  concurrency: number;
  jitterMs: number;
  perDay: number | null;
  /** Whether the hour of the day allows sending, and when it next does. */
  sendingWindow(now: number): { open: true } | { open: false; opensAt: number };
  /** The local day, and when it ends: what the daily cap counts by. */
  day(now: number): { name: string; endsAt: number };
}

export interface LaneState {
  id: string;
  fence: number;
  pauses: number;
  pausedUntil: number | null;
  pausedSince: number | null;
  pausedMs: number;
  day: string | null;
  dayCount: number;
}

export interface LaneParts<Row extends LaneRow, Outcome> {
  work: LaneWork<Row, Outcome>;
  rules: LaneRules;
  state: LaneState;
  clock: Clock;
  fraction: () => number;
  log: Log;
  /** The longest wait for an instant, ms, so that a wall clock that was set is noticed. */
  maxWaitMs: number;
  /**
   * Found out about many lanes at once: whether an earlier owner left messages stamped. Such a lane first reads when
   * it is woken. Absent: the lane recovers and reads by itself when it starts.
   */
  known?: { left: boolean } | undefined;
}

const readAhead = 500;
/** A row may become visible this long after its due time at the most, so places in the order that are younger are read again. */
const settledAgeMs = 5_000;
/** Even an old place is given up this often, for a row that took longer. */
const restartMs = 30_000;
const storageRetryMs = 500;

export class Lane<Row extends LaneRow, Outcome> {
  readonly #parts: LaneParts<Row, Outcome>;
  readonly #pacer: Pacer;
  readonly #breaker: Breaker;
  readonly #buffers: Record<Priority, Row[]> = { 0: [], 1: [], 2: [] };
  readonly #places: Record<Priority, { dueAt: number; id: string } | null> = { 0: null, 1: null, 2: null };
  readonly #known = new Set<string>();
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #filling: Promise<void> | null = null;
  /** Pauses and resumptions are stored one after the other, or a late pause would outlive its end. */
  #noting: Promise<unknown> = Promise.resolve();
  #restartedAt = Number.NEGATIVE_INFINITY;
  #turns = 0;
  #onWire = 0;
  #unsettled = 0;
  #day: string | null;
  #dayCount: number;
  #pausedMs: number;
  #pausedSince: number | null;
  #stopping = false;
  /** Something may be due that is not in the buffers. */
  #stale: boolean;
  #nextDue: number | null = null;
  readonly #wait = new AutoResetEvent();
  /** The current wait is for something to become due, not for a slot, the pace or the hour. */
  #waitsForRows = false;
  readonly #ended: Promise<void>;

  constructor(parts: LaneParts<Row, Outcome>) {
    const { state, rules, clock, fraction } = parts;
    this.#parts = parts;
    this.#pacer = new Pacer({ perSecond: rules.perSecond, jitterMs: rules.jitterMs, fraction });
    const left =
      state.pausedUntil === null ? null : clock.monotonic() + Math.max(0, state.pausedUntil - clock.now());
    this.#breaker = new Breaker({ pauses: state.pauses, pausedUntil: left });
    this.#day = state.day;
    this.#dayCount = state.dayCount;
    this.#pausedMs = state.pausedMs;
    this.#pausedSince = state.pausedSince;
    this.#stale = parts.known === undefined || parts.known.left;
    this.#ended = this.#run();
  }

  get id(): string {
    return this.#parts.state.id;
  }

  get fence(): number {
    return this.#parts.state.fence;
  }

  /** Messages handed over and not yet settled. */
  get inFlight(): number {
    return this.#unsettled;
  }

  /**
   * Something was added or moved that is due at `dueAt` (epoch ms; without it, perhaps now): looks now, unless
   * the lane could not send it now anyway, or makes a note of when to look.
   */
  wake(dueAt = Number.NEGATIVE_INFINITY): void {
    if (dueAt <= this.#parts.clock.now()) this.#stale = true;
    else if (this.#nextDue === null || dueAt < this.#nextDue) this.#nextDue = dueAt;
    else return;
    if (this.#waitsForRows) this.#wait.set();
  }

  /** Stamps nothing new; resolves when what was handed over is settled. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wait.set();
    await this.#ended;
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#noting;
    this.#parts.work.close?.();
  }

  /** Gives up waiting for answers: what is still on the wire comes out as unknown. */
  abort(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    if (this.#parts.known?.left !== false) await this.#insist("recover", () => this.#parts.work.recover());
    while (!this.#stopping) {
      let waitMs: number;
      try {
        waitMs = await this.#turn();
      } catch (error) {
        this.#parts.log.warn({ lane: this.id, error }, "a lane could not reach its storage");
        waitMs = storageRetryMs;
      }
      if (waitMs > 0 && !this.#stopping) await this.#wait.wait(this.#parts.clock, waitMs);
      this.#waitsForRows = false;
    }
  }

  /** One turn: sends what may go now. Returns how long to wait for the next, ms; 0: go on at once; Infinity: until woken. */
  async #turn(): Promise<number> {
    const { clock, rules, maxWaitMs: longestWaitMs } = this.#parts;
    const within = (ms: number) => Math.min(longestWaitMs, Math.max(1, ms));
    const free = Math.min(
      rules.concurrency - this.#onWire,
      Math.max(64, 4 * rules.concurrency) - this.#unsettled,
    );
    if (free <= 0) return longestWaitMs;
    const gate = this.#breaker.permit(clock.monotonic());
    if (gate.kind === "shut") return within(gate.waitMs ?? longestWaitMs);
    const now = clock.now();
    const hours = rules.sendingWindow(now);
    if (!hours.open) return within(hours.opensAt - now);
    const day = rules.perDay === null ? null : rules.day(now);
    const leftToday =
      day === null ? Number.POSITIVE_INFINITY : rules.perDay! - (this.#day === day.name ? this.#dayCount : 0);
    if (leftToday <= 0) return within(day!.endsAt - now);
    const paced = this.#pacer.available(clock.monotonic());
    if (paced.count === 0) return Math.min(longestWaitMs, paced.waitMs);

    await this.#fill(now);
    const most = Math.min(free, leftToday, paced.count, gate.kind === "probe" ? 1 : Number.POSITIVE_INFINITY);
    const rows = this.#pick(most, gate.kind === "probe");
    if (rows.length === 0) {
      if (this.#stale) return 0;
      this.#waitsForRows = true;
      return this.#nextDue === null ? Number.POSITIVE_INFINITY : within(this.#nextDue - clock.now());
    }
    if (gate.kind === "probe") this.#breaker.beginProbe(rows[0]!.id);
    await this.#stampAndSend(rows, day?.name ?? null);
    return 0;
  }

  async #stampAndSend(rows: readonly Row[], day: string | null): Promise<void> {
    const { work, clock, log } = this.#parts;
    let stamped: Awaited<ReturnType<typeof work.beginAttempts>>;
    try {
      stamped = await work.beginAttempts(rows, day);
    } catch (error) {
      log.warn({ lane: this.id, error }, "a stamp failed; its messages go back");
      // The stamp may be stored although its answer was lost. Nothing was handed over, so all of it goes back.
      const ids = rows.map((row) => row.id);
      await this.#insist("unstamp", () => work.revertAttempts(ids));
      for (const id of ids) {
        this.#known.delete(id);
        this.#breaker.cancelProbe(id);
      }
      this.#stale = true;
      throw error;
    }
    if (stamped.kind === "fenced") {
      log.warn({ lane: this.id }, "this lane belongs to another process now");
      this.#stopping = true;
      return;
    }
    if (stamped.attempts.size > 0) this.#pacer.consume(stamped.attempts.size, clock.monotonic());
    if (day !== null) {
      this.#dayCount = (this.#day === day ? this.#dayCount : 0) + stamped.attempts.size;
      this.#day = day;
    }
    for (const row of rows) {
      const attempt = stamped.attempts.get(row.id);
      if (attempt === undefined) {
        // Cancelled, moved to another gateway or settled by a receipt since it was read.
        this.#known.delete(row.id);
        this.#breaker.cancelProbe(row.id);
        continue;
      }
      const one = this.#one(row, attempt);
      this.#running.add(one);
      void one.finally(() => this.#running.delete(one));
    }
  }

  async #one(row: Row, attempt: number): Promise<void> {
    const { work, clock } = this.#parts;
    this.#onWire += 1;
    this.#unsettled += 1;
    const sent = await work.send(row, attempt, this.#abort.signal);
    this.#onWire -= 1;
    const verdict = this.#breaker.record(row.id, sent.health, sent.reason, clock.monotonic());
    const judged = { blamed: verdict.kind === "blame", laneNow: this.#laneNow() };
    if (verdict.kind === "pause") {
      this.#pausedSince ??= clock.now();
      this.#noting = this.#noting.then(() => this.#insist("pause", () => work.pause(verdict)));
    } else if (verdict.kind === "resume") {
      if (this.#pausedSince !== null) this.#pausedMs += Math.max(0, clock.now() - this.#pausedSince);
      this.#pausedSince = null;
      this.#noting = this.#noting.then(() => this.#insist("resume", () => work.resume()));
    }
    this.#wait.set();
    const dueAgain = await this.#insist("settle", () => work.settle(row, attempt, sent.outcome, judged));
    this.#unsettled -= 1;
    this.#known.delete(row.id);
    if (dueAgain != null) {
      this.#nextDue = Math.min(this.#nextDue ?? dueAgain, dueAgain);
      this.#wait.set();
    } else if (this.#stopping || this.#unsettled >= this.#parts.rules.concurrency) this.#wait.set();
  }

  #laneNow(): number {
    const now = this.#parts.clock.now();
    return now - this.#pausedMs - (this.#pausedSince === null ? 0 : now - this.#pausedSince);
  }

  /** Keeps at a storage call until it succeeds: what happened is only known here. Ends with the process. */
  async #insist<T>(what: string, run: () => Promise<T>): Promise<T | null> {
    const { clock, log, state } = this.#parts;
    for (let waitMs = storageRetryMs; ; waitMs = Math.min(waitMs * 2, 10_000)) {
      try {
        return await run();
      } catch (error) {
        log.warn({ lane: state.id, error, what }, "a lane's storage call failed; it is repeated");
        if (this.#abort.signal.aborted) return null;
        await clock.sleep(waitMs, this.#abort.signal);
      }
    }
  }

  #pick(most: number, probe: boolean): Row[] {
    const picked: Row[] = [];
    if (probe) {
      const all = priorities.flatMap((band) => this.#buffers[band]);
      const one = all.find((row) => !this.#breaker.isSuspect(row.id)) ?? all[0];
      if (!one) return [];
      const buffer = this.#buffers[one.band as Priority];
      buffer.splice(buffer.indexOf(one), 1);
      return [one];
    }
    while (picked.length < most) {
      const band = priorityOrder(this.#turns).find((candidate) => this.#buffers[candidate].length > 0);
      if (band === undefined) break;
      this.#turns += 1;
      picked.push(this.#buffers[band].shift()!);
    }
    return picked;
  }

  /** Waits for rows only when there are none; otherwise reads ahead behind the sending. */
  async #fill(now: number): Promise<void> {
    if (this.#nextDue !== null && this.#nextDue <= now) this.#stale = true;
    if (!this.#stale) return;
    const waiting = priorities.reduce<number>((sum, band) => sum + this.#buffers[band].length, 0);
    this.#filling ??= this.#read(now)
      .catch((error) => {
        this.#stale = true;
        throw error;
      })
      .finally(() => {
        this.#filling = null;
        // A turn that found nothing while this was under way has gone to sleep.
        if (this.#waitsForRows) this.#wait.set();
      });
    if (waiting === 0) await this.#filling;
    else this.#filling.catch(() => {});
  }

  async #read(now: number): Promise<void> {
    const { work, clock } = this.#parts;
    this.#stale = false;
    this.#nextDue = null;
    if (clock.monotonic() - this.#restartedAt > restartMs) {
      this.#restartedAt = clock.monotonic();
      for (const band of priorities) this.#places[band] = null;
    }
    const short = priorities.filter((band) => this.#buffers[band].length <= readAhead / 2);
    let more = short.length < priorities.length;
    // Asked together, so that they are one trip to the storage.
    const [next, ...found] = await Promise.all([
      work.nextDue(now),
      ...short.map(async (band) => {
        const limit = readAhead + this.#known.size - this.#buffers[band].length;
        return { band, limit, rows: await work.readDue({ band, now, after: this.#places[band], limit }) };
      }),
    ]);
    for (const { band, limit, rows } of found) {
      for (const row of rows) {
        if (this.#known.has(row.id)) continue;
        this.#known.add(row.id);
        this.#buffers[band].push(row);
      }
      const last = rows.at(-1);
      // What lies before a place (messages that were put back) is looked at once the backlog behind it is read.
      if (rows.length === limit || this.#places[band] !== null) more = true;
      // Rows younger than this may still be joined by others before them.
      this.#places[band] =
        last && rows.length === limit && last.due_at < now - settledAgeMs
          ? { dueAt: last.due_at, id: last.id }
          : null;
    }
    if (more) this.#stale = true;
    // Messages that were put back meanwhile may be due before the next one.
    else if (next !== null) this.#nextDue = Math.min(this.#nextDue ?? next, next);
  }
}
