// Several processes that share lanes: each with its own database connection and its own clock, so that one
// of them can be frozen. The lanes they open are stand-ins that only say what was done to them.

import { maxGateways } from "#contract/limits.ts";
import { Lanes } from "#queue/lanes.ts";
import type { OpenLane } from "#queue/open-lane.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { createAccount } from "#store/accounts/changes.ts";
import type { Database } from "#store/database.ts";
import { findGateway, saveGateway } from "#store/gateways/gateways.ts";
import { readLanes } from "#store/lanes/lanes.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { type EngineName, type Ground, ground } from "../harness.ts";
import { memoryLog } from "../log.ts";

export const heartbeatMs = 5_000;
export const takeoverMs = 45_000;

export interface StandIn extends OpenLane {
  row: LanesTable;
  woken: number;
  stopping: boolean;
  aborted: boolean;
  /** Keeps `stop()` waiting, as a message on the wire does. */
  hold(): void;
  free(): void;
}

export interface Member {
  name: string;
  lanes: Lanes;
  clock: MovableClock;
  /** Every lane that it opened, oldest first. */
  opened: StandIn[];
  /** Lanes that were only classified. */
  recovered: string[];
  announced: string[];
  /** What its storage calls meet. */
  broken: boolean;
  /** Operations whose answer is lost after they were done, once each. */
  loses: Set<string>;
  /** The names of its storage calls, in their order. */
  calls: string[];
  /** Lanes that it cannot open. */
  refuses: Set<string>;
  start(): Promise<void>;
}

function standIn(row: LanesTable): StandIn {
  let release: () => void = () => {};
  let held: Promise<void> | null = null;
  const it: StandIn = {
    id: row.id,
    fence: row.fence,
    inFlight: 0,
    row,
    woken: 0,
    stopping: false,
    aborted: false,
    wake: () => {
      it.woken += 1;
    },
    stop: async () => {
      it.stopping = true;
      await held;
    },
    abort: () => {
      it.aborted = true;
      release();
    },
    hold: () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    free: () => release(),
  };
  return it;
}

export class Fleet {
  readonly #ground: Ground;
  readonly #databases: Database[] = [];
  readonly #running = new Set<Promise<unknown>>();
  readonly members: Member[] = [];
  readonly database: Database;

  private constructor(own: Ground, database: Database) {
    this.#ground = own;
    this.database = database;
    this.#databases.push(database);
  }

  static async make(engine: EngineName, lanes: readonly string[]): Promise<Fleet> {
    const own = await ground(engine);
    const fleet = new Fleet(own, await own.open());
    const account = {
      time_zone: "UTC",
      country: null,
      plan_name: "basic",
      plan_expires_at: null,
      requests_per_minute: null,
      lateness_ms: 259_200_000,
      channel_failover: 0 as const,
      attachment_files: 10,
      attachment_bytes: 10_485_760,
      ai_budget: null,
      revision: 1,
      created_at: 0,
      updated_at: 0,
    };
    for (let at = 1; at <= 1 + Math.ceil(lanes.length / maxGateways); at++)
      await fleet.database.run(createAccount, {
        account: { ...account, id: `acc_${at}`, name: `acme-${at}` },
        allowances: [],
        renews: null,
      });
    for (let i = 0; i < lanes.length; i += 50)
      await Promise.all(lanes.slice(i, i + 50).map((id) => fleet.save(id)));
    return fleet;
  }

  /** Gateways, of which an account has no more than its bound. */
  #made = 0;

  /** Makes a gateway with its lane, or changes it. */
  async save(id: string, active = true): Promise<void> {
    const stored = await this.database.run(findGateway, id);
    await this.database.run(saveGateway, {
      id,
      account_id: stored?.account_id ?? `acc_${1 + Math.floor(this.#made++ / maxGateways)}`,
      identifier: id,
      channel: "sms",
      kind: "sandbox",
      active: active ? 1 : 0,
      is_default: 0,
      test: 0,
      settings: "",
      rules: "",
      counting: null,
      mail_sender: null,
      draining_at: null,
      revision: stored?.revision ?? 0,
      created_at: 0,
      updated_at: 0,
    });
  }

  /** A process; on SQLite all share the one connection that there can be. */
  async member(name: string): Promise<Member> {
    let database = this.database;
    if (this.#ground.engine === "postgres") {
      database = await this.#ground.open();
      this.#databases.push(database);
    }
    const clock = movableClock(undefined, { idle: () => this.#idle() });
    const run: Database["run"] = (operation, input) => {
      if (member.broken) return Promise.reject(new Error("storage is away"));
      member.calls.push(operation.name);
      const lost = member.loses.delete(operation.name);
      const call = database.run(operation, input).then((output) => {
        if (lost) throw new Error("the answer was lost");
        return output;
      });
      this.#running.add(call);
      const done = () => this.#running.delete(call);
      call.then(done, done);
      return call;
    };
    const announce = (topic: string) => {
      member.announced.push(topic);
      database.notify(topic);
    };
    const member: Member = {
      name,
      clock,
      opened: [],
      recovered: [],
      announced: [],
      broken: false,
      loses: new Set(),
      calls: [],
      refuses: new Set(),
      start: () => member.lanes.start(),
      lanes: new Lanes({
        database: { ...database, run, notify: announce },
        clock,
        log: memoryLog(),
        processId: name,
        takeoverMs,
        heartbeatMs,
        pollMs: 60_000,
        recover: async (row) => {
          member.recovered.push(row.id);
        },
        open: async (row) => {
          if (member.refuses.has(row.id)) return null;
          const lane = standIn(row);
          member.opened.push(lane);
          return lane;
        },
      }),
    };
    this.members.push(member);
    return member;
  }

  async started(name: string): Promise<Member> {
    const member = await this.member(name);
    await member.start();
    return member;
  }

  async #idle(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet++) {
      while (this.#running.size > 0) {
        quiet = 0;
        await Promise.allSettled(this.#running);
      }
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Moves the clocks of these processes on together, a beat at a time. */
  async beats(count: number, ...members: Member[]): Promise<void> {
    for (let i = 0; i < count; i++) for (const member of members) await member.clock.advance(heartbeatMs);
  }

  async settle(): Promise<void> {
    for (const { clock } of this.members) await clock.settle();
  }

  /** Owner and fence of each lane, as stored. */
  async owners(): Promise<Map<string, { owner: string | null; fence: number }>> {
    const lanes = await this.database.run(readLanes, null);
    return new Map(lanes.map(({ id, owner, fence }) => [id, { owner, fence }]));
  }

  async close(): Promise<void> {
    for (const member of this.members) {
      member.broken = false;
      for (const lane of member.opened) lane.free();
      const stopping = member.lanes.stop(1000).catch(() => {});
      await Promise.race([stopping, member.clock.advance(10_000)]);
      await stopping;
    }
    for (const database of this.#databases) await database.close();
    await this.#ground.remove();
  }
}
