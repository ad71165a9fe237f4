// Every operation by its name, for the threads that run them.

import * as accept from "./accept.ts";
import * as accountChanges from "./account-changes.ts";
import * as accounts from "./accounts.ts";
import * as attachments from "./attachments.ts";
import * as audit from "./audit.ts";
import * as balances from "./balances.ts";
import * as bounces from "./bounces.ts";
import * as callbackProofs from "./callback-proofs.ts";
import type { Operation } from "./database.ts";
import * as deliveries from "./deliveries.ts";
import * as deliveryLog from "./delivery-log.ts";
import * as due from "./due.ts";
import * as engagements from "./engagements.ts";
import * as fanOut from "./fan-out.ts";
import * as firstAttempt from "./first-attempt.ts";
import * as gatewayStates from "./gateway-states.ts";
import * as gateways from "./gateways.ts";
import * as hold from "./hold.ts";
import * as inbound from "./inbound.ts";
import * as keyLimits from "./key-limits.ts";
import * as lanes from "./lanes.ts";
import * as lookup from "./lookup.ts";
import * as mails from "./mails.ts";
import * as managementTokens from "./management-tokens.ts";
import * as people from "./people.ts";
import * as poolEvents from "./pool-events.ts";
import * as poolKeys from "./pool-keys.ts";
import * as pools from "./pools.ts";
import * as probe from "./probe.ts";
import * as progress from "./progress.ts";
import * as provisioned from "./provisioned.ts";
import * as receipts from "./receipts.ts";
import * as repeat from "./repeat.ts";
import * as resolve from "./resolve.ts";
import * as retention from "./retention.ts";
import * as search from "./search.ts";
import * as sendingDomains from "./sending-domains.ts";
import * as statistics from "./statistics.ts";
import * as suppressions from "./suppressions.ts";
import * as upkeep from "./upkeep.ts";
import * as usage from "./usage.ts";
import * as waiting from "./waiting.ts";
import * as webhooks from "./webhooks.ts";

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
