// A lane: all messages that wait for one gateway, sent by the one process that owns the lane. It reads ahead and, as the rate limit allows,
// begins attempts durably, sends the messages outside any transaction, and settles them. A lane knows only when messages are due; its work
// knows what they are. Two mistakes would break it: sending a message whose attempt was not begun under this fence, and losing an outcome
// before it is settled.

import type { Clock, Log } from "#runtime/runtime.ts";
import { AutoResetEvent } from "#runtime/waiting/auto-reset-event.ts";
import type { LaneRow, LaneRules, LaneState, LaneWork } from "./lane-work.ts";
import { Pacer } from "./pace.ts";
import { Pauses } from "./pauses.ts";
import { type Priority, priorities, priorityOrder } from "./priority.ts";
import { retryStorage, storageRetry } from "./retry-storage.ts";

interface LaneDeps<Row extends LaneRow, Outcome> {
  work: LaneWork<Row, Outcome>;
  rules: LaneRules;
  state: LaneState;
  clock: Clock;
  random: () => number;
  log: Log;
  /** The longest wait for a given time, ms, so that the lane notices a change of the wall clock. */
  maxWaitMs: number;
  /**
   * Whether an earlier owner left attempts without an outcome, when that was read for many lanes at once. A lane that
   * knows it reads nothing before `wake`, except to recover. Absent: the lane recovers and reads when it starts.
   */
  interrupted?: boolean | undefined;
  /** The lane sends nothing before the first `resume`, because its gateway's connection is not open yet. */
  suspended?: boolean;
}

const readAhead = 500;
/** A row becomes visible at most this long after its due time, so younger positions of the cursor are read again. */
const visibleAfterMs = 5_000;
/** Cursors start over this often, to find rows that took longer to become visible. */
const restartMs = 30_000;

export class Lane<Row extends LaneRow, Outcome> {
  readonly #deps: LaneDeps<Row, Outcome>;
  readonly #pacer: Pacer;
  readonly #pauses: Pauses<Row, Outcome>;
  readonly #buffers: Record<Priority, Row[]> = { 0: [], 1: [], 2: [] };
  readonly #cursors: Record<Priority, { dueAt: number; id: string } | null> = { 0: null, 1: null, 2: null };
  readonly #loadedIds = new Set<string>();
  readonly #abort = new AbortController();
  readonly #attempts = new Set<Promise<void>>();
  #filling: Promise<void> | null = null;
  #restartedAt = Number.NEGATIVE_INFINITY;
  #turns = 0;
  #sending = 0;
  #unsettled = 0;
  #day: string | null;
  #dayCount: number;
  #stopping = false;
  /** A row that is not in the buffers may be due. */
  #stale: boolean;
  #nextDue: number | null = null;
  readonly #wait = new AutoResetEvent();
  /** The current wait is for a row to become due, not for a slot, the rate limit or the sending hours. */
  #waitsForRows = false;
  readonly #ended: Promise<void>;

  constructor(deps: LaneDeps<Row, Outcome>) {
    const { work, state, rules, clock, random, interrupted, suspended = false } = deps;
    const { perSecond = null, jitterMs = 0 } = rules;
    this.#deps = deps;
    this.#pacer = new Pacer({ perSecond, jitterMs, random });
    const retry = (call: string, write: () => Promise<void>) => this.#retryForever(call, write);
    this.#pauses = new Pauses({ breaker: work.breaker, state: state.pause, suspended, clock, retry });
    this.#day = state.daily?.day ?? null;
    this.#dayCount = state.daily?.count ?? 0;
    this.#stale = interrupted !== false;
    this.#ended = this.#run();
  }

  get id(): string {
    return this.#deps.state.id;
  }

  get fence(): number {
    return this.#deps.state.fence;
  }

  /** Attempts that have begun and are not settled. */
  get inFlight(): number {
    return this.#unsettled;
  }

  /**
   * Rows were added or moved that are due at `dueAt` (epoch ms; without it, perhaps now). The lane reads now, unless it
   * could not send them now anyway, or remembers when to read.
   */
  wake(dueAt = Number.NEGATIVE_INFINITY): void {
    if (dueAt <= this.#deps.clock.now()) this.#stale = true;
    else if (this.#nextDue === null || dueAt < this.#nextDue) this.#nextDue = dueAt;
    else return;
    if (this.#waitsForRows) this.#wait.set();
  }

  /** The gateway's connection is not open: nothing is sent until `resume`; see `Pauses.suspend`. */
  suspend(reason: string | null): void {
    this.#pauses.suspend(reason);
  }

  /** The gateway's connection is open. */
  resume(): void {
    this.#pauses.resume();
    this.#wait.set();
  }

  /** An outcome that was unknown arrived late: ends the pause that unknown outcomes began. */
  answered(id: string): void {
    if (this.#pauses.answered(id)) this.#wait.set();
  }

  /** Begins no new attempt; resolves when those in flight are settled. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wait.set();
    await this.#ended;
    while (this.#attempts.size > 0) await Promise.all(this.#attempts);
    await this.#pauses.stored();
    await this.#deps.work.close?.();
  }

  /** Stops waiting for answers: messages in flight get the outcome `unknown`. */
  abort(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    const { work, interrupted } = this.#deps;
    if (interrupted !== false) await this.#retryForever("recover", async () => work.recover?.());
    while (!this.#stopping) {
      let waitMs: number;
      try {
        waitMs = await this.#turn();
      } catch (error) {
        this.#warn("lane.storage_failed", "A lane could not reach the storage; it retries.", { error });
        waitMs = storageRetry.firstMs;
      }
      if (waitMs > 0 && !this.#stopping) await this.#wait.wait(this.#deps.clock, waitMs);
      this.#waitsForRows = false;
    }
  }

  /** Sends what may be sent now. Returns how long to wait for the next turn, ms: 0 to continue at once, Infinity to wait until woken. */
  async #turn(): Promise<number> {
    const { clock, rules, maxWaitMs } = this.#deps;
    const capped = (ms: number) => Math.min(maxWaitMs, Math.max(1, ms));
    const free = Math.min(
      rules.concurrency - this.#sending,
      Math.max(64, 4 * rules.concurrency) - this.#unsettled,
    );
    if (free <= 0) return maxWaitMs;
    const permit = this.#pauses.permit();
    if (permit.kind === "nothing") return capped(permit.waitMs ?? maxWaitMs);
    const now = clock.now();
    const hours = rules.sendingWindow?.(now) ?? { open: true };
    if (!hours.open) return capped(hours.opensAt - now);
    const day = rules.dailyCap?.day(now);
    const sentToday = this.#day === day?.name ? this.#dayCount : 0;
    const leftToday = rules.dailyCap ? rules.dailyCap.limit - sentToday : Number.POSITIVE_INFINITY;
    if (day && leftToday <= 0) return capped(day.endsAt - now);
    const paced = this.#pacer.available(clock.monotonic());
    if (paced.count === 0) return Math.min(maxWaitMs, paced.waitMs);

    await this.#fill(now);
    if (this.#pauses.isSuspended) return maxWaitMs;
    const isProbe = permit.kind === "probe";
    const rows = isProbe ? this.#pickProbe() : this.#pick(Math.min(free, leftToday, paced.count));
    if (rows.length === 0) {
      if (this.#stale) return 0;
      this.#waitsForRows = true;
      return this.#nextDue === null ? Number.POSITIVE_INFINITY : capped(this.#nextDue - clock.now());
    }
    if (isProbe) this.#pauses.beginProbe(rows[0]!.id);
    await this.#beginAndSend(rows, day?.name ?? null);
    return 0;
  }

  async #beginAndSend(rows: readonly Row[], day: string | null): Promise<void> {
    const { work, clock } = this.#deps;
    let begun: Awaited<ReturnType<typeof work.beginAttempts>>;
    try {
      begun = await work.beginAttempts(rows, day);
    } catch (error) {
      this.#warn("lane.begin_failed", "Attempts could not begin; their messages wait again.", { error });
      // The attempts may be stored although the answer was lost. None was sent, so all of them are reverted.
      const ids = rows.map((row) => row.id);
      await this.#retryForever("revertAttempts", async () => work.revertAttempts?.(ids));
      for (const id of ids) this.#drop(id);
      this.#stale = true;
      throw error;
    }
    if (begun.kind !== "begun") {
      if (begun.kind === "fenced") this.#warn("lane.fenced", "This lane belongs to another process now.");
      this.#stopping = true;
      return;
    }
    let weight = 0;
    for (const row of rows) if (begun.attempts.has(row.id)) weight += work.weightOf?.(row) ?? 1;
    if (weight > 0) this.#pacer.consume(weight, clock.monotonic());
    if (day !== null) {
      this.#dayCount = (this.#day === day ? this.#dayCount : 0) + begun.attempts.size;
      this.#day = day;
    }
    for (const row of rows) {
      const number = begun.attempts.get(row.id);
      if (number === undefined) {
        // Cancelled, moved to another gateway or settled by a receipt since it was read.
        this.#drop(row.id);
        continue;
      }
      const attempt = this.#attempt(row, number);
      this.#attempts.add(attempt);
      void attempt.finally(() => this.#attempts.delete(attempt));
    }
  }

  /** A row that was picked but not sent. */
  #drop(id: string): void {
    this.#loadedIds.delete(id);
    this.#pauses.cancelProbe(id);
  }

  async #attempt(row: Row, number: number): Promise<void> {
    const { work } = this.#deps;
    this.#sending += 1;
    this.#unsettled += 1;
    const outcome = await work.send(row, number, this.#abort.signal);
    this.#sending -= 1;
    const rejectMessage = this.#pauses.record(row, outcome);
    const context = { rejectMessage, laneNow: this.#pauses.laneNow() };
    this.#wait.set();
    const dueAgain = await this.#retryForever("settle", () => work.settle(row, number, outcome, context));
    this.#unsettled -= 1;
    this.#loadedIds.delete(row.id);
    if (dueAgain != null) {
      this.#nextDue = Math.min(this.#nextDue ?? dueAgain, dueAgain);
      this.#wait.set();
    } else if (this.#stopping || this.#unsettled >= this.#deps.rules.concurrency) this.#wait.set();
  }

  /** Repeats a storage call until it succeeds: only this process knows what happened. Ends with the process. */
  #retryForever<T>(call: string, run: () => Promise<T>): Promise<T | null> {
    const message = "A storage call of a lane failed; it is repeated.";
    const failure = { event: "lane.storage_failed", message, lane: this.id, call };
    return retryStorage(this.#deps, this.#abort.signal, failure, run).catch(() => null);
  }

  #warn(event: string, sentence: string, fields: object = {}): void {
    this.#deps.log.warn({ event, lane: this.id, ...fields }, sentence);
  }

  /** The row to probe the gateway with: preferably one that was not refused before. */
  #pickProbe(): Row[] {
    const rows = priorities.flatMap((priority) => this.#buffers[priority]);
    const probe = rows.find((row) => !this.#pauses.isSuspect(row.id)) ?? rows[0];
    if (!probe) return [];
    const buffer = this.#buffers[probe.priority as Priority];
    buffer.splice(buffer.indexOf(probe), 1);
    return [probe];
  }

  #pick(limit: number): Row[] {
    const picked: Row[] = [];
    while (picked.length < limit) {
      const priority = priorityOrder(this.#turns).find((candidate) => this.#buffers[candidate].length > 0);
      if (priority === undefined) break;
      this.#turns += 1;
      picked.push(this.#buffers[priority].shift()!);
    }
    return picked;
  }

  /** Waits for rows only when there are none; otherwise reads ahead while others are sent. */
  async #fill(now: number): Promise<void> {
    if (this.#nextDue !== null && this.#nextDue <= now) this.#stale = true;
    if (!this.#stale) return;
    const isEmpty = priorities.every((priority) => this.#buffers[priority].length === 0);
    this.#filling ??= this.#read(now)
      .catch((error) => {
        this.#stale = true;
        throw error;
      })
      .finally(() => {
        this.#filling = null;
        // A turn that found nothing while this read was under way waits for its rows.
        if (this.#waitsForRows) this.#wait.set();
      });
    if (isEmpty) await this.#filling;
    else this.#filling.catch(() => {});
  }

  async #read(now: number): Promise<void> {
    const { work, clock } = this.#deps;
    this.#stale = false;
    this.#nextDue = null;
    if (clock.monotonic() - this.#restartedAt > restartMs) {
      this.#restartedAt = clock.monotonic();
      for (const priority of priorities) this.#cursors[priority] = null;
    }
    const short = priorities.filter((priority) => this.#buffers[priority].length <= readAhead / 2);
    let more = short.length < priorities.length;
    // Read together, so that they are one trip to the storage.
    const [next, ...pages] = await Promise.all([
      work.nextDue(now),
      ...short.map(async (priority) => {
        const limit = readAhead + this.#loadedIds.size - this.#buffers[priority].length;
        const after = this.#cursors[priority];
        return { priority, limit, rows: await work.readDue({ priority, now, after, limit }) };
      }),
    ]);
    for (const { priority, limit, rows } of pages) {
      for (const row of rows) {
        if (this.#loadedIds.has(row.id)) continue;
        this.#loadedIds.add(row.id);
        this.#buffers[priority].push(row);
      }
      const last = rows.at(-1);
      // What lies before a cursor (messages that were deferred) is read once the backlog behind it is.
      if (rows.length === limit || this.#cursors[priority] !== null) more = true;
      // Rows younger than this may still be joined by others before them.
      this.#cursors[priority] =
        last && rows.length === limit && last.due_at < now - visibleAfterMs
          ? { dueAt: last.due_at, id: last.id }
          : null;
    }
    if (more) this.#stale = true;
    // Messages that were deferred meanwhile may be due before the next one.
    else if (next !== null) this.#nextDue = Math.min(this.#nextDue ?? next, next);
  }
}
