// Opens a gateway's lane in the process that owns it: unseals the settings, reads the rules, starts the lane.

import { readAddress } from "#contract/address.ts";
import type { Core } from "#core/core.ts";
import { mailTermsOf } from "#gateways/email/mail-terms.ts";
import type { EmailSender } from "#gateways/email/settings.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import type { DkimKey } from "#gateways/message.ts";
import { findAdapter } from "#gateways/registry.ts";
import { paceOf, rulesIn } from "#gateways/rules.ts";
import { needsPublicUrl } from "#messaging/email/links.ts";
import { activeDkimKeys } from "#messaging/email/signing-keys.ts";
import { storeReport } from "#messaging/feedback/store-report.ts";
import { messageUrl } from "#messaging/message-urls.ts";
import { Lane } from "#queue/lane.ts";
import type { ClaimedLane, OpenLane } from "#queue/open-lane.ts";
import type { SharedChildren } from "#runtime/children/shared-children.ts";
import { dayOf, startOfNextDay, withinHours } from "#runtime/time-zones.ts";
import type { Semaphore } from "#runtime/waiting/semaphore.ts";
import {
  findGateway,
  findGatewayForLane,
  openSettings,
  setGatewayCounting,
} from "#store/gateways/gateways.ts";
import { untilConnected } from "#store/lanes/lanes.ts";
import type { LanesTable } from "#store/schema/schema.ts";
import { type DeliverDeps, deliverWork, recoverGatewayMessages } from "./deliver.ts";
import { openOnDemand } from "./on-demand.ts";
import { SessionSupervisor } from "./session.ts";
import type { SessionDeps, SessionGateway } from "./session-scope.ts";
import type { Transport } from "./transmit.ts";

interface OpenGatewayDeps extends DeliverDeps, Pick<Core, "outbound" | "sealer"> {
  publicUrl: string | null;
  /** See `GatewayHost.fileBytes`. */
  fileBytes: Semaphore;
  maxWaitMs: number;
  sharedChildren: SharedChildren;
}

/** Classifies messages left `sending` on a lane that cannot run because its gateway is disabled or does not open. */
export async function recoverGateway(deps: OpenGatewayDeps, state: LanesTable): Promise<void> {
  const gateway = await deps.database.run(findGateway, state.id);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (!gateway || !adapter) return;
  const { id, identifier } = gateway;
  const rules = rulesIn(gateway);
  await recoverGatewayMessages(deps, { id, identifier, adapter, rules }, state.fence);
}

/** Active keys of the domain from which an email gateway sends; none for gateways of other channels. */
async function readDkimKeys(
  { database, sealer }: OpenGatewayDeps,
  accountId: string,
  sender: EmailSender | null,
): Promise<readonly DkimKey[]> {
  const domain = sender === null ? undefined : readAddress(sender.from)?.domain;
  return domain === undefined ? [] : await activeDkimKeys(database, sealer, accountId, domain);
}

function openTransport(
  deps: SessionDeps,
  gateway: SessionGateway,
  adapter: Exclude<GatewayAdapter, { connection: "pulled" | "members" }>,
  settings: unknown,
): Transport {
  if (adapter.connection === "on_demand")
    return openOnDemand(deps, gateway, (host) => adapter.open(settings, host));
  const connected = { ...gateway, linked: adapter.connection === "linked" };
  return new SessionSupervisor(deps, connected, (host) => adapter.open(settings, host));
}

/** Starts a gateway's lane; null, after logging why, if the gateway cannot be used. */
export async function openGateway(deps: OpenGatewayDeps, state: ClaimedLane): Promise<OpenLane | null> {
  const { database, clock, log, random, sealer, publicUrl } = deps;
  const gateway = await database.run(findGatewayForLane, state.id);
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (!gateway || !adapter) {
    log.error(
      { event: "gateway.adapter_missing", lane: state.id, kind: gateway?.kind },
      "There is no adapter for a gateway; its messages wait.",
    );
    return null;
  }
  // Its lane is offered to no process; see `Connection`.
  if (adapter.connection === "pulled" || adapter.connection === "members") return null;
  let settings: unknown;
  let email: EmailSender | null = null;
  let dkim: readonly DkimKey[] = [];
  try {
    settings = openSettings(sealer, gateway);
    email = gateway.channel === "email" ? (adapter.mail?.sender(settings) ?? null) : null;
    dkim = await readDkimKeys(deps, gateway.account_id, email);
  } catch (error) {
    log.error(
      { event: "gateway.settings_unreadable", gateway: gateway.identifier, error },
      "The settings of a gateway could not be unsealed; its messages wait.",
    );
    return null;
  }
  if (publicUrl === null && email !== null && needsPublicUrl(email)) {
    log.warn(
      { event: "gateway.tracking_unavailable", gateway: gateway.identifier },
      "The gateway's settings ask for tracking or unsubscribe links, which need TRUNKLINE_PUBLIC_URL; its mails go out without them.",
    );
  }
  const counting = adapter.counting?.of(settings as object) ?? null;
  const mail_sender = gateway.channel === "email" ? mailTermsOf(adapter, settings) : null;
  if (counting !== gateway.counting || mail_sender !== gateway.mail_sender) {
    await database.run(setGatewayCounting, { id: gateway.id, counting, mail_sender });
  }
  const rules = rulesIn(gateway);
  const pace = paceOf(rules.pace, adapter.defaultPace);
  const zone = gateway.time_zone;
  const callbackUrl =
    publicUrl === null ? null : `${publicUrl}/callbacks/${encodeURIComponent(gateway.identifier)}`;
  const { id, identifier, channel } = gateway;
  const { fence } = state;
  const transport = openTransport(
    { ...deps, storeReport: (report) => storeReport(deps, gateway, report) },
    {
      id,
      identifier,
      channel,
      fence,
      callbackUrl,
      messageUrl: (messageId) => messageUrl(sealer, id, callbackUrl, messageId),
      timeoutMs: adapter.timeoutMs(settings),
      dkim,
    },
    adapter,
    settings,
  );
  const work = deliverWork(
    deps,
    { id, identifier, adapter, rules, transport, email, latenessMs: gateway.lateness_ms },
    fence,
  );
  const lane = new Lane({
    work,
    rules: {
      perSecond: pace.per_second,
      concurrency: pace.concurrency,
      jitterMs: pace.jitter_ms,
      dailyCap:
        pace.per_day === null
          ? null
          : {
              limit: pace.per_day,
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
    random: random.random,
    log,
    maxWaitMs: deps.maxWaitMs,
    interrupted: state.interrupted,
    suspended: adapter.connection !== "on_demand",
  });
  transport.start?.(lane);
  return lane;
}
