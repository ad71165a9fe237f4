// Assigns lanes to processes. Each process has one heartbeat row. When the heartbeat of a lane's owner has not changed for the takeover
// time, measured by this process's own monotonic clock, this process claims the lane with a higher fence. The processes share the lanes
// evenly. On SQLite the only process owns them all.

import type { Clock, Log } from "#runtime/runtime.ts";
import { Interval } from "#runtime/waiting/interval.ts";
import type { Database } from "#store/database.ts";
import { findLanesToRecover } from "#store/lanes/due.ts";
import {
  claimLanes,
  deleteProcesses,
  heartbeat,
  type LaneHead,
  type LaneTotals,
  readLanes,
  releaseLanes,
  requestLane,
  withdrawRequest,
} from "#store/lanes/lanes.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { DuePoll } from "./due-poll.ts";
import type { ClaimedLane, OpenLane } from "./open-lane.ts";

const notifyDelayMs = 20;
/** Lanes claimed between two heartbeats, at most: a process that opens thousands still sends its heartbeat in time. */
const claimBatchSize = 500;

interface LanesDeps {
  database: Database;
  clock: Clock;
  log: Log;
  processId: string;
  /** How long an owner may send no heartbeat before its lanes are claimed, ms. */
  takeoverMs: number;
  /** How often this process sends its heartbeat, ms. */
  heartbeatMs: number;
  /** How often to look for due rows on the lanes of this process, in case a notification is lost, ms. */
  pollMs: number;
  /** Starts a lane that this process now owns; null if it cannot be opened (its gateway was deleted). */
  open(lane: ClaimedLane): Promise<OpenLane | null>;
  /** Settles the attempts that an earlier owner left without an outcome on a lane that cannot be opened. */
  recover(lane: LanesTable): Promise<void>;
  /** A row is due `at` (epoch ms; undefined for now) on a lane of another process. `polled`: repeated until the row is gone. */
  onRemoteDue?(laneId: string, due: { at: number | undefined; polled: boolean }): void;
}

export class Lanes {
  readonly #deps: LanesDeps;
  readonly #open = new Map<string, { lane: OpenLane; revision: number }>();
  /** The last heartbeat seen of each process, and when it was seen first (monotonic ms). */
  readonly #heartbeats = new Map<string, { heartbeat: number; since: number }>();
  readonly #pendingNotifications = new Set<string>();
  readonly #turns: Interval;
  readonly #stopping = new AbortController();
  readonly #closing = new Map<Promise<void>, OpenLane>();
  /** Lanes being released: this process owns them until what is in flight is settled. */
  readonly #beingReleased = new Set<string>();
  /** Lanes that could not be opened when they were last claimed. */
  readonly #unopenable = new Set<string>();
  /** Lanes that this process needs to own, because it holds their gateways' connections. */
  readonly #requested = new Set<string>();
  /** Lanes that have stopped and that this process still owns. */
  #stopped: OpenLane[] = [];
  #releasing: Promise<void> | null = null;
  /** The last turn ran to its end, so `#open` holds every lane that this process owns. */
  #inSync = false;
  readonly #poll: DuePoll;

  constructor(deps: LanesDeps) {
    this.#deps = deps;
    const { database, clock, log, pollMs, heartbeatMs: ms } = deps;
    this.#turns = new Interval({
      clock,
      log,
      ms,
      signal: this.#stopping.signal,
      turn: async () => ((await this.#turn()) ? 0 : ms),
      failure: {
        event: "lanes.turn_failed",
        message: "The lanes could not be looked after; the next heartbeat tries again.",
      },
    });
    this.#poll = new DuePoll({ database, clock, log, pollMs, due: (id, at) => this.#wakeHere(id, at, true) });
  }

  /** Starts claiming lanes. Resolves when the first share of them is being driven. */
  async start(): Promise<void> {
    this.#deps.database.onNotify((topic) => {
      if (topic === "lanes") this.#turns.wake();
      else if (topic.startsWith("lane ")) this.#wakeHere(topic.slice(5));
    });
    while (await this.#turn());
    this.#poll.start();
    this.#turns.start();
  }

  /** A row is due on this lane at `dueAt` (epoch ms): wakes the lane in the process that owns it. */
  wake(laneId: string, dueAt?: number): void {
    if (this.#wakeHere(laneId, dueAt) || this.#deps.database.engine === "sqlite") return;
    if (this.#pendingNotifications.has(laneId)) return;
    // Many acceptances for one lane cause one notification.
    this.#pendingNotifications.add(laneId);
    void this.#deps.clock.sleep(notifyDelayMs).then(() => {
      this.#pendingNotifications.delete(laneId);
      if (!this.#stopping.signal.aborted) this.#deps.database.notify(`lane ${laneId}`);
    });
  }

  /** Lanes were added, removed or changed: begins a turn now, here and in the other processes. */
  changed(): void {
    this.#turns.wake();
    this.#deps.database.notify("lanes");
  }

  /**
   * Takes a lane from its owner, and keeps it until `unwant`: this process holds what its gateway needs, such as a
   * device's socket. Resolves when the request is stored; the lane follows as soon as its owner has let go of it.
   */
  async want(laneId: string): Promise<void> {
    this.#requested.add(laneId);
    if (this.#open.has(laneId)) return;
    const { database, processId } = this.#deps;
    await database.run(requestLane, { id: laneId, processId });
    this.changed();
  }

  /** This process no longer needs the lane more than any other. */
  async unwant(laneId: string): Promise<void> {
    if (!this.#requested.delete(laneId)) return;
    const { database, processId } = this.#deps;
    await database.run(withdrawRequest, { id: laneId, processId });
  }

  get owned(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Stops: no new attempt begins, those in flight have `graceMs` to finish, and the lanes are released. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#turns.ended(), this.#poll.stop()]);
    const lanes = [...this.#open.values()].map(({ lane }) => lane);
    const closing = [...this.#closing];
    const stopped = Promise.all([
      ...lanes.map((lane) => lane.stop()),
      ...closing.map(([closed]) => closed),
    ]).then(() => true);
    const grace = new AbortController();
    const draining = new AbortController();
    const { database, clock, processId, log, heartbeatMs } = this.#deps;
    // Keeps other processes from claiming the lanes while this one waits for attempts in flight.
    const heartbeats = new Interval({
      clock,
      log,
      ms: heartbeatMs,
      signal: draining.signal,
      turn: async () => void (await database.run(heartbeat, { processId, at: clock.now() })),
      failure: { event: "lanes.heartbeat_failed", message: "A heartbeat could not be stored." },
    });
    heartbeats.start();
    const inTime = await Promise.race([stopped, clock.sleep(graceMs, grace.signal).then(() => false)]);
    grace.abort();
    if (!inTime) {
      for (const lane of [...lanes, ...closing.map(([, lane]) => lane)]) lane.abort();
      await stopped;
    }
    draining.abort();
    await heartbeats.ended();
    this.#open.clear();
    try {
      await database.run(releaseLanes, { processId, lanes: lanes.map(({ id, fence }) => ({ id, fence })) });
      await database.run(deleteProcesses, [processId]);
      // Another process can claim them at once.
      database.notify("lanes");
    } catch (error) {
      log.warn(
        { event: "lanes.release_failed", error },
        "The lanes could not be released; another process claims them after the takeover time.",
      );
    }
  }

  #wakeHere(id: string, at?: number, polled = false): boolean {
    const open = this.#open.get(id);
    open?.lane.wake(at);
    if (!open) this.#deps.onRemoteDue?.(id, { at, polled });
    return open !== undefined;
  }

  /** One heartbeat, and what follows from it. Returns whether there are more lanes to claim at once. */
  async #turn(): Promise<boolean> {
    const { database, clock, processId } = this.#deps;
    const { processes, holdings } = await database.run(heartbeat, { processId, at: clock.now() });
    const alive = this.#aliveProcesses(processes);
    if (this.#inSync && this.#isUnchanged(holdings, alive)) {
      await this.#deleteDead(processes, alive, new Set(holdings.map(({ owner }) => owner)));
      return false;
    }
    this.#inSync = false;
    const lanes = await database.run(readLanes, null);
    const active = lanes.filter((lane) => lane.active === 1);
    this.#dropLost(lanes);
    const mine = active.filter(({ id }) => this.#open.has(id));

    const share = Math.ceil(active.length / alive.size);
    const free = active.filter(({ id, owner, wanted_by }) => {
      if (wanted_by !== null && wanted_by !== processId && alive.has(wanted_by)) return false;
      if (owner === processId) return !this.#open.has(id) && !this.#beingReleased.has(id);
      return owner === null || !alive.has(owner);
    });
    // Lanes that could not be opened come last, the longest untried first, so that they do not delay the others.
    const requested = free.filter(({ id }) => this.#requested.has(id));
    const others = free.filter(({ id }) => !this.#requested.has(id));
    const untried = others.filter(({ id }) => !this.#unopenable.has(id));
    const byId = new Map(others.map((lane) => [lane.id, lane]));
    const retried = [...this.#unopenable].flatMap((id) => byId.get(id) ?? []);
    const room = Math.max(0, share - mine.length - requested.length);
    // What is requested here is claimed beyond this process's share too.
    const batch = [...requested, ...[...untried, ...retried].slice(0, room)].slice(0, claimBatchSize);
    if (batch.length > 0)
      await this.#openClaimed(await database.run(claimLanes, { processId, lanes: batch }));
    await this.#recoverInactive(lanes, alive);
    // Dead processes are deleted once they own nothing, so that they take no share of the lanes.
    await this.#deleteDead(processes, alive, new Set(lanes.map(({ owner }) => owner)));

    // A new process gets its share; the busiest lanes stay where they are.
    const surplus = mine.length - share;
    if (surplus > 0 && free.length === 0) {
      const leastBusy = [...this.#open.values()]
        .filter(({ lane }) => !this.#requested.has(lane.id))
        .sort((a, b) => a.lane.inFlight - b.lane.inFlight)
        .slice(0, surplus);
      for (const { lane } of leastBusy) this.#releaseAfterStop(lane);
    }
    this.#inSync = true;
    return requested.length + Math.min(untried.length, room) > batch.length;
  }

  /**
   * Whether the sums say that no lane has changed for this process, so that reading them all can be skipped. The sums are
   * exact about its own lanes: others can only claim or delete them, which changes their number, and a fence or a revision
   * only grows.
   */
  #isUnchanged(holdings: readonly LaneTotals[], alive: ReadonlySet<string>): boolean {
    const held = { lanes: 0, fences: 0, revisions: 0 };
    let active = 0;
    for (const { owner, active: isActive, lanes, fences, revisions } of holdings) {
      if (isActive === 1) active += lanes;
      if (owner === this.#deps.processId) {
        if (isActive === 0) return false;
        Object.assign(held, { lanes, fences, revisions });
      } else if (owner === null ? isActive === 1 : !alive.has(owner)) return false;
    }
    if (held.lanes > Math.max(Math.ceil(active / alive.size), this.#requested.size)) return false;
    for (const { lane, revision } of this.#open.values()) {
      held.lanes -= 1;
      held.fences -= lane.fence;
      held.revisions -= revision;
    }
    return held.lanes === 0 && held.fences === 0 && held.revisions === 0;
  }

  async #deleteDead(
    processes: readonly { id: string }[],
    alive: ReadonlySet<string>,
    owners: ReadonlySet<string | null>,
  ): Promise<void> {
    const dead = processes.filter(({ id }) => !alive.has(id) && !owners.has(id)).map(({ id }) => id);
    if (dead.length > 0) await this.#deps.database.run(deleteProcesses, dead);
  }

  /**
   * Lanes that were switched off while a process that is now dead had messages of theirs in flight. No process will drive
   * them, so only the attempts without an outcome are settled. A lane that was given back cleanly has no owner.
   */
  async #recoverInactive(lanes: readonly LaneHead[], alive: ReadonlySet<string>): Promise<void> {
    const { database, processId, recover } = this.#deps;
    const inactive = lanes.filter(({ id, active, owner }) => {
      if (active === 1 || owner === null) return false;
      return owner === processId ? !this.#open.has(id) && !this.#beingReleased.has(id) : !alive.has(owner);
    });
    if (inactive.length === 0) return;
    for (const row of await database.run(claimLanes, { processId, lanes: inactive })) {
      await recover(row);
      await database.run(releaseLanes, { processId, lanes: [{ id: row.id, fence: row.fence }] });
    }
  }

  /** When this process last saw a new heartbeat of each process that has one, epoch ms by id. */
  heartbeatsSeen(): ReadonlyMap<string, number> {
    const { clock } = this.#deps;
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    return new Map([...this.#heartbeats].map(([id, { since }]) => [id, now - (monotonic - since)]));
  }

  /** The ids of the processes that are alive, this one included. */
  #aliveProcesses(processes: readonly { id: string; heartbeat: number }[]): Set<string> {
    const { clock, processId, takeoverMs, database } = this.#deps;
    const now = clock.monotonic();
    const alive = new Set<string>([processId]);
    for (const { id, heartbeat: count } of processes) {
      const seen = this.#heartbeats.get(id);
      if (!seen || seen.heartbeat !== count) this.#heartbeats.set(id, { heartbeat: count, since: now });
      const silent = now - (this.#heartbeats.get(id)?.since ?? now);
      // On SQLite the lock of the file proves that every other process is dead.
      if (id !== processId && database.engine === "postgres" && silent < takeoverMs) alive.add(id);
    }
    const ids = new Set(processes.map(({ id }) => id));
    for (const id of this.#heartbeats.keys()) if (!ids.has(id)) this.#heartbeats.delete(id);
    return alive;
  }

  /** Stops driving lanes that were lost, switched off or changed; a changed lane is opened again. */
  #dropLost(lanes: readonly LaneHead[]): void {
    const { processId, log } = this.#deps;
    const heads = new Map(lanes.map((head) => [head.id, head]));
    for (const id of this.#unopenable) if (!heads.has(id)) this.#unopenable.delete(id);
    for (const [id, { lane, revision }] of [...this.#open]) {
      const head = heads.get(id);
      if (!head || head.owner !== processId || head.fence !== lane.fence) {
        log.warn({ event: "lane.lost", lane: id }, "Another process claimed a lane of this one.");
        this.#open.delete(id);
        this.#close(lane, lane.stop());
      } else if (head.active === 0 || head.revision !== revision) {
        this.#releaseAfterStop(lane);
      }
    }
  }

  #releaseAfterStop(lane: OpenLane): void {
    this.#open.delete(lane.id);
    this.#beingReleased.add(lane.id);
    this.#close(
      lane,
      lane.stop().then(
        () => {
          this.#stopped.push(lane);
          this.#releasing ??= this.#release();
          return this.#releasing;
        },
        (error) => {
          this.#beingReleased.delete(lane.id);
          throw error;
        },
      ),
    );
  }

  /** Releases the lanes that have stopped, together: the share of a new process can be thousands. */
  async #release(): Promise<void> {
    const { database, processId, log } = this.#deps;
    // Lanes that stop in this turn of the event loop are released together.
    await new Promise((resolve) => setImmediate(resolve));
    const lanes = this.#stopped;
    this.#stopped = [];
    this.#releasing = null;
    try {
      await database.run(releaseLanes, { processId, lanes: lanes.map(({ id, fence }) => ({ id, fence })) });
    } catch (error) {
      const fields = { event: "lanes.release_failed", error, lanes: lanes.length };
      log.warn(fields, "Lanes could not be released; this process claims them again.");
    }
    for (const { id } of lanes) this.#beingReleased.delete(id);
    // Another process may claim them, or this one opens them again with their new settings.
    this.changed();
  }

  #close(lane: OpenLane, closing: Promise<void>): void {
    const settled = closing.catch((error) => {
      this.#deps.log.warn({ event: "lane.close_failed", error }, "A lane did not close cleanly.");
    });
    this.#closing.set(settled, lane);
    void settled.finally(() => this.#closing.delete(settled));
  }

  /** Opens lanes concurrently: their reads share trips to the storage. */
  async #openClaimed(rows: readonly LanesTable[]): Promise<void> {
    const { database, open, recover } = this.#deps;
    const interrupted = new Set(
      await database.run(
        findLanesToRecover,
        rows.map(({ id }) => id),
      ),
    );
    const results = await Promise.allSettled(
      rows.map(async (row) => {
        const lane = await open({ ...row, interrupted: interrupted.has(row.id) });
        this.#unopenable.delete(row.id);
        if (lane) this.#open.set(row.id, { lane, revision: row.revision });
        else {
          this.#unopenable.add(row.id);
          await recover(row);
        }
      }),
    );
    this.#poll.pollNow();
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
}
