// Every operation by its name, for the threads that run them.

import * as accounts from "#store/accounts/accounts.ts";
import * as balances from "#store/accounts/balances.ts";
import * as accountChanges from "#store/accounts/changes.ts";
import * as attachments from "#store/email/attachments.ts";
import * as mails from "#store/email/bodies.ts";
import * as sendingDomains from "#store/email/sending-domains.ts";
import * as probe from "#store/engine/probe.ts";
import * as statistics from "#store/engine/statistics.ts";
import * as bounces from "#store/feedback/bounces.ts";
import * as callbackProofs from "#store/feedback/callback-signatures.ts";
import * as engagements from "#store/feedback/engagements.ts";
import * as inbound from "#store/feedback/inbound.ts";
import * as receipts from "#store/feedback/receipts.ts";
import * as suppressions from "#store/feedback/suppressions.ts";
import * as gatewayStates from "#store/gateways/actions.ts";
import * as gateways from "#store/gateways/gateways.ts";
import * as gatewaySessions from "#store/gateways/sessions.ts";
import * as audit from "#store/identity/audit.ts";
import * as managementTokens from "#store/identity/tokens.ts";
import * as people from "#store/identity/users.ts";
import * as due from "#store/lanes/due.ts";
import * as lanes from "#store/lanes/lanes.ts";
import * as upkeep from "#store/maintenance/overdue.ts";
import * as provisioned from "#store/maintenance/provisioned.ts";
import * as hold from "#store/maintenance/restore-hold.ts";
import * as retention from "#store/maintenance/retention.ts";
import * as progress from "#store/messages/attempts.ts";
import * as firstAttempt from "#store/messages/first-attempt.ts";
import * as repeat from "#store/messages/idempotency-keys.ts";
import * as accept from "#store/messages/insert.ts";
import * as lookup from "#store/messages/lookup.ts";
import * as waiting from "#store/messages/move.ts";
import * as resolve from "#store/messages/resolve-unknown.ts";
import * as search from "#store/messages/search.ts";
import * as poolEvents from "#store/pools/events.ts";
import * as keyLimits from "#store/pools/key-limits.ts";
import * as poolKeys from "#store/pools/keys.ts";
import * as pools from "#store/pools/pools.ts";
import * as usage from "#store/pools/usage.ts";
import * as deliveries from "#store/webhooks/deliveries.ts";
import * as deliveryLog from "#store/webhooks/delivery-log.ts";
import * as webhooks from "#store/webhooks/endpoints.ts";
import * as fanOut from "#store/webhooks/fan-out.ts";
import type { Operation } from "./database.ts";

function isOperation(value: unknown): value is Operation<unknown, unknown> {
  return typeof value === "object" && value !== null && "gathered" in value && "run" in value;
}

export const operations: ReadonlyMap<string, Operation<unknown, unknown>> = new Map(
  [
    accounts,
    accountChanges,
    gatewayStates,
    search,
    balances,
    bounces,
    callbackProofs,
    attachments,
    audit,
    managementTokens,
    people,
    accept,
    gateways,
    gatewaySessions,
    inbound,
    lanes,
    lookup,
    mails,
    probe,
    progress,
    provisioned,
    receipts,
    repeat,
    resolve,
    sendingDomains,
    statistics,
    suppressions,
    hold,
    retention,
    upkeep,
    waiting,
    webhooks,
    engagements,
    fanOut,
    firstAttempt,
    deliveries,
    due,
    deliveryLog,
    pools,
    poolEvents,
    poolKeys,
    keyLimits,
    usage,
  ]
    .flatMap((module) => Object.values(module))
    .filter(isOperation)
    .map((operation) => [operation.name, operation]),
);
