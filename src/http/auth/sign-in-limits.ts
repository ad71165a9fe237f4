// How often passwords, set-up codes and the link codes of phones may be tried. No limit that an unknown client can use up stops the owner of a
// password: neither in a browser that the owner has signed in with before, nor in an open session.
//
//   who tries                                          a minute   counted
//   a known browser (device cookie) of the user        10         every attempt, by cookie; nothing else counts for it
//   one network at one email address                  10         every attempt
//   one network at all addresses together              30         every attempt
//   everybody at one address                           100        wrong passwords only
//   one open session (change password, show API key)   10         every attempt
//   one network at set-up codes                        10         every attempt
//   one network at link codes                          60         every attempt
//   one /48 at link codes                              180        every attempt
//   everybody at link codes                            1,000      every attempt
//
// So a guesser with any number of networks gets 144,000 guesses a day at an address, against passwords of at least 12
// characters; before that, a hash costs 45 to 55 ms, and two run at once. A network is an IPv4 address or an IPv6 /64;
// over all addresses it is a /48, because one customer may hold 65,536 networks of /64.
//
// A link code has 8 digits, works for 15 minutes, and counts for all gateways alike. 16,000 guesses in that time hit one open
// code with a chance of 1 in 6,250. While unknown clients use the limit up, phones are linked by the private token (`enrol`) instead.

import type { SignInThrottle } from "#identity/sign-in.ts";
import { clientNetwork, clientSite } from "#runtime/net/client-network.ts";
import type { Clock } from "#runtime/runtime.ts";
import { createRateLimit } from "./rate-limit.ts";

const attemptsPerMinute = 10;
const networkAttemptsPerMinute = 30;
const wrongPerMinute = 100;
export const linkCodesPerMinute = { network: 60, site: 180, installation: 1_000 } as const;

export interface SignInLimits {
  /** Counts the attempts of a client at this IP address. */
  signIn(ip: string): SignInThrottle;
  /** One password attempt in an open session, by its hash. Ms to wait; 0 if there is no wait. */
  inSession(session: string): number;
  /** One attempt at a set-up code. Ms to wait; 0 if there is no wait. */
  setUp(ip: string): number;
  /** One attempt at a phone's link code. Ms to wait; 0 if there is no wait. */
  linkCode(ip: string): number;
}

/** Separate from the accounts' own limits: unknown clients must not evict those. */
export function createSignInLimits(clock: Clock): SignInLimits {
  const limit = createRateLimit(clock);
  return {
    signIn: (ip) => ({
      knownDevice: (device) => limit(`device ${device}`, attemptsPerMinute),
      unknownDevice: (email) => {
        const site = `site ${clientSite(ip)}`;
        const wrong = limit(`wrong ${email}`, wrongPerMinute, 0);
        const wait = Math.max(wrong, limit(site, networkAttemptsPerMinute, 0));
        // Checked first and counted last: an attempt that is refused elsewhere consumes nothing of a shared limit.
        if (wait > 0) return wait;
        const ofNetwork = limit(`try ${clientNetwork(ip)} ${email}`, attemptsPerMinute);
        if (ofNetwork === 0) limit(site, networkAttemptsPerMinute);
        return ofNetwork;
      },
      recordFailure: (email) => void limit(`wrong ${email}`, wrongPerMinute),
    }),
    inSession: (session) => limit(`session ${session}`, attemptsPerMinute),
    setUp: (ip) => limit(`set-up ${clientNetwork(ip)}`, attemptsPerMinute),
    linkCode: (ip) => {
      const { network, site, installation } = linkCodesPerMinute;
      // The narrowest limit is counted first, and no limit is counted for an attempt that another one refuses.
      const everybody = limit("link codes", installation, 0);
      if (everybody > 0) return everybody;
      const siteKey = `link code site ${clientSite(ip)}`;
      const ofSite = limit(siteKey, site, 0);
      if (ofSite > 0) return ofSite;
      const ofNetwork = limit(`link code ${clientNetwork(ip)}`, network);
      if (ofNetwork > 0) return ofNetwork;
      limit(siteKey, site);
      limit("link codes", installation);
      return 0;
    },
  };
}
