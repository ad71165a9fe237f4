// Slows down clients that guess credentials: after a number of wrong ones per minute, no credential of the client is looked up for a
// moment. A credential that was recently valid is always looked up; otherwise a guesser behind a shared proxy would lock out everyone else
// behind it.

import type { Clock } from "#runtime/runtime.ts";
import { createRateLimit } from "./rate-limit.ts";

export interface CredentialThrottle {
  /** Ms until this client may present this credential (its hash); 0 if it may now. */
  wait(client: string, hash: string): number;
  /** Records the result. Returns the ms to wait before the next attempt; 0 if there is no wait. */
  record(client: string, hash: string, right: boolean): number;
}

/** Far above what a page with an expired session needs, far below what a guesser needs. */
const perMinute = 60;
/** How long a valid credential is exempt. */
const trustedMs = 600_000;
const maxTrusted = 10_000;

export function createCredentialThrottle(clock: Clock): CredentialThrottle {
  const limit = createRateLimit(clock);
  const trusted = new Map<string, number>();

  function isTrusted(hash: string): boolean {
    const at = trusted.get(hash);
    return at !== undefined && clock.monotonic() - at < trustedMs;
  }

  return {
    wait: (client, hash) => (isTrusted(hash) ? 0 : limit(client, perMinute, 0)),
    record(client, hash, right) {
      trusted.delete(hash);
      if (!right) return limit(client, perMinute);
      trusted.set(hash, clock.monotonic());
      if (trusted.size > maxTrusted) trusted.delete(trusted.keys().next().value as string);
      return 0;
    },
  };
}
