// Chooses the gateway and the time of each contact's message, by the rules that all channels share: an active gateway of
// the channel that can send the content. Issues are added to those found in the body.

import { type Account, type AccountGateway, defaultGateway } from "#accounts/account.ts";
import type { Issue } from "#contract/issue.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { SharedDraft } from "#contract/messages/contacts.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import { sentences } from "#contract/wording.ts";
import { scheduleReader } from "#runtime/time-zones.ts";

/** The gateway and the time of a contact's message; null if the contact has an issue about it. */
interface Route {
  gateway: AccountGateway | null;
  timing: Timing | null;
}

/** The time of a message, as its row has it. Times are epoch ms. */
interface Timing {
  status: "queued" | "scheduled";
  dueAt: number;
  scheduleAt: string | null;
  scheduledFor: number | null;
}

/** Returns a function that finds the route of each contact of a send accepted at `now` (epoch ms). It adds its issues to `issues`. */
export function createRouter(
  account: Account,
  channel: Channel,
  now: number,
  issues: Issue[],
): (contact: SharedDraft, index: number, content: ContentKind) => Route {
  const gatewayOf = gatewayFinder(account, channel);
  const readSchedule = scheduleReader(account.timeZone);
  return ({ gateway_identifier: identifier, schedule_at: scheduleAt }, index, content) => {
    let gateway: AccountGateway | null = null;
    if (identifier !== undefined) {
      const found = gatewayOf(identifier, content, index);
      if ("refusal" in found)
        issues.push({ path: ["contact", index, "gateway_identifier"], message: found.refusal });
      else gateway = found;
    }
    if (scheduleAt === undefined) return { gateway, timing: null };
    if (scheduleAt === null)
      return { gateway, timing: { status: "queued", dueAt: now, scheduleAt, scheduledFor: null } };
    const scheduledFor = readSchedule(scheduleAt);
    if (scheduledFor === null) {
      const path = ["contact", index, "schedule_at"];
      issues.push({ path, message: sentences.dateFormat(path, "Y-m-d H:i:s") });
      return { gateway, timing: null };
    }
    // A past time is due immediately; its lateness counts from acceptance.
    const dueAt = Math.max(now, scheduledFor);
    return { gateway, timing: { status: "scheduled", dueAt, scheduleAt, scheduledFor } };
  };
}

/** Why no gateway was chosen: the sentence of the issue. */
interface NoGateway {
  refusal: string;
}

/**
 * Returns a function that finds the active gateway of the channel with an identifier, or for null the default one, if it
 * can send the content.
 */
function gatewayFinder(
  account: Account,
  channel: Channel,
): (identifier: string | null, content: ContentKind, index: number) => AccountGateway | NoGateway {
  const active = account.gateways.filter((gateway) => gateway.channel === channel && gateway.active);
  const byIdentifier = new Map(active.map((gateway) => [gateway.identifier, gateway]));
  const draining = new Set(
    account.gateways
      .filter((gateway) => gateway.channel === channel && gateway.isDraining)
      .map(({ identifier }) => identifier),
  );
  const defaults = new Map<ContentKind, AccountGateway | NoGateway>();
  const findDefault = (content: ContentKind) => {
    const able =
      active.length > 0
        ? `can send ${content} messages`
        : account.key?.boundToGateways === true
          ? "is allowed for this API key"
          : "is configured";
    return defaultGateway(account, channel, content) ?? { refusal: `No active ${channel} gateway ${able}.` };
  };
  return (identifier, content, index) => {
    if (identifier === null) {
      const known = defaults.get(content);
      if (known !== undefined) return known;
      const found = findDefault(content);
      defaults.set(content, found);
      return found;
    }
    const named = byIdentifier.get(identifier);
    if (named === undefined && draining.has(identifier))
      return { refusal: `Gateway ${identifier} is being deleted and takes no new messages.` };
    if (named === undefined) return { refusal: sentences.selected(["contact", index, "gateway_identifier"]) };
    if (named.contents.includes(content)) return named;
    return { refusal: `Gateway ${identifier} of kind ${named.kind} cannot send ${content} messages.` };
  };
}
