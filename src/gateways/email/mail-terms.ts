// What acceptance needs of the settings of an email gateway. Settings are sealed, so this is stored beside them.

import { readAddress } from "#contract/address.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";

/** JSON of `MailTerms` (`accounts/account.ts`); null for a gateway that sends no mails. `settings`: parsed. */
export function mailTermsOf(adapter: Pick<GatewayAdapter, "mail"> | null, settings: unknown): string | null {
  const sender = adapter?.mail?.sender(settings);
  if (sender === undefined) return null;
  return JSON.stringify({
    domain: readAddress(sender.from)?.domain ?? null,
    unsubscribe: sender.unsubscribe,
  });
}
