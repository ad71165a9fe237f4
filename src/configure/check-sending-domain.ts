// Checks the DNS records of a sending domain, and activates the keys whose records are correct: receivers can verify
// their signatures from then on.

import {
  checkDomain,
  type DomainFindings,
  type MailRoute,
} from "#gateways/email/deliverability/domain-check.ts";
import { domainOf } from "#gateways/email/deliverability/domain-records.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { Dns } from "#runtime/runtime.ts";
import type { DomainWithKeys } from "#store/email/sending-domains.ts";
import { readGateways } from "#store/gateways/actions.ts";
import { gateways as gatewayResource } from "./gateway.ts";
import type { ConfigureDeps } from "./resource.ts";
import { activateDomainKeys } from "./sending-domain.ts";

interface CheckDomainResult {
  findings: DomainFindings;
  /** The ids of keys that this check activated. */
  activated: string[];
}

/** Checks a domain. Null if it was deleted in the meantime. */
export async function checkSendingDomain(
  deps: ConfigureDeps & { dns: Dns },
  { domain, keys }: DomainWithKeys,
): Promise<CheckDomainResult | null> {
  const routes = await mailRoutes(deps, domain.account_id);
  const findings = await checkDomain(deps, domain.domain, keys, routes);
  const verified = findings.dkim.filter(({ result }) => result === "ok").map(({ keyId }) => keyId);
  const activated = await activateDomainKeys(deps, domain, verified);
  return activated === null ? null : { findings, activated };
}

/** The sender domains of the account's email gateways. */
async function mailRoutes(
  { database, sealer }: Pick<ConfigureDeps, "database" | "sealer">,
  accountId: string,
): Promise<MailRoute[]> {
  const found = await database.run(readGateways, {
    accountId,
    identifier: null,
    priorities: [],
    now: 0,
    countTo: 0,
  });
  return found.flatMap(({ gateway }): MailRoute[] => {
    if (gateway.channel !== "email") return [];
    const sender = findAdapter(gateway.kind, gateway.channel)?.mail?.sender(
      gatewayResource.fieldsOf(sealer, gateway).settings,
    );
    const domain = domainOf(sender?.from.slice(sender.from.lastIndexOf("@") + 1) ?? "");
    return !sender || domain === null ? [] : [{ identifier: gateway.identifier, domain, host: sender.host }];
  });
}
