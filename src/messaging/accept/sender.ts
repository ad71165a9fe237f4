// The gateway that a sender's address leads to, for callers that name an address and no gateway.

import type { Account, AccountGateway } from "#accounts/account.ts";

/**
 * The email gateway that sends from addresses of a domain: the default one of those with this domain, or of those that take any sender. Null
 * if the account has no email gateway at all, `"none"` if it has some and none of them may.
 */
export function gatewayOfDomain(
  { gateways }: Pick<Account, "gateways">,
  domain: string,
): AccountGateway | "none" | null {
  const able = gateways.filter(({ channel, active }) => channel === "email" && active);
  if (able.length === 0) return null;
  const preferred = (some: readonly AccountGateway[]) => some.find(({ isDefault }) => isDefault) ?? some[0];
  return (
    preferred(able.filter(({ mail }) => mail?.domain === domain)) ??
    preferred(able.filter(({ mail }) => (mail?.domain ?? null) === null)) ??
    "none"
  );
}
