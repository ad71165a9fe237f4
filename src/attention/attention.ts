// What needs a person's attention in an account, for the overview and for the hooks that report it.

import { accountFromRow } from "#accounts/authenticate.ts";
import { creditOf } from "#accounts/credit.ts";
import type { AiGateway } from "#ai/ai.ts";
import { members as memberResource } from "#configure/pool-member.ts";
import type { AttentionData } from "#contract/manage/overview.ts";
import { channels, failures } from "#contract/messages/channel.ts";
import { isoTime, startOfLastDay } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { PhoneLinkDeps } from "#phones/link.ts";
import { priorities } from "#queue/priority.ts";
import { idAt } from "#runtime/ids.ts";
import type { AccountRow } from "#store/accounts/accounts.ts";
import { type OverviewCounts, readOverview } from "#store/accounts/overview.ts";
import { readSendingDomains } from "#store/email/sending-domains.ts";
import { type GatewayWithLane, readGateways } from "#store/gateways/actions.ts";
import { readFailedAlerts } from "#store/hooks/alerts.ts";
import { readPools } from "#store/pools/pools.ts";
import type { HooksTable } from "#store/schema/hooks.ts";
import type { WebhookEndpointsTable } from "#store/schema/webhooks.ts";
import type { Sealer } from "#store/seal.ts";
import { listEndpoints } from "#store/webhooks/endpoints.ts";
import { endpointName } from "#webhooks/endpoint-url.ts";
import { type MissingLink, missingLink, stateOf } from "./gateway-state.ts";

export interface AttentionDeps extends PhoneLinkDeps, Pick<Core, "clock" | "database" | "sealer"> {
  ai: Pick<AiGateway, "health">;
}

const countTo = 1_000;
const lookTo = 5_000;
const dayMs = 24 * 60 * 60_000;
const lateMs = 5 * 60_000;
/** How long before its end a plan is listed. */
const planMs = 14 * dayMs;
/** A balance below this share of its allowance is low, as for the event `credit.low`. */
const lowShare = 0.1;

const rank: Record<AttentionData["severity"], number> = { error: 0, doubt: 1, warning: 2 };
const counted = (n: number) => ({ n, more: n >= countTo });
const none = { subject: null, since: null, until: null, reason: null, count: null };

/** The states of a link that there was. */
const lostStates: ReadonlySet<string> = new Set(["logged_out", "needs_relink", "wrong_number"]);

/** `link`: why the gateway has no device, if it needs one. Nothing else about it matters then. */
function ofGateway(
  path: string,
  found: GatewayWithLane,
  link: MissingLink | null,
  late: OverviewCounts["late"],
): AttentionData[] {
  const { gateway, session, queue } = found;
  const about = {
    ...none,
    subject: { id: gateway.id, name: gateway.identifier },
    href: `${path}/gateways/${encodeURIComponent(gateway.identifier)}`,
  };
  const { state, pause } = stateOf(found);
  if (state === "off") return [];
  if (link !== null && state !== "stopped")
    return [
      {
        ...about,
        kind: lostStates.has(link.state) ? "link_lost" : "not_linked",
        severity: "error",
        since: isoTime(session?.status === "logged_out" ? session.changed_at : null),
        reason: link.reason,
        count: queue.due === 0 ? null : counted(queue.due),
      },
    ];
  const items: AttentionData[] = [];
  if (state !== "active") {
    items.push({
      ...about,
      kind: state === "paused" ? "gateway_paused" : "gateway_stopped",
      severity: state === "paused" ? "error" : "warning",
      since: pause?.since ?? null,
      until: pause?.until ?? null,
      reason: pause?.reason ?? null,
      count: counted(queue.due),
    });
  }
  const { deferring } = found;
  if (deferring !== null)
    items.push({
      ...about,
      kind: "gateway_deferring",
      severity: "error",
      since: isoTime(deferring.since),
      until: isoTime(deferring.nextAt),
      reason: deferring.reason,
      count: { n: deferring.count, more: deferring.more },
    });
  const backlog = late.find(({ gatewayId }) => gatewayId === gateway.id);
  if (state === "active" && backlog !== undefined)
    items.push({
      ...about,
      kind: "backlog",
      severity: "warning",
      since: isoTime(backlog.oldestDueAt),
      count: counted(backlog.count),
    });
  return items;
}

async function ofGateways(
  deps: AttentionDeps,
  path: string,
  gateways: readonly GatewayWithLane[],
  late: OverviewCounts["late"],
): Promise<AttentionData[]> {
  const items = gateways.map(async (found) => {
    const link = found.gateway.active === 0 ? null : await missingLink(deps, found.gateway);
    return ofGateway(path, found, link, late);
  });
  return (await Promise.all(items)).flat();
}

function ofEndpoint(sealer: Sealer, path: string, endpoint: WebhookEndpointsTable): AttentionData[] {
  const { id, active, failing_since, disabled_at, disabled_reason } = endpoint;
  const isOff = active === 0;
  const since = isOff ? disabled_at : failing_since;
  if (since === null) return [];
  return [
    {
      ...none,
      kind: isOff ? "webhook_disabled" : "webhook_failing",
      severity: "warning",
      subject: { id, name: endpointName(sealer, endpoint) },
      href: `${path}/webhooks/${id}`,
      since: isoTime(since),
      reason: isOff ? disabled_reason : null,
    },
  ];
}

async function ofPools(
  { database, ai }: AttentionDeps,
  account: AccountRow,
  path: string,
): Promise<AttentionData[]> {
  const pools = await database.run(readPools, { accountId: account.id, id: null });
  return pools.flatMap(({ pool, members }) => {
    const standing = new Map(ai.health(pool.id).map((status) => [status.member, status]));
    return members.flatMap((member): AttentionData[] => {
      const status = standing.get(member.id);
      if (
        !memberResource.rulesOf(member).active ||
        status === undefined ||
        (status.state !== "open" && status.state !== "unauthorized")
      )
        return [];
      const until = isoTime(status.until);
      const subject = { id: member.id, name: `${pool.name}/${member.name}` };
      const href = `${path}/pools/${pool.id}/members/${member.id}`;
      return [
        { ...none, kind: "member_down", severity: "warning", subject, until, reason: status.state, href },
      ];
    });
  });
}

async function ofDomains(
  { database }: AttentionDeps,
  account: AccountRow,
  path: string,
): Promise<AttentionData[]> {
  const domains = await database.run(readSendingDomains, { accountId: account.id, id: null });
  return domains
    .filter(({ keys }) => !keys.some(({ state }) => state === "active"))
    .map(({ domain: { id, domain, created_at } }) => ({
      ...none,
      kind: "domain_unverified",
      severity: "warning",
      subject: { id, name: domain },
      since: isoTime(created_at),
      href: `${path}/sending-domains/${id}`,
    }));
}

/** `failedFrom`: since when failures were counted, epoch ms. */
function ofCounts(
  path: string,
  { unknown, failed, held, isReal }: OverviewCounts,
  failedFrom: number,
): AttentionData[] {
  const real = isReal ? "&test=false" : "";
  const items: AttentionData[] = [];
  const about = (
    kind: AttentionData["kind"],
    severity: AttentionData["severity"],
    count: NonNullable<AttentionData["count"]>,
    query: string,
  ) => {
    if (count.n > 0 || count.more)
      items.push({ ...none, kind, severity, count, href: `${path}/messages?${query}` });
  };
  about("unknown_messages", "doubt", unknown, `status=unknown${real}`);
  about(
    "failures",
    "warning",
    failed,
    `status=${failures.join()}&created_from=${isoTime(failedFrom)}${real}`,
  );
  about("held", "warning", counted(held), "held=true");
  return items;
}

function ofPlan(path: string, { clock }: AttentionDeps, account: AccountRow): AttentionData[] {
  const { plan_expires_at: end, plan_name: reason } = account;
  if (end === null || end - clock.now() > planMs) return [];
  const severity = end <= clock.now() ? "error" : "warning";
  return [{ ...none, kind: "plan_ending", severity, until: isoTime(end), reason, href: path }];
}

type FailedAlert = Pick<HooksTable, "id" | "name" | "last_outcome" | "alerts_failed_at">;

const ofAlerts = (path: string, alerts: readonly FailedAlert[]): AttentionData[] =>
  alerts.map(({ id, name, last_outcome, alerts_failed_at }) => ({
    ...none,
    kind: "alerts_blocked",
    severity: "error",
    subject: { id, name },
    since: isoTime(alerts_failed_at),
    reason: last_outcome,
    href: `${path}/hooks/${id}`,
  }));

/**
 * All that needs a person in the account, the most severe first, with what was read for it. Counts stop at 1,000. Members of pools are as this process sees them.
 */
export async function readAttention(deps: AttentionDeps, account: AccountRow) {
  const { database, clock, publicUrl, sealer } = deps;
  const now = clock.now();
  const path = `/api/manage/v1/accounts/${account.id}`;
  const accountId = account.id;
  const failedFrom = startOfLastDay(now);
  const [counts, gateways, endpoints, credit, pools, domains, alerts] = await Promise.all([
    database.run(readOverview, {
      accountId,
      failedFrom: { at: failedFrom, id: idAt("msg", failedFrom) },
      lateBefore: now - lateMs,
      priorities,
      countTo,
      lookTo,
    }),
    database.run(readGateways, { accountId, identifier: null, priorities, now, countTo }),
    database.run(listEndpoints, accountId),
    creditOf(deps, accountFromRow(account)),
    ofPools(deps, account, path),
    ofDomains(deps, account, path),
    database.run(readFailedAlerts, accountId),
  ]);
  const attention = [
    ...(await ofGateways(deps, path, gateways, counts.late)),
    ...ofCounts(path, counts, failedFrom),
    ...endpoints.flatMap((found) => ofEndpoint(sealer, path, found)),
    ...pools,
    ...ofPlan(path, deps, account),
    ...domains,
    ...ofAlerts(path, alerts),
  ];
  for (const channel of channels) {
    const balance = credit[channel];
    if (balance === null || balance.remaining >= balance.allowance * lowShare) continue;
    attention.push({
      ...none,
      kind: "credit_low",
      severity: balance.remaining === 0 ? "error" : "warning",
      subject: { id: channel, name: channel },
      count: { n: balance.remaining, more: false },
      href: `${path}/credit`,
    });
  }
  const real = gateways.filter(({ gateway }) => gateway.active === 1 && gateway.test === 0);
  const reporting = real.filter(({ gateway }) => findAdapter(gateway.kind, gateway.channel)?.receives);
  if (publicUrl === null && reporting.length > 0)
    attention.push({ ...none, kind: "no_public_url", severity: "warning", href: `${path}/gateways` });
  attention.sort((one, other) => rank[one.severity] - rank[other.severity]);
  return { attention, alerts, counts, credit, endpoints, gateways };
}
