// The network that attempts are counted for: an IPv4 address, or the /64 of an IPv6 address. Providers assign at least a
// /64 to a customer, so single IPv6 addresses would count as many clients.

import ipaddr from "ipaddr.js";

/** `ip`: as a socket or a trusted proxy gives it. What is no address counts as itself. */
export function clientNetwork(ip: string): string {
  return networkOf(ip, 64);
}

/** The same, but the /48 of an IPv6 address: what a customer may be given who asks for a lot. */
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
