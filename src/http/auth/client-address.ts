// The address of a client behind proxies: the last address of `X-Forwarded-For` that a trusted proxy wrote. Proxies write more than
// addresses there: Azure and some balancers add the client's port, others `unknown` or nothing. A port is removed, because it differs for
// each connection and would make each one a separate client. An entry that is not an address is a client that could not be identified: it
// counts as the proxy that wrote it and shares that proxy's limits.

import type { IncomingMessage } from "node:http";
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

/** Whether an address is that of a trusted proxy. Throws an error with a message for the operator if an entry is wrong. */
export function trustOf(proxies: readonly string[]): (address: string) => boolean {
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

/** The entries of a header that each proxy appends to, the newest first. */
const newestFirst = (header: string | readonly string[] | undefined): string[] =>
  String(header ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .reverse();

/** The caller of a request that may have passed through trusted proxies. Evaluated when it is needed. */
export function forwardedCaller(
  {
    headers,
    socket,
  }: Pick<IncomingMessage, "headers"> & { socket: Pick<IncomingMessage["socket"], "remoteAddress"> },
  isTrusted: (address: string) => boolean,
): Caller {
  const peer = socket.remoteAddress ?? "";
  return {
    get ip() {
      // From the socket outwards, as far as the proxy that wrote the next entry is trusted.
      const hops = [peer, ...newestFirst(headers["x-forwarded-for"])];
      let at = 0;
      while (at < hops.length - 1 && isTrusted(hops[at]!)) at += 1;
      for (; at > 0; at--) {
        const address = forwardedAddress(hops[at]!);
        if (address !== null) return address;
      }
      return peer;
    },
    get host() {
      const forwarded = isTrusted(peer) ? newestFirst(headers["x-forwarded-host"])[0] : undefined;
      return forwarded ?? headers.host ?? "";
    },
  };
}
