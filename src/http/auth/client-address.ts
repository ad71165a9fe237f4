// The address of a client that comes through proxies: the last address of `X-Forwarded-For` that a trusted proxy wrote. Proxies
// write more than addresses there: Azure and some balancers add the client's port, others `unknown` or nothing. A port
// is cut off, for each connection has another one and would be a client of its own. What is no address is the client
// that could not be named: it counts as the proxy that said so, and shares that one's limits.

import type { FastifyRequest } from "fastify";
import type { Caller } from "#http/call.ts";
import { type AllowList, addressVersion, isListed, readAllowList } from "#runtime/net/address.ts";

/** An entry of `X-Forwarded-For` as an address without a port; null: it is no address. */
export function forwardedAddress(entry: string): string | null {
  const text = entry.trim();
  if (addressVersion(text) !== 0) return text;
  const [, bracketed, plain] = /^(?:\[([^\]]{2,45})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/.exec(text) ?? [];
  if (bracketed !== undefined) return addressVersion(bracketed) === 6 ? bracketed : null;
  return plain !== undefined && addressVersion(plain) === 4 ? plain : null;
}

/** Which proxies are believed, as fastify asks for it. Throws in words for the operator when an entry is wrong. */
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

/** The caller of a request that may have come through trusted proxies. Looked at when it is asked for. */
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
