// Opens a gateway's lane in the process that owns it: its settings unsealed, its rules read, its lane started.

import { readAddress } from "#contract/address.ts";
import type { Core } from "#core/core.ts";
import type { EmailSettings } from "#gateways/email/settings.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { GatewayRules } from "#gateways/rules.ts";
import { activeDkimKeys } from "#messaging/email/signing-keys.ts";
import { Lane } from "#queue/lane.ts";
import type { ClaimedLane, OpenLane } from "#queue/lanes.ts";
import { dayOf, startOfNextDay, withinHours } from "#runtime/time-zones.ts";
import { findDrivenGateway, findGateway, settingsPlace } from "#store/gateways/gateways.ts";
import type { GatewaysTable, LanesTable } from "#store/schema/schema.ts";
import type { Sealer } from "#store/seal.ts";
import { type DeliverDeps, deliverWork } from "./deliver.ts";
import type { LaneGateway } from "./transmit.ts";

/** A gateway's settings, in the clear. Throws when they were sealed with another master key. */
export function openSettings(sealer: Sealer, gateway: GatewaysTable): unknown {
  return JSON.parse(sealer.open(gateway.settings, settingsPlace(gateway.id)));
}

export interface OpenGatewayDeps extends DeliverDeps, Pick<Core, "sealer"> {
  publicUrl: string | null;
  longestWaitMs: number;
}

const defaultTimeoutMs = 30_000;

/** Classifies what was left stamped on a lane that cannot be driven: its gateway is switched off, or does not open. */
export async function recoverGateway(parts: OpenGatewayDeps, state: LanesTable): Promise<void> {
  const gateway = await parts.database.run(findGateway, state.id);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (!gateway || !adapter) return;
  const { id, identifier } = gateway;
  const rules = JSON.parse(gateway.rules) as GatewayRules;
  const undriven = {
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
  await deliverWork(parts, undriven, state.fence).recover();
}

/** What every email gateway's settings say (the sandbox's say nothing), and the keys of its sender's domain. */
async function emailOf(
  { database, sealer }: OpenGatewayDeps,
  accountId: string,
  settings: unknown,
): Promise<NonNullable<LaneGateway["email"]>> {
  const given = settings as Partial<EmailSettings>;
  const { from = "", tracking = { opens: false, clicks: false }, unsubscribe = false } = given;
  const domain = readAddress(from)?.domain;
  const dkim = domain === undefined ? [] : await activeDkimKeys(database, sealer, accountId, domain);
  return { settings: { ...given, from, tracking, unsubscribe }, dkim };
}

/** Starts a gateway's lane; null (and a log line) when the gateway cannot be driven. */
export async function openGateway(parts: OpenGatewayDeps, state: ClaimedLane): Promise<OpenLane | null> {
  const { database, clock, log, random, sealer, publicUrl } = parts;
  const gateway = await database.run(findDrivenGateway, state.id);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (!gateway || !adapter) {
    log.error({ lane: state.id, kind: gateway?.kind }, "no adapter for a gateway; its messages wait");
    return null;
  }
  let settings: unknown;
  let email: LaneGateway["email"] = null;
  try {
    settings = openSettings(sealer, gateway);
    if (gateway.channel === "email") email = await emailOf(parts, gateway.account_id, settings);
  } catch (error) {
    log.error({ gateway: gateway.identifier, error }, "a gateway's settings do not open; its messages wait");
    return null;
  }
  const rules = JSON.parse(gateway.rules) as GatewayRules;
  const { pace } = rules;
  const zone = gateway.time_zone;
  const timeoutMs = (settings as { timeout_ms?: number }).timeout_ms ?? defaultTimeoutMs;
  const callbackUrl =
    publicUrl === null ? null : `${publicUrl}/callbacks/${encodeURIComponent(gateway.identifier)}`;
  const work = deliverWork(
    parts,
    {
      id: gateway.id,
      identifier: gateway.identifier,
      adapter,
      settings,
      rules,
      timeoutMs,
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
      perDay: pace.perDay,
      sendingWindow: (now) => {
        // Stopped by hand: whoever lets it go on moves the lane's revision, and it is opened again.
        if (state.stopped_at !== null) return { open: false, opensAt: Number.POSITIVE_INFINITY };
        return pace.hours === null ? { open: true } : withinHours(pace.hours, now, zone);
      },
      day: (now) => ({ name: dayOf(now, zone), endsAt: startOfNextDay(now, zone) }),
    },
    state: {
      id: state.id,
      fence: state.fence,
      pauses: state.pauses,
      pausedUntil: state.paused_until,
      pausedSince: state.paused_since,
      pausedMs: state.paused_ms,
      day: state.day,
      dayCount: state.day_count,
    },
    clock,
    fraction: random.fraction,
    log,
    maxWaitMs: parts.longestWaitMs,
    known: state.known,
  });
}
