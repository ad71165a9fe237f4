// Looks a sending domain up in DNS, and lets the keys sign whose records are right: from then on a signature of
// theirs can be verified everywhere.

import {
  checkDomain,
  type DomainFindings,
  type MailRoute,
} from "#gateways/email/deliverability/domain-check.ts";
import { domainOf } from "#gateways/email/deliverability/domain-records.ts";
import type { Dns } from "#runtime/runtime.ts";
import type { DomainWithKeys } from "#store/email/sending-domains.ts";
import { readGateways } from "#store/gateways/actions.ts";
import { gatewayInputOf } from "./change-gateway.ts";
import type { ConfigureParts } from "./gateway.ts";
import { activateDomainKeys } from "./sending-domain.ts";

export interface CheckDomainResult {
  findings: DomainFindings;
  /** Keys that sign now and did not before. */
  activated: string[];
}

/** Null: the domain was deleted meanwhile. */
export async function checkSendingDomain(
  parts: ConfigureParts & { dns: Dns },
  { domain, keys }: DomainWithKeys,
): Promise<CheckDomainResult | null> {
  const routes = await mailRoutes(parts, domain.account_id);
  const findings = await checkDomain(parts, domain.domain, keys, routes);
  const right = findings.dkim.filter(({ result }) => result === "ok").map(({ keyId }) => keyId);
  const activated = await activateDomainKeys(parts, domain, right);
  return activated === null ? null : { findings, activated };
}

/** Whom the account's email gateways write as. */
async function mailRoutes(
  { database, sealer }: Pick<ConfigureParts, "database" | "sealer">,
  accountId: string,
): Promise<MailRoute[]> {
  const found = await database.run(readGateways, { accountId, identifier: null, countTo: 0 });
  return found.flatMap(({ gateway }): MailRoute[] => {
    if (gateway.channel !== "email") return [];
    const { from, host } = gatewayInputOf(sealer, gateway).settings;
    const domain = typeof from === "string" ? domainOf(from.slice(from.lastIndexOf("@") + 1)) : null;
    if (domain === null) return [];
    return [{ identifier: gateway.identifier, domain, host: typeof host === "string" ? host : null }];
  });
}
