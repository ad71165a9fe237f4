// Takes a send: everything of it is stored in one transaction, flushed to disk, before the caller hears 2xx;
// or nothing of it is.

import type { Account } from "#accounts/account.ts";
import type { Channel } from "#contract/channel.ts";
import type { Issue } from "#contract/issue.ts";
import type { SmsSend } from "#contract/sms.ts";
import { bandOf } from "#queue/band.ts";
import type { Clock, Runtime } from "#runtime/runtime.ts";
import { startOfMonth, startOfNextMonth } from "#runtime/wall-clock.ts";
import { type NewMessage, proveRequest, type SendInput, storeSends } from "#store/accept.ts";
import { type Database, StorageError } from "#store/database.ts";
import { prepareSms } from "./sms.ts";

/** What became of a send. All but `accepted` stored nothing (`commit_unknown`: nobody knows). */
export type Accepted =
  | { kind: "accepted"; requestId: string; ids: string[]; statuses: ("queued" | "scheduled")[] }
  | { kind: "invalid"; issues: Issue[] }
  | { kind: "insufficient_credit"; needed: number; remaining: number }
  | { kind: "unavailable"; retryAfterMs: number }
  | { kind: "commit_unknown"; retryAfterMs: number };

export interface AcceptParts {
  database: Database;
  clock: Clock;
  newIds(prefix: string, count: number): string[];
  /** Tells a lane that something is or becomes due on it at `dueAt`. */
  wake(laneId: string, dueAt: number): void;
  crashPoint: Runtime["crashPoint"];
}

const retryAfterMs = 5_000;
/** How long to find out whether a broken COMMIT was one. */
const proofMs = 10_000;

export async function acceptSms(
  parts: AcceptParts,
  account: Account,
  requestId: string,
  send: SmsSend,
): Promise<Accepted> {
  const now = parts.clock.now();
  const prepared = await prepareSms(account, send, now, parts.newIds, () => parts.clock.sleep(0));
  if (prepared.kind === "invalid") return prepared;
  return await store(parts, account, requestId, "sms", now, prepared.messages);
}

async function store(
  parts: AcceptParts,
  account: Account,
  requestId: string,
  channel: Channel,
  now: number,
  messages: readonly NewMessage[],
): Promise<Accepted> {
  const { database, crashPoint } = parts;
  const ids: string[] = [];
  const statuses: ("queued" | "scheduled")[] = [];
  /** The lanes that get some of it, and when the first of it is due there. */
  const lanes = new Map<string, number>();
  let cost = 0;
  for (const [id, laneId, , , , , , status, dueAt, , , , , price] of messages) {
    ids.push(id);
    statuses.push(status);
    const first = lanes.get(laneId);
    if (first === undefined || dueAt < first) lanes.set(laneId, dueAt);
    cost += price;
  }
  const input: SendInput = {
    requestId,
    accountId: account.id,
    channel,
    at: now,
    band: bandOf(messages.length),
    cost,
    renewedFrom: cost === 0 ? 0 : monthOf(now, account.timeZone),
    messages,
  };
  crashPoint("accept.before");
  try {
    const stored = await database.run(storeSends, input);
    if (stored.kind === "insufficient_credit") {
      return { kind: "insufficient_credit", needed: cost, remaining: stored.remaining };
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault === "failed") throw error;
    if (error.fault !== "commit_unknown") return { kind: "unavailable", retryAfterMs };
    const proof = await prove(parts, input);
    if (proof === "unknown") return { kind: "commit_unknown", retryAfterMs };
    if (proof === "not_stored") return { kind: "unavailable", retryAfterMs };
  }
  crashPoint("accept.after");
  for (const [laneId, dueAt] of lanes) parts.wake(laneId, dueAt);
  return { kind: "accepted", requestId, ids, statuses };
}

/** The current month of each zone: asked for every send, and good for a month. */
const months = new Map<string, { from: number; until: number }>();

function monthOf(now: number, timeZone: string): number {
  const known = months.get(timeZone);
  if (known && now >= known.from && now < known.until) return known.from;
  const from = startOfMonth(now, timeZone);
  months.set(timeZone, { from, until: startOfNextMonth(now, timeZone) });
  return from;
}

/** Whether a request whose COMMIT broke was stored, as far as that can be found out in time. */
async function prove(
  { database, clock }: AcceptParts,
  input: SendInput,
): Promise<"stored" | "not_stored" | "unknown"> {
  const until = clock.monotonic() + proofMs;
  while (clock.monotonic() < until) {
    try {
      const { requestId, accountId, channel, at } = input;
      return (await database.run(proveRequest, { requestId, accountId, channel, at }))
        ? "stored"
        : "not_stored";
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      await clock.sleep(500);
    }
  }
  return "unknown";
}
