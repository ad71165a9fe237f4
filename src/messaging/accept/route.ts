// Chooses the gateway and the time of each contact's message, by the rules that all channels share. Issues are added to
// those found in the body.

import { type Account, type AccountGateway, defaultGateway } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { SharedDraft } from "#contract/messages/contacts.ts";
import { sentences } from "#contract/wording.ts";
import { scheduleReader } from "#runtime/time-zones.ts";

/** The gateway and the time of a message, as its row has them. Times are epoch ms. */
export interface Route {
  gateway: AccountGateway;
  named: 0 | 1;
  test: 0 | 1;
  status: "queued" | "scheduled";
  dueAt: number;
  scheduleAt: string | null;
  scheduledFor: number | null;
}

/**
 * Returns a function that finds the route of each contact of a send accepted at `now` (epoch ms); null for a contact
 * with an issue, which is added to `issues`.
 */
export function createRouter(
  account: Account,
  channel: Channel,
  now: number,
  issues: Issue[],
): (contact: SharedDraft, index: number) => Route | null {
  const gatewayOf = gatewayFinder(account, channel);
  const readSchedule = scheduleReader(account.timeZone);
  return ({ gateway_identifier: identifier, schedule_at: scheduleAt }, index) => {
    let gateway: AccountGateway | null = null;
    if (identifier !== undefined) {
      gateway = gatewayOf(identifier);
      if (gateway === null) {
        const path = ["contact", index, "gateway_identifier"];
        const noGateway = `No active ${channel} gateway is configured.`;
        issues.push({ path, message: identifier === null ? noGateway : sentences.selected(path) });
      }
    }
    let scheduledFor: number | null = null;
    if (scheduleAt != null) {
      scheduledFor = readSchedule(scheduleAt);
      if (scheduledFor === null) {
        const path = ["contact", index, "schedule_at"];
        issues.push({ path, message: sentences.dateFormat(path, "Y-m-d H:i:s") });
      }
    }
    if (gateway === null || scheduleAt === undefined) return null;
    return {
      gateway,
      named: identifier === null ? 0 : 1,
      test: gateway.test ? 1 : 0,
      status: scheduledFor === null ? "queued" : "scheduled",
      // A past time is due at once; its lateness counts from acceptance.
      dueAt: Math.max(now, scheduledFor ?? now),
      scheduleAt,
      scheduledFor,
    };
  };
}

/** Finds active gateways of the channel by identifier; null means the default one. */
function gatewayFinder(
  account: Account,
  channel: Channel,
): (identifier: string | null) => AccountGateway | null {
  const fallback = defaultGateway(account, channel);
  const byIdentifier = new Map(
    account.gateways
      .filter((gateway) => gateway.channel === channel && gateway.active)
      .map((gateway) => [gateway.identifier, gateway]),
  );
  return (identifier) => (identifier === null ? fallback : (byIdentifier.get(identifier) ?? null));
}
