// Opens a gateway's lane in the process that owns it: unseals the settings, reads the rules, starts the lane.

import { readAddress } from "#contract/address.ts";
import type { Core } from "#core/core.ts";
import type { EmailSender } from "#gateways/email/settings.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import { needsPublicUrl } from "#messaging/email/links.ts";
import { activeDkimKeys } from "#messaging/email/signing-keys.ts";
import { Lane } from "#queue/lane.ts";
import type { ClaimedLane, OpenLane } from "#queue/open-lane.ts";
import { dayOf, startOfNextDay, withinHours } from "#runtime/time-zones.ts";
import { findGateway, findGatewayForLane, settingsContext } from "#store/gateways/gateways.ts";
import { untilConnected } from "#store/lanes/lanes.ts";
import type { GatewaysTable, LanesTable } from "#store/schema/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { type DeliverDeps, deliverWork } from "./deliver.ts";
import type { LaneGateway } from "./transmit.ts";

/** The unsealed settings of a gateway. Throws when they were sealed with another master key. */
export function openSettings(sealer: Sealer, gateway: GatewaysTable): unknown {
  return JSON.parse(sealer.unseal(gateway.settings, settingsContext(gateway.id)));
}

export interface OpenGatewayDeps extends DeliverDeps, Pick<Core, "sealer"> {
  publicUrl: string | null;
  longestWaitMs: number;
}

/** Classifies what was left `sending` on a lane that cannot run: its gateway is switched off, or does not open. */
export async function recoverGateway(deps: OpenGatewayDeps, state: LanesTable): Promise<void> {
  const gateway = await deps.database.run(findGateway, state.id);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (!gateway || !adapter) return;
  const { id, identifier } = gateway;
  const rules = JSON.parse(gateway.rules) as GatewayRules;
  const gatewayWithoutSettings = {
    id,
    identifier,
    adapter,
    rules,
    settings: null,
    timeoutMs: 0,
    callbackUrl: null,
    email: null,
    latenessMs: 0,
  };
  await deliverWork(deps, gatewayWithoutSettings, state.fence).recover();
}

/** The sender of an email gateway, and the keys of the sender's domain. */
async function readEmailGateway(
  { database, sealer }: OpenGatewayDeps,
  accountId: string,
  sender: EmailSender,
): Promise<NonNullable<LaneGateway["email"]>> {
  const domain = readAddress(sender.from)?.domain;
  const dkim = domain === undefined ? [] : await activeDkimKeys(database, sealer, accountId, domain);
  return { settings: sender, dkim };
}

/** Starts a gateway's lane; null, after logging why, when the gateway cannot be used. */
export async function openGateway(deps: OpenGatewayDeps, state: ClaimedLane): Promise<OpenLane | null> {
  const { database, clock, log, random, sealer, publicUrl } = deps;
  const gateway = await database.run(findGatewayForLane, state.id);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (!gateway || !adapter) {
    log.error(
      { event: "gateway.adapter_missing", lane: state.id, kind: gateway?.kind },
      "no adapter for a gateway; its messages wait",
    );
    return null;
  }
  let settings: unknown;
  let email: LaneGateway["email"] = null;
  try {
    settings = openSettings(sealer, gateway);
    const sender = gateway.channel === "email" ? adapter.email(settings) : null;
    if (sender !== null) email = await readEmailGateway(deps, gateway.account_id, sender);
  } catch (error) {
    log.error(
      { event: "gateway.settings_unreadable", gateway: gateway.identifier, error },
      "could not unseal a gateway's settings; its messages wait",
    );
    return null;
  }
  if (publicUrl === null && email !== null && needsPublicUrl(email.settings)) {
    log.warn(
      { event: "gateway.tracking_unavailable", gateway: gateway.identifier },
      "the gateway's settings ask for tracking or unsubscribe links, which need TRUNKLINE_PUBLIC_URL; its mails go out without them",
    );
  }
  const rules = JSON.parse(gateway.rules) as GatewayRules;
  const { pace } = rules;
  const zone = gateway.time_zone;
  const callbackUrl =
    publicUrl === null ? null : `${publicUrl}/callbacks/${encodeURIComponent(gateway.identifier)}`;
  const work = deliverWork(
    deps,
    {
      id: gateway.id,
      identifier: gateway.identifier,
      adapter,
      settings,
      rules,
      timeoutMs: adapter.timeoutMs(settings),
      callbackUrl,
      email,
      latenessMs: gateway.lateness_ms,
    },
    state.fence,
  );
  return new Lane({
    work,
    rules: {
      perSecond: pace.perSecond,
      concurrency: pace.concurrency,
      jitterMs: pace.jitterMs,
      dailyCap:
        pace.perDay === null
          ? null
          : {
              limit: pace.perDay,
              day: (now) => ({ name: dayOf(now, zone), endsAt: startOfNextDay(now, zone) }),
            },
      sendingWindow: (now) => {
        // Paused by an operator. Resuming changes the lane's revision, so the lane is opened again.
        if (state.operator_paused_at !== null) return { open: false, opensAt: Number.POSITIVE_INFINITY };
        return pace.hours === null ? { open: true } : withinHours(pace.hours, now, zone);
      },
    },
    state: {
      id: state.id,
      fence: state.fence,
      pause: {
        pauses: state.pauses,
        until: state.paused_until === untilConnected ? null : state.paused_until,
        since: state.paused_since,
        totalMs: state.paused_ms,
      },
      daily: { day: state.day, count: state.day_count },
    },
    clock,
    fraction: random.fraction,
    log,
    maxWaitMs: deps.longestWaitMs,
    interrupted: state.interrupted,
  });
}
