// Whom to count attempts for: an IPv4 address, or the /64 of an IPv6 one, which is what a single customer is
// given, so that its addresses are not as many clients.

import ipaddr from "ipaddr.js";

/** `ip`: as a socket or a trusted proxy gives it. What is no address counts as itself. */
export function clientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip.slice(0, 64);
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
