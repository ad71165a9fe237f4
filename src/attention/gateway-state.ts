// What keeps a gateway from sending, as the overview, previews and alerts see it: its pause, and a link that is missing.

import { pausedByHand } from "#configure/gateway-actions.ts";
import { readLink } from "#configure/link.ts";
import type { GatewayReplyData } from "#contract/manage/gateways.ts";
import type { LinkData } from "#contract/manage/links.ts";
import { isoTime } from "#contract/time.ts";
import { findAdapter } from "#gateways/registry.ts";
import { type PhoneLinkDeps, readPhoneLink } from "#phones/link.ts";
import type { GatewayWithLane } from "#store/gateways/actions.ts";
import { untilConnected } from "#store/lanes/lanes.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";

/** A gateway's state, and since when it is paused. A pause by hand takes precedence over one caused by failures. */
export function stateOf({ gateway, lane }: GatewayWithLane): Pick<GatewayReplyData, "state" | "pause"> {
  if (lane.operator_paused_at !== null) {
    // A stop with its own reason (another SIM) is a pause of the same instant.
    const ownReason = lane.paused_since === lane.operator_paused_at ? lane.pause_reason : null;
    const pause = {
      reason: ownReason ?? pausedByHand,
      since: isoTime(lane.operator_paused_at),
      until: null,
      by: lane.operator_paused_by,
    };
    return { state: gateway.active === 1 ? "stopped" : "off", pause };
  }
  if (gateway.active === 0) return { state: "off", pause: null };
  if (lane.paused_since === null) return { state: "active", pause: null };
  const { paused_until, paused_since, failing_since } = lane;
  const until = paused_until === null || paused_until === untilConnected ? null : isoTime(paused_until);
  return {
    state: "paused",
    pause: {
      reason: lane.pause_reason ?? "",
      since: isoTime(failing_since ?? paused_since),
      until,
      by: null,
    },
  };
}

/** States in which no device is linked, except for the one that a new device should replace. */
const pairingStates: ReadonlySet<LinkData["state"]> = new Set([
  "waiting_for_scan",
  "waiting_for_code",
  "expired",
]);
const unlinkedStates: ReadonlySet<LinkData["state"]> = new Set([
  "unlinked",
  "wrong_number",
  "needs_relink",
  "logged_out",
  "not_installed",
]);

export type MissingLink = Pick<LinkData, "state" | "reason">;

/** Whether a gateway whose kind links a device has none, and why, if that is known. Null if it has one or needs none. */
export async function missingLink(deps: PhoneLinkDeps, gateway: GatewaysTable): Promise<MissingLink | null> {
  const connection = findAdapter(gateway.kind, gateway.channel)?.connection;
  if (connection !== "linked" && connection !== "pulled") return null;
  // The code to scan is for the person who asked for it, and not read here.
  const link = await (connection === "pulled"
    ? readPhoneLink(deps, gateway, "")
    : readLink(deps, gateway.id));
  const { state, reason, device } = link;
  const isMissing = unlinkedStates.has(state) || (device === null && pairingStates.has(state));
  return isMissing ? { state, reason } : null;
}
