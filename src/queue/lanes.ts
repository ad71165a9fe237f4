// Which process drives which lane. Each process shows that it lives by one beat row; a lane whose owner's
// beat has not changed for the takeover time, on this process's own monotonic clock, is taken with a higher
// fence. Lanes are shared out evenly. On SQLite the one process owns them all.

import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { findLeft } from "#store/lanes/due.ts";
import {
  beat,
  claimLanes,
  forgetProcesses,
  type Holding,
  type LaneHead,
  readLanes,
  releaseLanes,
} from "#store/lanes/lanes.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { DuePoll } from "./due-poll.ts";

const hintDelayMs = 20;
/** Lanes that are taken between two beats at the most: a process that opens thousands goes on showing that it lives. */
const takenAtOnce = 500;

/** A lane that is being driven. */
export interface OpenLane {
  id: string;
  fence: number;
  inFlight: number;
  wake(dueAt?: number): void;
  stop(): Promise<void>;
  abort(): void;
}

/**
 * A lane as it was taken. `known` is what was found out about many lanes at once: whether an earlier owner left messages
 * stamped on it. A lane that is opened with it reads nothing before `wake`.
 */
export interface ClaimedLane extends LanesTable {
  known?: { left: boolean };
}

export interface LanesParts {
  database: Database;
  clock: Clock;
  log: Log;
  processId: string;
  /** How long an owner may be silent before its lanes are taken, ms. */
  takeoverMs: number;
  /** How often this process beats, ms. */
  heartbeatMs: number;
  /** How often to look for what is due on the lanes of this process, should a hint get lost, ms. */
  pollMs: number;
  /** Starts driving a lane that this process owns now; null when it cannot be (its gateway is gone). */
  open(lane: ClaimedLane): Promise<OpenLane | null>;
  /** Classifies what an earlier owner left stamped on a lane that is not driven any more. */
  recover(lane: LanesTable): Promise<void>;
}

export class Lanes {
  readonly #parts: LanesParts;
  readonly #open = new Map<string, { lane: OpenLane; revision: number }>();
  /** The last beat seen of each process, and when it was seen first (monotonic ms). */
  readonly #beats = new Map<string, { beat: number; since: number }>();
  readonly #hints = new Set<string>();
  #nudge = new AbortController();
  #stopping = false;
  #ended: Promise<void> | null = null;
  readonly #closing = new Map<Promise<void>, OpenLane>();
  /** Lanes being given up: still in this process's name until what is on the wire is settled. */
  readonly #leaving = new Set<string>();
  /** Lanes that could not be opened when they were last taken. */
  readonly #refused = new Set<string>();
  /** Lanes that have stopped and are still in this process's name. */
  #stopped: OpenLane[] = [];
  #releasing: Promise<void> | null = null;
  /** The last turn ran to its end, so what this process holds is what it knows of. */
  #sure = false;
  readonly #poll: DuePoll;

  constructor(parts: LanesParts) {
    this.#parts = parts;
    const { database, clock, log, pollMs } = parts;
    const due = (id: string, dueAt: number) => this.#open.get(id)?.lane.wake(dueAt);
    this.#poll = new DuePoll({ database, clock, log, pollMs, due });
  }

  /** Starts owning lanes. Resolves when the first share of them is being driven. */
  async start(): Promise<void> {
    this.#parts.database.onAnnounced((topic) => this.#heard(topic));
    while (await this.#turn());
    this.#poll.start();
    this.#ended = this.#run();
  }

  /** Something is or becomes due on this lane at `dueAt` (epoch ms): here, or wherever it is driven. */
  wake(laneId: string, dueAt?: number): void {
    const here = this.#open.get(laneId);
    if (here) here.lane.wake(dueAt);
    else if (this.#parts.database.engine === "postgres" && !this.#hints.has(laneId)) {
      // Many acceptances for one lane make one hint.
      this.#hints.add(laneId);
      void this.#parts.clock.sleep(hintDelayMs).then(() => {
        this.#hints.delete(laneId);
        if (!this.#stopping) this.#parts.database.announce(`lane ${laneId}`);
      });
    }
  }

  /** Lanes were added, removed or changed: look now, here and in the other processes. */
  changed(): void {
    this.#nudge.abort();
    this.#parts.database.announce("lanes");
  }

  get owned(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Stops: nothing new is stamped; what is on the wire gets `graceMs` to finish; the lanes are given up. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#nudge.abort();
    await Promise.all([this.#ended, this.#poll.stop()]);
    const lanes = [...this.#open.values()].map(({ lane }) => lane);
    const closing = [...this.#closing];
    const stopped = Promise.all([
      ...lanes.map((lane) => lane.stop()),
      ...closing.map(([closed]) => closed),
    ]).then(() => true);
    const patience = new AbortController();
    const draining = new AbortController();
    const beating = this.#beatUntil(draining.signal);
    const inTime = await Promise.race([
      stopped,
      this.#parts.clock.sleep(graceMs, patience.signal).then(() => false),
    ]);
    patience.abort();
    if (!inTime) {
      for (const lane of [...lanes, ...closing.map(([, lane]) => lane)]) lane.abort();
      await stopped;
    }
    draining.abort();
    await beating;
    this.#open.clear();
    const { database, processId, log } = this.#parts;
    try {
      await database.run(releaseLanes, { processId, lanes: lanes.map(({ id, fence }) => ({ id, fence })) });
      await database.run(forgetProcesses, [processId]);
      // Another process can go on with them at once.
      database.announce("lanes");
    } catch (error) {
      log.warn(
        { error },
        "the lanes could not be given up; another process takes them when this one is silent",
      );
    }
  }

  /** While what is on the wire is waited for, nobody should take its lanes over. */
  async #beatUntil(signal: AbortSignal): Promise<void> {
    const { database, clock, processId, heartbeatMs: beatMs } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(beatMs, signal);
      if (!signal.aborted) await database.run(beat, { processId, at: clock.now() }).catch(() => {});
    }
  }

  #heard(topic: string): void {
    if (topic === "lanes") this.#nudge.abort();
    else if (topic.startsWith("lane ")) this.#open.get(topic.slice(5))?.lane.wake();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#parts.clock.sleep(this.#parts.heartbeatMs, this.#nudge.signal);
      this.#nudge = new AbortController();
      if (this.#stopping) return;
      try {
        while (!this.#stopping && (await this.#turn()));
      } catch (error) {
        this.#parts.log.warn({ error }, "the lanes could not be looked after; they will be in a moment");
      }
    }
  }

  /** One beat, and what follows from it. Returns whether there are more lanes to take at once. */
  async #turn(): Promise<boolean> {
    const { database, clock, processId } = this.#parts;
    const { processes, holdings } = await database.run(beat, { processId, at: clock.now() });
    const alive = this.#judge(processes);
    if (this.#sure && this.#nothingToDo(holdings, alive)) {
      await this.#forget(processes, alive, new Set(holdings.map(({ owner }) => owner)));
      return false;
    }
    this.#sure = false;
    const lanes = await database.run(readLanes, null);
    const active = lanes.filter((lane) => lane.active === 1);
    this.#leave(lanes);
    const mine = active.filter(({ id }) => this.#open.has(id));

    const share = Math.ceil(active.length / alive.size);
    const free = active.filter(({ id, owner }) => {
      if (owner === processId) return !this.#open.has(id) && !this.#leaving.has(id);
      return owner === null || !alive.has(owner);
    });
    // Those that could not be opened come last, the longest untried first, so that they keep nobody waiting.
    const fresh = free.filter(({ id }) => !this.#refused.has(id));
    const others = new Map(free.map((lane) => [lane.id, lane]));
    const again = [...this.#refused].flatMap((id) => others.get(id) ?? []);
    const room = Math.max(0, share - mine.length);
    const now = [...fresh, ...again].slice(0, Math.min(room, takenAtOnce));
    if (now.length > 0) await this.#take(await database.run(claimLanes, { processId, lanes: now }));
    await this.#tidy(lanes, alive);
    // Silent processes are forgotten once they own nothing, so that a dead name does not count for ever.
    await this.#forget(processes, alive, new Set(lanes.map(({ owner }) => owner)));

    // A newcomer gets its share; the lanes that are busiest stay where they are.
    const surplus = mine.length - share;
    if (surplus > 0 && free.length === 0) {
      const idlest = [...this.#open.values()]
        .sort((a, b) => a.lane.inFlight - b.lane.inFlight)
        .slice(0, surplus);
      for (const { lane } of idlest) this.#giveUp(lane);
    }
    this.#sure = true;
    return Math.min(fresh.length, room) > now.length;
  }

  /**
   * Whether the sums say that reading the lanes would lead to nothing. They are exact about this process's own: others
   * can only take lanes away or delete them, which changes their number, and a fence or a revision only grows.
   */
  #nothingToDo(holdings: readonly Holding[], alive: ReadonlySet<string>): boolean {
    const own = { lanes: 0, fences: 0, revisions: 0 };
    let active = 0;
    for (const { owner, active: on, lanes, fences, revisions } of holdings) {
      if (on === 1) active += lanes;
      if (owner === this.#parts.processId) {
        if (on === 0) return false;
        Object.assign(own, { lanes, fences, revisions });
      } else if (owner === null ? on === 1 : !alive.has(owner)) return false;
    }
    if (own.lanes > Math.ceil(active / alive.size)) return false;
    for (const { lane, revision } of this.#open.values()) {
      own.lanes -= 1;
      own.fences -= lane.fence;
      own.revisions -= revision;
    }
    return own.lanes === 0 && own.fences === 0 && own.revisions === 0;
  }

  async #forget(
    processes: readonly { id: string }[],
    alive: ReadonlySet<string>,
    owners: ReadonlySet<string | null>,
  ): Promise<void> {
    const dead = processes.filter(({ id }) => !alive.has(id) && !owners.has(id)).map(({ id }) => id);
    if (dead.length > 0) await this.#parts.database.run(forgetProcesses, dead);
  }

  /**
   * Lanes that were switched off while a process that is dead now had messages of theirs on the wire: nobody
   * will drive them, so only what was left stamped is classified. A lane that was given up cleanly has no owner.
   */
  async #tidy(lanes: readonly LaneHead[], alive: ReadonlySet<string>): Promise<void> {
    const { database, processId, recover } = this.#parts;
    const left = lanes.filter(({ id, active, owner }) => {
      if (active === 1 || owner === null) return false;
      return owner === processId ? !this.#open.has(id) && !this.#leaving.has(id) : !alive.has(owner);
    });
    if (left.length === 0) return;
    for (const row of await database.run(claimLanes, { processId, lanes: left })) {
      await recover(row);
      await database.run(releaseLanes, { processId, lanes: [{ id: row.id, fence: row.fence }] });
    }
  }

  /** The processes that live, this one included. */
  #judge(processes: readonly { id: string; beat: number }[]): Set<string> {
    const { clock, processId, takeoverMs, database } = this.#parts;
    const now = clock.monotonic();
    const alive = new Set<string>([processId]);
    for (const { id, beat: count } of processes) {
      const seen = this.#beats.get(id);
      if (!seen || seen.beat !== count) this.#beats.set(id, { beat: count, since: now });
      const silent = now - (this.#beats.get(id)?.since ?? now);
      // One SQLite file, one process: its lock proves that every other name is a dead one's.
      if (id !== processId && database.engine === "postgres" && silent < takeoverMs) alive.add(id);
    }
    const names = new Set(processes.map(({ id }) => id));
    for (const id of this.#beats.keys()) if (!names.has(id)) this.#beats.delete(id);
    return alive;
  }

  /** Leaves what was lost, switched off or changed; a changed lane is opened again. */
  #leave(lanes: readonly LaneHead[]): void {
    const { processId, log } = this.#parts;
    const heads = new Map(lanes.map((head) => [head.id, head]));
    for (const id of this.#refused) if (!heads.has(id)) this.#refused.delete(id);
    for (const [id, { lane, revision }] of [...this.#open]) {
      const head = heads.get(id);
      if (!head || head.owner !== processId || head.fence !== lane.fence) {
        log.warn({ lane: id }, "a lane was taken by another process");
        this.#open.delete(id);
        this.#close(lane, lane.stop());
      } else if (head.active === 0 || head.revision !== revision) {
        this.#giveUp(lane);
      }
    }
  }

  #giveUp(lane: OpenLane): void {
    this.#open.delete(lane.id);
    this.#leaving.add(lane.id);
    this.#close(
      lane,
      lane.stop().then(
        () => {
          this.#stopped.push(lane);
          this.#releasing ??= this.#release();
          return this.#releasing;
        },
        (error) => {
          this.#leaving.delete(lane.id);
          throw error;
        },
      ),
    );
  }

  /** Releases the lanes that have stopped, together: a newcomer's share can be thousands. */
  async #release(): Promise<void> {
    const { database, processId, log } = this.#parts;
    // Those that stop in this turn of the event loop go along.
    await new Promise((resolve) => setImmediate(resolve));
    const lanes = this.#stopped;
    this.#stopped = [];
    this.#releasing = null;
    try {
      await database.run(releaseLanes, { processId, lanes: lanes.map(({ id, fence }) => ({ id, fence })) });
    } catch (error) {
      log.warn({ error, lanes: lanes.length }, "lanes could not be given up; this process takes them again");
    }
    for (const { id } of lanes) this.#leaving.delete(id);
    // Another process may have room for them, or this one opens them again with their new settings.
    this.changed();
  }

  #close(lane: OpenLane, closing: Promise<void>): void {
    const settled = closing.catch((error) => {
      this.#parts.log.warn({ error }, "a lane did not close cleanly");
    });
    this.#closing.set(settled, lane);
    void settled.finally(() => this.#closing.delete(settled));
  }

  /** Opens lanes side by side: their reads share trips to the storage. */
  async #take(rows: readonly LanesTable[]): Promise<void> {
    const { database, open, recover } = this.#parts;
    const left = new Set(
      await database.run(
        findLeft,
        rows.map(({ id }) => id),
      ),
    );
    const taken = await Promise.allSettled(
      rows.map(async (row) => {
        const lane = await open({ ...row, known: { left: left.has(row.id) } });
        this.#refused.delete(row.id);
        if (lane) this.#open.set(row.id, { lane, revision: row.revision });
        else {
          this.#refused.add(row.id);
          await recover(row);
        }
      }),
    );
    this.#poll.pollNow();
    for (const one of taken) if (one.status === "rejected") throw one.reason;
  }
}
