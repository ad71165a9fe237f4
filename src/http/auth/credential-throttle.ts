// Slows down clients that try credentials: after so many wrong ones a minute, nothing of the client is looked
// up for a moment. A credential that was right a short while ago is always looked up, or one guesser behind a shared proxy would lock
// everybody else behind it out.

import type { Clock } from "#runtime/runtime.ts";
import { createRateLimit } from "./rate-limit.ts";

export interface CredentialThrottle {
  /** Ms until this client may show this credential (its hash); 0: now. */
  wait(client: string, hash: string): number;
  /** What became of showing it. Returns the ms to wait before the next try; 0: none. */
  record(client: string, hash: string, right: boolean): number;
}

/** Far above what a page with an ended session asks, far below what a guesser wants. */
const perMinute = 60;
/** For this long a right credential is exempt. */
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
