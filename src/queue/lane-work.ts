// What a lane is made for: the rows that it drives, the rules that it keeps, and what is stored of it.

import type { HealthReport } from "./breaker.ts";
import type { Priority } from "./priority.ts";

export interface LaneRow {
  id: string;
  priority: number;
  due_at: number;
}

/** What a lane drives. Everything but `send` is storage, and may throw when storage does. */
export interface LaneWork<Row extends LaneRow, Outcome> {
  /** Writes nothing. Due at `now`, in order of (due_at, id), after a position in it. */
  readDue(query: {
    priority: Priority;
    now: number;
    after: { dueAt: number; id: string } | null;
    limit: number;
  }): Promise<Row[]>;
  nextDue(now: number): Promise<number | null>;
  /** What a row counts towards `perSecond`. Absent: 1. */
  weightOf?(row: Row): number;
  /**
   * Makes it durable that these rows are about to be sent; returns which of them, and the number of each attempt. `fenced`: another
   * process owns the lane. `paused`: an operator paused it since it was opened, so that it is about to be opened again.
   */
  beginAttempts(
    rows: readonly Row[],
    day: string | null,
  ): Promise<{ kind: "begun"; attempts: ReadonlyMap<string, number> } | { kind: "fenced" | "paused" }>;
  /** Undoes attempts that were begun and certainly not sent. Absent: `beginAttempts` writes nothing. */
  revertAttempts?(ids: readonly string[]): Promise<void>;
  /** Settles the attempts that an earlier owner left without an outcome; resolves when none is left. Absent: there are none. */
  recover?(): Promise<void>;
  /** Sends one row. Never throws. */
  send(row: Row, attempt: number, signal: AbortSignal): Promise<Outcome>;
  /**
   * Makes the outcome durable; returns when the row is due again, or null when it is final. `rejectMessage`: the breaker
   * found the message at fault, not the gateway. `laneNow`: the time less all pauses, epoch ms.
   */
  settle(
    row: Row,
    attempt: number,
    outcome: Outcome,
    context: { rejectMessage: boolean; laneNow: number },
  ): Promise<number | null>;
  /** Absent: no outcome pauses the lane. */
  breaker?: BreakerWork<Row, Outcome>;
  /** The lane has stopped and nothing of it is in flight. Until it resolves, this process goes on owning the lane. */
  close?(): Promise<void>;
}

export interface BreakerWork<Row extends LaneRow, Outcome> {
  /** What the outcome of a row says about the gateway. */
  healthOf(outcome: Outcome, row: Row): HealthReport;
  /** `forMs` null: until the gateway's connection is open. */
  pause(pause: { forMs: number | null; pauses: number; reason: string }): Promise<void>;
  resume(): Promise<void>;
}

export interface LaneRules {
  concurrency: number;
  /** Absent or null: no bound. */
  perSecond?: number | null;
  jitterMs?: number;
  dailyCap?: DailyCap | null;
  /** Whether the hour of the day allows sending, and when it next does. Absent: every hour does. */
  sendingWindow?(now: number): { open: true } | { open: false; opensAt: number };
}

interface DailyCap {
  limit: number;
  /** The local day, and when it ends. */
  day(now: number): { name: string; endsAt: number };
}

/** What is stored of a lane. */
export interface LaneState {
  id: string;
  fence: number;
  pause?: { pauses: number; until: number | null; since: number | null; totalMs: number };
  /** How many messages went on the last day that counts towards the cap. */
  daily?: { day: string | null; count: number };
}
