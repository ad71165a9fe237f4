// Slows down clients that guess credentials: after a number of wrong ones per minute, no credential of the client is looked up for a
// moment. A credential that was recently valid is always looked up; otherwise a guesser behind a shared proxy would lock out everyone else
// behind it.

import { clientNetwork } from "#runtime/net/client-network.ts";
import type { Clock } from "#runtime/runtime.ts";
import { createRateLimit } from "./rate-limit.ts";

/** What a credential opens. One that is valid for the management API and was presented to a hook by mistake is only wrong for the hook. */
export type CredentialUse = "management" | "hook" | "hook signature" | "phone" | "smtp";

export interface CredentialThrottle {
  /** Ms until the client at `ip` may present this credential (its hash, or what identifies it); 0 if it may now. */
  wait(ip: string, use: CredentialUse, credential: string): number;
  /** Records the result. Returns the ms to wait before the next attempt; 0 if there is no wait. */
  record(ip: string, use: CredentialUse, credential: string, right: boolean): number;
}

/** Far above what a page with an expired session needs, far below what a guesser needs. */
const perMinute = 60;
/** How long a valid credential is exempt. */
const trustedMs = 600_000;
const maxTrusted = 10_000;

export function createCredentialThrottle(clock: Clock): CredentialThrottle {
  const limit = createRateLimit(clock);
  const trusted = new Map<string, number>();

  const nameOf = (use: CredentialUse, credential: string) => `${use} ${credential}`;

  function isTrusted(name: string): boolean {
    const at = trusted.get(name);
    return at !== undefined && clock.monotonic() - at < trustedMs;
  }

  return {
    wait: (ip, use, credential) =>
      isTrusted(nameOf(use, credential)) ? 0 : limit(clientNetwork(ip), perMinute, 0),
    record(ip, use, credential, right) {
      const name = nameOf(use, credential);
      trusted.delete(name);
      if (!right) return limit(clientNetwork(ip), perMinute);
      trusted.set(name, clock.monotonic());
      if (trusted.size > maxTrusted) trusted.delete(trusted.keys().next().value as string);
      return 0;
    },
  };
}
