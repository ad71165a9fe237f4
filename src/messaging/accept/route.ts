// Where and when a contact's message goes: the rules that every channel shares and that need the account. A fault is
// told beside those found in the body itself.

import { type Account, type AccountGateway, defaultGateway } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { SharedDraft } from "#contract/messages/contacts.ts";
import { sentences } from "#contract/wording.ts";
import { scheduleReader } from "#runtime/time-zones.ts";

/** A message's columns that tell where and when it goes. Times are epoch ms. */
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
 * Gives the place of each contact of a send that is accepted at `now` (epoch ms); null where it has none, with the
 * reasons added to `issues`.
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
        const none = `No active ${channel} gateway is configured.`;
        issues.push({ path, message: identifier === null ? none : sentences.selected(path) });
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
      // A past time is due at once, and its lateness counts from acceptance.
      dueAt: Math.max(now, scheduledFor ?? now),
      scheduleAt,
      scheduledFor,
    };
  };
}

/** Active gateways of the channel by identifier; null names the default one. */
function gatewayFinder(
  account: Account,
  channel: Channel,
): (identifier: string | null) => AccountGateway | null {
  const usual = defaultGateway(account, channel);
  const named = new Map(
    account.gateways
      .filter((gateway) => gateway.channel === channel && gateway.active)
      .map((gateway) => [gateway.identifier, gateway]),
  );
  return (identifier) => (identifier === null ? usual : (named.get(identifier) ?? null));
}
