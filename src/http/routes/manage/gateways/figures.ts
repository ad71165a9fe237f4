// The messages that wait for a gateway, and what its pace currently allows.

import type { GatewayReplyData } from "#contract/manage/gateways.ts";
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { findAdapter } from "#gateways/registry.ts";
import { paceOf, rulesIn } from "#gateways/rules.ts";
import { priorities } from "#queue/priority.ts";
import { dayOf, startOfNextDay, withinHours } from "#runtime/time-zones.ts";
import type { GatewayWithLane } from "#store/gateways/actions.ts";
import { halvingsAt, type Slowdown, slowUntil } from "#store/phones/slowdown.ts";

/** Waiting messages are counted up to this number. */
const countTo = 1_000;

/** The options with which `readGateways` counts waiting messages. */
export const waitingNow = ({ clock }: Pick<Core, "clock">) => ({ priorities, now: clock.now(), countTo });

/** What waits, as it is shown. */
export function queueOf({ queue }: GatewayWithLane): GatewayReplyData["queue"] {
  const { due, oldestDueAt, later, nextDueAt } = queue;
  return {
    due,
    oldest_due_at: isoTime(oldestDueAt),
    later,
    next_due_at: isoTime(nextDueAt),
    more: due >= countTo || later >= countTo,
  };
}

/** All that it attempts is deferred, as it is shown. */
export function deferringOf({ deferring }: GatewayWithLane): GatewayReplyData["deferring"] {
  if (deferring === null) return null;
  const { since, count, more, nextAt, reason } = deferring;
  return { since: isoTime(since), count, more, next_attempt_at: isoTime(nextAt), reason };
}

function slowedNow(slowdown: Slowdown | null, now: number): GatewayReplyData["slowed"] {
  const halvings = halvingsAt(slowdown, now);
  if (slowdown === null || halvings === 0) return null;
  return {
    factor: 2 ** halvings,
    since: isoTime(slowdown.since),
    until: isoTime(slowUntil(slowdown)),
  };
}

/** What its pace allows at `now` (epoch ms) in the account's time zone. */
export function paceNow(
  { gateway, lane, slowdown }: GatewayWithLane,
  now: number,
  zone: string,
): Pick<GatewayReplyData, "today" | "opens_at" | "slowed"> {
  const adapter = findAdapter(gateway.kind, gateway.channel);
  const { per_day, hours } = paceOf(rulesIn(gateway).pace, adapter?.defaultPace);
  const opening = hours === null ? { open: true as const } : withinHours(hours, now, zone);
  const sent = lane.day === dayOf(now, zone) ? lane.day_count : 0;
  return {
    today: per_day === null ? null : { sent, per_day, restarts_at: isoTime(startOfNextDay(now, zone)) },
    opens_at: opening.open ? null : isoTime(opening.opensAt),
    slowed: slowedNow(slowdown, now),
  };
}
