// Estimates when the last message that waits on a gateway is sent, if the gateway keeps its rate, hours and daily limit. Pure: the caller
// passes the time in.

import type { GatewayRules } from "#contract/manage/gateways.ts";
import { startOfNextDay, withinHours } from "#runtime/time-zones.ts";
import type { DueCount } from "#store/messages/requests.ts";

const minuteMs = 60_000;
/** How many whole minutes a measured rate covers. */
const measuredMinutes = 5;

/** The minutes over which a rate is measured: from the first time to before the second, epoch ms. */
export function measuredRange(now: number): { from: number; before: number } {
  const before = now - (now % minuteMs);
  return { from: before - measuredMinutes * minuteMs, before };
}

type Pace = Pick<GatewayRules["pace"], "per_second" | "jitter_ms">;

/**
 * Messages a second, and where the figure comes from; null if it is unknown. `sent`: in the minutes of `measuredRange`. `wasBusy`: messages
 * were due in all of them; what a gateway with little to do sends is not what it can send. `slowedBy`: its rate is divided by this.
 */
export function rateOf(of: {
  sent: number;
  wasBusy: boolean;
  pace: Pace;
  slowedBy: number;
}): { perSecond: number; of: "measured" | "pace" } | null {
  const { per_second, jitter_ms } = of.pace;
  if (of.wasBusy && of.sent > 0) return { perSecond: of.sent / (measuredMinutes * 60), of: "measured" };
  if (of.wasBusy || per_second === null) return null;
  // A random pause is half as long as it can be, on average.
  return { perSecond: 1_000 / ((1_000 / per_second) * of.slowedBy + jitter_ms / 2), of: "pace" };
}

interface Bounds {
  zone: string;
  /** Such as `08:00-20:00`; null for all hours. */
  hours: string | null;
  /** Null for no limit. */
  perDay: number | null;
  /** How many were sent today. */
  sentToday: number;
}

/** When the sending hours that contain `at` end, epoch ms. */
function closesAt(hours: string | null, at: number, zone: string): number {
  if (hours === null) return Number.POSITIVE_INFINITY;
  const [from = "", to = ""] = hours.split("-");
  const [opens, closes] = [from, to === "24:00" ? "00:00" : to];
  if (opens === closes) return Number.POSITIVE_INFINITY;
  const rest = withinHours(`${closes}-${opens}`, at, zone);
  return rest.open ? at : rest.opensAt;
}

/**
 * How often the calendar is consulted for the end of a day or of the hours, at most: each costs about 40 µs on the event loop, and an
 * account's own rules determine the number. With hours and a daily limit it is enough for 250 days, with one of them for 500.
 */
const maxCalendarSteps = 1_000;

/** When the last of these is sent, epoch ms; `waiting`: soonest first. Null if it is too far in the future. */
export function lastOut(
  waiting: readonly DueCount[],
  perSecond: number,
  now: number,
  { zone, hours, perDay, sentToday }: Bounds,
): number | null {
  let at = now;
  let closes = Number.NEGATIVE_INFINITY;
  let dayEnds = perDay === null ? Number.POSITIVE_INFINITY : startOfNextDay(now, zone);
  let leftToday = perDay === null ? Number.POSITIVE_INFINITY : Math.max(0, perDay - sentToday);
  let calendarSteps = 0;
  for (const { dueAt, messages } of waiting) {
    at = Math.max(at, dueAt);
    for (let left = messages; left > 0; ) {
      if (calendarSteps > maxCalendarSteps) return null;
      if (at >= dayEnds) {
        calendarSteps += 1;
        [dayEnds, leftToday] = [startOfNextDay(at, zone), perDay ?? 0];
      }
      if (at >= closes) {
        calendarSteps += 1;
        const opening = hours === null ? ({ open: true } as const) : withinHours(hours, at, zone);
        if (!opening.open) {
          at = opening.opensAt;
          continue;
        }
        closes = closesAt(hours, at, zone);
      }
      if (leftToday <= 0) {
        at = dayEnds;
        continue;
      }
      const end = Math.min(closes, dayEnds);
      const within = Math.min(left, leftToday);
      const doneAt = at + (within / perSecond) * 1_000;
      if (doneAt <= end) {
        left -= within;
        leftToday -= within;
        at = doneAt;
      } else {
        const sent = ((end - at) / 1_000) * perSecond;
        left -= sent;
        leftToday -= sent;
        at = end;
      }
    }
  }
  return Math.ceil(at);
}
