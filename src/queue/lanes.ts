// Which process drives which lane. Each process shows that it lives by one beat row; a lane whose owner's
// beat has not changed for the takeover time, on this process's own monotonic clock, is taken with a higher
// fence. Lanes are shared out evenly. On SQLite the one process owns them all.

import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { beat, claimLanes, forgetProcesses, type LaneHead, releaseLanes } from "#store/lanes.ts";
import type { LanesTable } from "#store/schema.ts";

const hintDelayMs = 20;

/** A lane that is being driven. */
export interface OpenLane {
  id: string;
  fence: number;
  inFlight: number;
  wake(dueAt?: number): void;
  stop(): Promise<void>;
  abort(): void;
}

export interface LanesParts {
  database: Database;
  clock: Clock;
  log: Log;
  processId: string;
  /** How long an owner may be silent before its lanes are taken, ms. */
  takeoverMs: number;
  /** How often this process beats, ms. */
  beatMs: number;
  /** Starts driving a lane that this process owns now; null when it cannot be (its gateway is gone). */
  open(lane: LanesTable): Promise<OpenLane | null>;
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

  constructor(parts: LanesParts) {
    this.#parts = parts;
  }

  /** Starts owning lanes. Resolves when the first share of them is being driven. */
  async start(): Promise<void> {
    this.#parts.database.onAnnounced((topic) => this.#heard(topic));
    await this.#turn();
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
    await this.#ended;
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
    const { database, clock, processId, beatMs } = this.#parts;
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
      await this.#parts.clock.sleep(this.#parts.beatMs, this.#nudge.signal);
      this.#nudge = new AbortController();
      if (this.#stopping) return;
      try {
        await this.#turn();
      } catch (error) {
        this.#parts.log.warn({ error }, "the lanes could not be looked after; they will be in a moment");
      }
    }
  }

  async #turn(): Promise<void> {
    const { database, clock, processId } = this.#parts;
    const { processes, lanes } = await database.run(beat, { processId, at: clock.now() });
    const alive = this.#judge(processes);
    const active = lanes.filter((lane) => lane.active === 1);
    await this.#leave(lanes);
    const mine = active.filter(({ id }) => this.#open.has(id));

    const share = Math.ceil(active.length / alive.size);
    const free = active.filter(({ id, owner }) => {
      if (owner === processId) return !this.#open.has(id) && !this.#leaving.has(id);
      return owner === null || !alive.has(owner);
    });
    const wanted = free.slice(0, Math.max(0, share - mine.length));
    if (wanted.length > 0) {
      for (const row of await database.run(claimLanes, { processId, lanes: wanted })) await this.#take(row);
    }
    await this.#tidy(lanes, alive);
    // Silent processes are forgotten once they own nothing, so that a dead name does not count for ever.
    const dead = processes.filter(({ id }) => !alive.has(id) && !lanes.some((lane) => lane.owner === id));
    if (dead.length > 0)
      await database.run(
        forgetProcesses,
        dead.map(({ id }) => id),
      );

    // A newcomer gets its share; the lanes that are busiest stay where they are.
    const surplus = mine.length - share;
    if (surplus > 0 && free.length === 0) {
      const idlest = [...this.#open.values()]
        .sort((a, b) => a.lane.inFlight - b.lane.inFlight)
        .slice(0, surplus);
      for (const { lane } of idlest) this.#giveUp(lane);
    }
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
  async #leave(lanes: readonly LaneHead[]): Promise<void> {
    const { processId, log } = this.#parts;
    for (const [id, { lane, revision }] of [...this.#open]) {
      const head = lanes.find((candidate) => candidate.id === id);
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
    const { database, processId } = this.#parts;
    this.#open.delete(lane.id);
    this.#leaving.add(lane.id);
    this.#close(
      lane,
      (async () => {
        try {
          await lane.stop();
          await database.run(releaseLanes, { processId, lanes: [{ id: lane.id, fence: lane.fence }] });
        } finally {
          this.#leaving.delete(lane.id);
        }
        // Another process may have room for it, or this one opens it again with its new settings.
        this.changed();
      })(),
    );
  }

  #close(lane: OpenLane, closing: Promise<void>): void {
    const settled = closing.catch((error) => {
      this.#parts.log.warn({ error }, "a lane did not close cleanly");
    });
    this.#closing.set(settled, lane);
    void settled.finally(() => this.#closing.delete(settled));
  }

  async #take(row: LanesTable): Promise<void> {
    const lane = await this.#parts.open(row);
    if (lane) this.#open.set(row.id, { lane, revision: row.revision });
    else await this.#parts.recover(row);
  }
}
