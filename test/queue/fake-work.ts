// What a lane drives, in memory: rows that wait, and a record of everything that the lane did with them.
// Storage can be told to fail; each hand-over is answered by `answer`, at once or when the test says so.

import type { Health } from "#queue/breaker.ts";
import {
  Lane,
  type LaneRow,
  type LaneRules,
  type LaneState,
  type LaneWork,
  type SendResult,
} from "#queue/lane.ts";
import type { Clock } from "#runtime/runtime.ts";
import { type MovableClock, movableClock } from "../clock.ts";
import { seededRandom } from "../harness.ts";
import { memoryLog } from "../log.ts";

export interface Row extends LaneRow {
  attempts: number;
}

/** What became of a hand-over: `done`, or due again after so many ms. */
export type Outcome = { kind: "done" } | { kind: "again"; afterMs: number } | { kind: "lost" };

type Call = "readDue" | "nextDue" | "stamp" | "unstamp" | "recover" | "settle" | "pause" | "resume";

export interface FakeWork extends LaneWork<Row, Outcome> {
  /** Rows that wait, by id. */
  waiting: Map<string, Row>;
  stamped: Set<string>;
  /** Ids in the order of hand-over, with when. */
  sent: { id: string; attempt: number; at: number }[];
  settled: { id: string; outcome: Outcome; blamed: boolean; laneNow: number }[];
  pauses: { forMs: number; pauses: number; reason: string }[];
  resumed: number;
  calls: Record<Call, number>;
  /** Throws for the next calls of these names, as often as said. */
  fail: Partial<Record<Call, number>>;
  /** After this, the next stamp is stored, but its answer is lost. */
  loseStampAnswer: boolean;
  fenced: boolean;
  /** The lane's most at once so far. */
  mostOnWire: number;
  answer: (
    row: Row,
    attempt: number,
    signal: AbortSignal,
  ) => Promise<SendResult<Outcome>> | SendResult<Outcome>;
  add(...rows: Partial<Row>[]): void;
}

export const well: SendResult<Outcome> = { outcome: { kind: "done" }, health: "well", reason: "" };
export const bad = (health: Health, afterMs = 0): SendResult<Outcome> => ({
  outcome: { kind: "again", afterMs },
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
    stamped: new Set(),
    sent: [],
    settled: [],
    pauses: [],
    resumed: 0,
    calls: { readDue: 0, nextDue: 0, stamp: 0, unstamp: 0, recover: 0, settle: 0, pause: 0, resume: 0 },
    fail: {},
    loseStampAnswer: false,
    fenced: false,
    mostOnWire: 0,
    answer: () => well,
    add: (...rows) => {
      for (const given of rows) {
        made += 1;
        const row = {
          id: `m${String(made).padStart(6, "0")}`,
          band: 0,
          due_at: clock.now(),
          attempts: 0,
          ...given,
        };
        known.set(row.id, row);
        work.waiting.set(row.id, row);
      }
    },
    readDue: async ({ band, now, after, limit }) => {
      call("readDue");
      return [...work.waiting.values()]
        .filter((row) => row.band === band && row.due_at <= now)
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
      call("stamp");
      if (work.fenced) return { kind: "fenced" };
      const attempts = new Map<string, number>();
      for (const { id } of rows) {
        const row = work.waiting.get(id);
        if (!row) continue;
        work.waiting.delete(id);
        work.stamped.add(id);
        row.attempts += 1;
        attempts.set(id, row.attempts);
      }
      if (work.loseStampAnswer) {
        work.loseStampAnswer = false;
        throw new Error("the answer of a stamp was lost");
      }
      return { kind: "stamped", attempts };
    },
    revertAttempts: async (ids) => {
      call("unstamp");
      for (const id of ids) {
        if (!work.stamped.delete(id)) continue;
        const row = known.get(id)!;
        row.attempts -= 1;
        work.waiting.set(id, row);
      }
    },
    recover: async () => call("recover"),
    send: async (row, attempt, signal) => {
      work.sent.push({ id: row.id, attempt, at: clock.now() });
      onWire += 1;
      work.mostOnWire = Math.max(work.mostOnWire, onWire);
      const result = await work.answer(row, attempt, signal);
      onWire -= 1;
      return result;
    },
    settle: async (row, _attempt, outcome, judged) => {
      call("settle");
      work.settled.push({ id: row.id, outcome, ...judged });
      work.stamped.delete(row.id);
      if (outcome.kind !== "again" || judged.blamed) return null;
      const dueAt = clock.now() + outcome.afterMs;
      work.waiting.set(row.id, Object.assign(known.get(row.id)!, { due_at: dueAt }));
      return dueAt;
    },
    pause: async (pause) => {
      call("pause");
      work.pauses.push({ forMs: pause.forMs, pauses: pause.pauses, reason: pause.reason });
    },
    resume: async () => {
      call("resume");
      work.resumed += 1;
    },
  };
  return work;
}

export interface Driven {
  clock: MovableClock;
  work: FakeWork;
  lane: Lane<Row, Outcome>;
  /** Ids handed over so far. */
  sentIds(): string[];
}

/** A lane over fake work; `prepare` fills it before the lane starts. */
export function drive(
  options: {
    rules?: Partial<LaneRules>;
    state?: Partial<LaneState>;
    longestWaitMs?: number;
    known?: { left: boolean };
    prepare?: (work: FakeWork, clock: MovableClock) => void;
  } = {},
): Driven {
  const clock = movableClock();
  const work = fakeWork(clock);
  options.prepare?.(work, clock);
  const lane = new Lane({
    work,
    rules: {
      perSecond: null,
      concurrency: 8,
      jitterMs: 0,
      perDay: null,
      sendingWindow: () => ({ open: true }),
      day: (now) => ({
        name: String(Math.floor(now / 86_400_000)),
        endsAt: (Math.floor(now / 86_400_000) + 1) * 86_400_000,
      }),
      ...options.rules,
    },
    state: {
      id: "gw_1",
      fence: 1,
      pauses: 0,
      pausedUntil: null,
      pausedSince: null,
      pausedMs: 0,
      day: null,
      dayCount: 0,
      ...options.state,
    },
    clock,
    fraction: seededRandom().fraction,
    log: memoryLog(),
    maxWaitMs: options.longestWaitMs ?? 60_000,
    known: options.known,
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
