// What a lane drives, in memory: rows that wait, and a record of everything that the lane did with them.
// Storage can be made to fail; each attempt is answered by `answer`, at once or when the test says so.

import type { Health } from "#queue/breaker.ts";
import { Lane } from "#queue/lane.ts";
import type { BreakerWork, LaneRow, LaneRules, LaneState, LaneWork } from "#queue/lane-work.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import type { Clock } from "#runtime/runtime.ts";
import { seededRandom } from "../harness.ts";
import { memoryLog } from "../log.ts";

export interface Row extends LaneRow {
  attempts: number;
}

/** The outcome of an attempt (`done`, or due again after so many ms) and what it says about the gateway. */
export type Outcome = ({ kind: "done" } | { kind: "again"; afterMs: number } | { kind: "lost" }) & {
  health: Health;
  reason: string;
};

type Call = "readDue" | "nextDue" | "begin" | "revert" | "recover" | "settle" | "pause" | "resume";

export interface FakeWork extends LaneWork<Row, Outcome> {
  breaker: BreakerWork<Row, Outcome>;
  /** Rows that wait, by id. */
  waiting: Map<string, Row>;
  begun: Set<string>;
  /** Ids in the order in which they were sent, with the time of each. */
  sent: { id: string; attempt: number; at: number }[];
  settled: { id: string; kind: Outcome["kind"]; rejectMessage: boolean; laneNow: number }[];
  pauses: { forMs: number | null; pauses: number; reason: string }[];
  resumed: number;
  calls: Record<Call, number>;
  /** How many of the next calls of these names throw. */
  fail: Partial<Record<Call, number>>;
  /** The next attempts to begin are stored, but the answer is lost. */
  loseBeginAnswer: boolean;
  /** What every `beginAttempts` is answered instead. */
  refusal: "fenced" | "paused" | null;
  /** How many attempts were on the wire at once, at most. */
  maxOnWire: number;
  /** What each row counts towards the rate. */
  weight: number;
  answer: (row: Row, attempt: number, signal: AbortSignal) => Promise<Outcome> | Outcome;
  add(...rows: Partial<Row>[]): void;
}

export const well: Outcome = { kind: "done", health: "healthy", reason: "" };
export const bad = (health: Health, afterMs = 0): Outcome => ({
  kind: "again",
  afterMs,
  health,
  reason: `it is ${health}`,
});

export function fakeWork(clock: Clock): FakeWork {
  let made = 0;
  let onWire = 0;
  const known = new Map<string, Row>();
  const call = (name: Call) => {
    work.calls[name] += 1;
    const left = work.fail[name] ?? 0;
    if (left === 0) return;
    work.fail[name] = left - 1;
    throw new Error(`storage failed on ${name}`);
  };
  const order = (a: Row, b: Row) => a.due_at - b.due_at || (a.id < b.id ? -1 : 1);
  const work: FakeWork = {
    waiting: new Map(),
    begun: new Set(),
    sent: [],
    settled: [],
    pauses: [],
    resumed: 0,
    calls: { readDue: 0, nextDue: 0, begin: 0, revert: 0, recover: 0, settle: 0, pause: 0, resume: 0 },
    fail: {},
    loseBeginAnswer: false,
    refusal: null,
    maxOnWire: 0,
    weight: 1,
    weightOf: () => work.weight,
    answer: () => well,
    add: (...rows) => {
      for (const added of rows) {
        made += 1;
        const row = {
          id: `m${String(made).padStart(6, "0")}`,
          priority: 0,
          due_at: clock.now(),
          attempts: 0,
          ...added,
        };
        known.set(row.id, row);
        work.waiting.set(row.id, row);
      }
    },
    readDue: async ({ priority, now, after, limit }) => {
      call("readDue");
      return [...work.waiting.values()]
        .filter((row) => row.priority === priority && row.due_at <= now)
        .filter(
          (row) => !after || row.due_at > after.dueAt || (row.due_at === after.dueAt && row.id > after.id),
        )
        .sort(order)
        .slice(0, limit)
        .map((row) => ({ ...row }));
    },
    nextDue: async (now) => {
      call("nextDue");
      const later = [...work.waiting.values()].filter((row) => row.due_at > now).sort(order);
      return later[0]?.due_at ?? null;
    },
    beginAttempts: async (rows) => {
      call("begin");
      if (work.refusal !== null) return { kind: work.refusal };
      const attempts = new Map<string, number>();
      for (const { id } of rows) {
        const row = work.waiting.get(id);
        if (!row) continue;
        work.waiting.delete(id);
        work.begun.add(id);
        row.attempts += 1;
        attempts.set(id, row.attempts);
      }
      if (work.loseBeginAnswer) {
        work.loseBeginAnswer = false;
        throw new Error("the answer was lost");
      }
      return { kind: "begun", attempts };
    },
    revertAttempts: async (ids) => {
      call("revert");
      for (const id of ids) {
        if (!work.begun.delete(id)) continue;
        const row = known.get(id)!;
        row.attempts -= 1;
        work.waiting.set(id, row);
      }
    },
    recover: async () => call("recover"),
    send: async (row, attempt, signal) => {
      work.sent.push({ id: row.id, attempt, at: clock.now() });
      onWire += 1;
      work.maxOnWire = Math.max(work.maxOnWire, onWire);
      const result = await work.answer(row, attempt, signal);
      onWire -= 1;
      return result;
    },
    settle: async (row, _attempt, outcome, context) => {
      call("settle");
      work.settled.push({ id: row.id, kind: outcome.kind, ...context });
      work.begun.delete(row.id);
      if (outcome.kind !== "again" || context.rejectMessage) return null;
      const dueAt = clock.now() + outcome.afterMs;
      work.waiting.set(row.id, Object.assign(known.get(row.id)!, { due_at: dueAt }));
      return dueAt;
    },
    breaker: {
      healthOf: (outcome) => outcome,
      pause: async (pause) => {
        call("pause");
        work.pauses.push({ forMs: pause.forMs, pauses: pause.pauses, reason: pause.reason });
      },
      resume: async () => {
        call("resume");
        work.resumed += 1;
      },
    },
  };
  return work;
}

export interface Driven {
  clock: MovableClock;
  work: FakeWork;
  lane: Lane<Row, Outcome>;
  /** Ids sent so far. */
  sentIds(): string[];
}

const dayMs = 86_400_000;
const dayOf = (now: number) => ({
  name: String(Math.floor(now / dayMs)),
  endsAt: (Math.floor(now / dayMs) + 1) * dayMs,
});

/** A lane over fake work; `prepare` fills it before the lane starts. */
export function drive(
  options: {
    rules?: Partial<LaneRules>;
    state?: Partial<LaneState>;
    perDay?: number;
    maxWaitMs?: number;
    interrupted?: boolean;
    suspended?: boolean;
    prepare?: (work: FakeWork, clock: MovableClock) => void;
  } = {},
): Driven {
  const clock = movableClock();
  const work = fakeWork(clock);
  options.prepare?.(work, clock);
  const lane = new Lane({
    work,
    rules: {
      concurrency: 8,
      dailyCap: options.perDay === undefined ? null : { limit: options.perDay, day: dayOf },
      ...options.rules,
    },
    state: {
      id: "gw_1",
      fence: 1,
      ...options.state,
    },
    clock,
    random: seededRandom().random,
    log: memoryLog(),
    maxWaitMs: options.maxWaitMs ?? 60_000,
    interrupted: options.interrupted,
    suspended: options.suspended ?? false,
  });
  return { clock, work, lane, sentIds: () => work.sent.map(({ id }) => id) };
}

/** A promise, and what ends it. */
export function gate<T>(): { opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
