// Why a message waits: the one of its reasons that ends last. A reason that does not end by itself comes before those that do, because a
// time that passes changes nothing then.

import type { WaitingFor, WaitingReason } from "#contract/messages/waiting-for.ts";
import { isoTime } from "#contract/time.ts";
import { dayOf, startOfNextDay, withinHours } from "#runtime/time-zones.ts";
import type { MessagesTable } from "#store/schema/schema.ts";

/** The columns of a message that say whether and until when it waits. */
export type WaitingMessage = Pick<
  MessagesTable,
  "status" | "due_at" | "held_due_at" | "attempts" | "created_at" | "updated_at"
>;

/** A gateway, as far as messages wait for it. Times are epoch ms. */
export interface WaitingLane {
  active: boolean;
  /** An operator paused it. `reason`: if it was stopped for a reason of its own, such as another SIM. */
  stopped: { at: number; by: string | null; reason: string | null } | null;
  /** What it lacks to send anything: a device that a person links, or its connection. Null: nothing. */
  lacks: { reason: "not_linked" | "not_connected"; since: number | null; detail: string | null } | null;
  /** It failed, and is tried again at `until`. */
  pause: { since: number; until: number; reason: string | null } | null;
  hours: string | null;
  perDay: number | null;
  /** The local day that `dayCount` counts for. */
  day: string | null;
  dayCount: number;
  timeZone: string;
}

const none = { until: null, since: null, by: null, detail: null };

/**
 * Why the message waits at `now` (epoch ms); null if it does not: it is being sent, or has ended. `lane`: that of its gateway; null if the
 * gateway no longer exists.
 */
export function waitingFor(
  message: WaitingMessage,
  lane: WaitingLane | null,
  now: number,
): WaitingFor | null {
  if (message.status !== "queued" && message.status !== "scheduled") return null;
  if (message.held_due_at !== null) return { ...none, reason: "held_after_restore" };
  if (lane === null) return { ...none, reason: "gateway_missing" };
  const { stopped, lacks } = lane;
  if (!lane.active) return { ...none, reason: "gateway_off" };
  if (stopped !== null) {
    const { at, by, reason: detail } = stopped;
    return { ...none, reason: "gateway_stopped", since: isoTime(at), by, detail };
  }
  if (lacks !== null) {
    const { reason, since, detail } = lacks;
    return { ...none, reason, since: isoTime(since), detail };
  }
  return lastToEnd(message, lane, now);
}

/** Of the reasons that end by themselves, the one that ends last. */
function lastToEnd(message: WaitingMessage, lane: WaitingLane, now: number): WaitingFor {
  const dueAt = message.due_at ?? now;
  let found: WaitingFor = { ...none, reason: "turn", since: isoTime(Math.min(dueAt, now)) };
  /** When everything found so far has ended. */
  let at = now;
  const put = (reason: WaitingReason, until: number, more: Partial<WaitingFor> = {}) => {
    found = { ...none, reason, until: isoTime(until), ...more };
    at = Math.max(at, until);
  };
  if (dueAt > now) {
    // A scheduled message that was attempted has come to its time.
    if (message.status === "scheduled" && message.attempts === 0)
      put("schedule", dueAt, { since: isoTime(message.created_at) });
    else put("retry", dueAt, { since: isoTime(message.updated_at) });
  }
  const { pause, hours, perDay, timeZone } = lane;
  // One whose time has come still lasts until a message has gone through.
  if (pause !== null && (pause.until > at || found.reason === "turn"))
    put("gateway_paused", pause.until, { since: isoTime(pause.since), detail: pause.reason });
  const opening = hours === null ? { open: true as const } : withinHours(hours, at, timeZone);
  if (!opening.open) put("sending_hours", opening.opensAt);
  if (perDay !== null && lane.day === dayOf(at, timeZone) && lane.dayCount >= perDay) {
    const restart = startOfNextDay(at, timeZone);
    const next = hours === null ? { open: true as const } : withinHours(hours, restart, timeZone);
    put("daily_limit", next.open ? restart : next.opensAt);
  }
  return found;
}
