// The address of a client behind proxies: the last address of `X-Forwarded-For` that a trusted proxy wrote. Proxies write more than
// addresses there: Azure and some balancers add the client's port, others `unknown` or nothing. A port is removed, because it differs for
// each connection and would make each one a separate client. An entry that is not an address is a client that could not be identified: it
// counts as the proxy that wrote it and shares that proxy's limits.

import type { FastifyRequest } from "fastify";
import type { Caller } from "#http/call.ts";
import { type AllowList, addressVersion, isListed, readAllowList } from "#runtime/net/address.ts";

/** An entry of `X-Forwarded-For` as an address without a port; null if it is not an address. */
export function forwardedAddress(entry: string): string | null {
  const text = entry.trim();
  if (addressVersion(text) !== 0) return text;
  const [, bracketed, plain] = /^(?:\[([^\]]{2,45})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/.exec(text) ?? [];
  if (bracketed !== undefined) return addressVersion(bracketed) === 6 ? bracketed : null;
  return plain !== undefined && addressVersion(plain) === 4 ? plain : null;
}

/** Which proxies are trusted, in the form that fastify expects. Throws an error with a message for the operator if an entry is wrong. */
export function trustOf(proxies: readonly string[]): false | ((address: string) => boolean) {
  if (proxies.length === 0) return false;
  const list = listOf(proxies);
  return (entry) => {
    const address = forwardedAddress(entry);
    return address !== null && isListed(address, list);
  };
}

function listOf(proxies: readonly string[]): AllowList {
  try {
    return readAllowList(proxies.join(","));
  } catch (error) {
    throw new Error(`TRUNKLINE_TRUSTED_PROXIES: ${(error as Error).message}`);
  }
}

/** The caller of a request that may have passed through trusted proxies. Evaluated when it is needed. */
export function forwardedCaller(request: FastifyRequest): Caller {
  return {
    get ip() {
      // From the socket outwards; all but the last are trusted, and so are addresses.
      const hops = request.ips ?? [request.ip];
      for (let at = hops.length - 1; at > 0; at--) {
        const address = forwardedAddress(hops[at]!);
        if (address !== null) return address;
      }
      return hops[0] ?? request.ip;
    },
    get host() {
      return request.host;
    },
  };
}
