// The work that a lane does: the rows that it sends, the rules that it follows, and what it stores.

import type { HealthReport } from "./breaker.ts";
import type { Priority } from "./priority.ts";

export interface LaneRow {
  id: string;
  priority: number;
  due_at: number;
}

/** The rows of a lane. Everything but `send` is storage, and may throw when storage does. */
export interface LaneWork<Row extends LaneRow, Outcome> {
  /** Read-only. Rows due at `now`, in order of (due_at, id), after a position in that order. */
  readDue(query: {
    priority: Priority;
    now: number;
    after: { dueAt: number; id: string } | null;
    limit: number;
  }): Promise<Row[]>;
  nextDue(now: number): Promise<number | null>;
  /** How much a row counts towards `perSecond`. Default: 1. */
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
  /** Called when the lane has stopped and nothing is in flight. This process keeps the lane until the promise resolves. */
  close?(): Promise<void>;
}

export interface BreakerWork<Row extends LaneRow, Outcome> {
  /** What the outcome of a row says about the gateway. */
  healthOf(outcome: Outcome, row: Row): HealthReport;
  /** `forMs` is null until the gateway's connection is open. */
  pause(pause: { forMs: number | null; pauses: number; reason: string }): Promise<void>;
  resume(): Promise<void>;
}

export interface LaneRules {
  concurrency: number;
  /** Absent or null if there is no limit. */
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

/** The stored state of a lane. */
export interface LaneState {
  id: string;
  fence: number;
  pause?: { pauses: number; until: number | null; since: number | null; totalMs: number };
  /** How many messages were sent on the last day that counts towards the daily limit. */
  daily?: { day: string | null; count: number };
}
