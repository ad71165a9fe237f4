// The network under which attempts are counted: an IPv4 address, or the /64 of an IPv6 address. Providers assign at least a /64 to a
// customer, so single IPv6 addresses would count as many clients.

import ipaddr from "ipaddr.js";

/** `ip`: as reported by a socket or a trusted proxy. Text that is not an address is returned unchanged. */
export function clientNetwork(ip: string): string {
  return networkOf(ip, 64);
}

/** The same, but the /48 of an IPv6 address: the most that a single customer usually gets. */
export function clientSite(ip: string): string {
  return networkOf(ip, 48);
}

function networkOf(ip: string, bits: 48 | 64): string {
  if (!ipaddr.isValid(ip)) return ip.slice(0, 64);
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const groups = address.parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${groups.join(":")}::/${bits}`;
}
